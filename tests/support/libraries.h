// SPDX-License-Identifier: Apache-2.0
// Pipeline libraries, and graphs linked of them.
#pragma once

#include <vector>

#include "tests/support/graph.h"

namespace trellis::test {

// For the chain of a compute pipeline that is a library of one node.
extern const VkPipelineCreateFlags2CreateInfo kNodeLibraryFlags;

// One vkCreateComputePipelines for all stages; the caller destroys what is made.
[[nodiscard]] VkResult CreateNodeLibraries(const Context& context, const GraphStages& stages, const Layout& layout,
                                           VkPipelineCache cache, std::vector<VkPipeline>& made);

// The same of mesh nodes that draw nothing, one vkCreateGraphicsPipelines for all. Graphs of them are dispatched with
// dynamic rendering, without attachments.
[[nodiscard]] VkResult CreateMeshLibraries(const Context& context, const GraphStages& stages, const Layout& layout,
                                           VkPipelineCache cache, std::vector<VkPipeline>& made);

// A graph of libraries and stages, or, with VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, a library again. The caller's.
[[nodiscard]] VkResult LinkLibraries(const Context& context, const std::vector<VkPipeline>& libraries,
                                     const GraphStages& stages, const Layout& layout, VkPipelineCache cache,
                                     VkPipelineCreateFlags flags, VkPipeline& pipeline);

}  // namespace trellis::test
