// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/libraries.h"

#include <string>
#include <utility>

#include "layer/graph/describe.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis {
namespace {

// What replay relies on: it binds everything with the graph's layout and pushes what nodes of that layout expect.
bool AreCompatible(const LibraryNode& node, const PipelineLayout& graph_layout) {
  const PipelineLayout& library = node.pipeline->layout();
  const bool is_mesh = node.source.info.IsMesh();
  const NodePushConstants& pushed = is_mesh ? library.draw : library;
  const NodePushConstants& expected = is_mesh ? graph_layout.draw : graph_layout;
  const auto sets = static_cast<uint32_t>(library.sets.size());
  return pushed.application_size == expected.application_size && pushed.copy_offset == expected.copy_offset &&
         (sets == 0 || CompatibleForSet(library.sets, graph_layout.sets, sets - 1));
}

CreationResult AppendLibrary(Device& device, VkPipeline handle, std::vector<LibraryNode>& nodes) {
  if (const std::shared_ptr<NodeLibrary> library = device.node_libraries.Find(handle)) {
    if (!library->for_graphs)
      return CreationResult::Refused(
          "the compute pipeline was made without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX (VUID 10181)");
    nodes.push_back(library->node);
    return {};
  }
  const std::shared_ptr<ExecutionGraphPipeline> library = device.execution_graphs.Find(handle);
  if (!library)
    return CreationResult::Refused(
        "it is no pipeline that was made as a node: no compute or graphics pipeline with "
        "VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR and VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX, and no execution "
        "graph (VUID 09133, VUID 10181)");
  if (!library->is_library)
    return CreationResult::Refused(
        "the execution graph was made without VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR (VUID 03381)");
  for (uint32_t i = 0; i < library->graph.nodes.size(); ++i) {
    const Node& node = library->graph.nodes[i];
    nodes.push_back({{node.name, node.index, node.info}, library->nodes[i].pipeline});
  }
  return {};
}

}  // namespace

VkResult PublishLibrary(const CreationContext& context, const CreationResult& failure,
                        std::shared_ptr<NodeLibrary> library, VkPipeline& pipeline) {
  if (!failure.Succeeded()) return PermittedResult(context.Report(failure));
  const auto handle = HandleFromObject<VkPipeline>(library.get());
  library->node.pipeline->FinishCreation();
  context.device.node_libraries.Insert(handle, std::move(library));
  pipeline = handle;
  return VK_SUCCESS;
}

CreationResult CollectLibraryNodes(const CreationContext& context, const VkPipelineLibraryCreateInfoKHR& info,
                                   const PipelineLayout& layout, std::vector<LibraryNode>& nodes) {
  if (info.libraryCount != 0 && !info.pLibraries)
    return CreationResult::Refused(
        "pLibraryInfo->pLibraries is NULL (VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-parameter)");
  for (uint32_t i = 0; i < info.libraryCount; ++i) {
    const size_t first = nodes.size();
    CreationResult appended = AppendLibrary(context.device, info.pLibraries[i], nodes);
    for (size_t node = first; node < nodes.size() && appended.Succeeded(); ++node)
      if (!AreCompatible(nodes[node], layout))
        appended = CreationResult::Refused("the pipeline layout of node " +
                                           NodeLabel(nodes[node].source.name, nodes[node].source.index) +
                                           " is not compatible with that of the graph (VUID 09131)");
    if (appended.Succeeded()) continue;
    appended.reason = "pLibraryInfo->pLibraries[" + std::to_string(i) + "]: " + appended.reason;
    return appended;
  }
  return {};
}

}  // namespace trellis
