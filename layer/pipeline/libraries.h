// SPDX-License-Identifier: Apache-2.0
// Pipeline libraries: nodes with their pipelines, to be linked into execution graphs. Internal to layer/pipeline, but
// for NodeLibrary.
#pragma once

#include <memory>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/node_pipeline.h"

namespace trellis {

// A node that is compiled.
struct LibraryNode {
  NodeSource source;
  std::shared_ptr<NodePipeline> pipeline;
};

// A compute pipeline with VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR, or a graphics pipeline of a mesh node: one node, which
// is no part of a graph yet. Immutable. Ownership: shared by Device::node_libraries and their users. Execution
// graph libraries are ExecutionGraphPipelines.
struct NodeLibrary {
  LibraryNode node;
  bool for_graphs = false;  // VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX
};

// Ends the creation of a library: `pipeline` becomes its handle, unless there is a failure, which is reported. Returns
// what the command may return.
[[nodiscard]] VkResult PublishLibrary(const CreationContext& context, const CreationResult& failure,
                                      std::shared_ptr<NodeLibrary> library, VkPipeline& pipeline);

// The nodes of all libraries of a create info, in order; those of a graph library are those of its own stages and of
// its libraries. `layout` is the graph's: that of each library must be compatible with it.
CreationResult CollectLibraryNodes(const CreationContext& context, const VkPipelineLibraryCreateInfoKHR& info,
                                   const PipelineLayout& layout, std::vector<LibraryNode>& nodes);

}  // namespace trellis
