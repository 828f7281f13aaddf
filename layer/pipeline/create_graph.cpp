// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX.
#include <cstring>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/graph/describe.h"
#include "layer/graph/link.h"
#include "layer/graph/tables.h"
#include "layer/pipeline/batching.h"
#include "layer/pipeline/compile_nodes.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/pipeline/internal_kernels.h"
#include "layer/pipeline/libraries.h"
#include "layer/pipeline/needed_kernels.h"
#include "layer/pipeline/node_sources.h"

namespace trellis {
namespace {

CreationResult UploadTables(ExecutionGraphPipeline& graph) {
  const TableLayout layout = LayoutTables(graph.graph);
  Expected<DeviceBuffer> buffer =
      DeviceBuffer::Create(graph.device, layout.size, BufferMemory::kHostLocal, "trellis graph tables");
  if (!buffer) return {VK_ERROR_OUT_OF_DEVICE_MEMORY, buffer.error().message};
  graph.tables = *std::move(buffer);
  const std::vector<std::byte> bytes = WriteTables(graph.graph, layout);
  std::memcpy(graph.tables.data(), bytes.data(), bytes.size());
  graph.outputs = DescribeOutputs(graph.graph, layout, graph.tables.address());
  return {};
}

std::vector<StageNode> StagesOf(const VkExecutionGraphPipelineCreateInfoAMDX& info) {
  std::vector<StageNode> stages;
  for (uint32_t i = 0; info.pStages && i < info.stageCount; ++i)
    stages.emplace_back(info.pStages[i], "pStages[" + std::to_string(i) + "], ");
  return stages;
}

// The nodes of the stages, then those of the libraries: the order of node indices.
CreationResult Link(const CreationContext& context, const std::vector<StageNode>& stages,
                    const std::vector<LibraryNode>& library_nodes, ExecutionGraphPipeline& graph) {
  std::vector<NodeSource> sources;
  for (const StageNode& stage : stages) sources.push_back(stage.source);
  for (const LibraryNode& node : library_nodes) sources.push_back(node.source);
  Expected<Graph> linked = LinkGraph(std::move(sources), kMaxExecutionGraphDepth,
                                     context.IsLibrary() ? LinkScope::kLibrary : LinkScope::kGraph);
  if (!linked) return CreationResult::Refused(linked.error().message);
  graph.graph = *std::move(linked);
  return {};
}

void WarnOfSeveredNodes(const ExecutionGraphPipeline& graph) {
  for (uint32_t node : graph.graph.severed_nodes)
    graph.device.diagnostics.Warning(
        "TRELLIS-severed-node",
        "node " + NodeLabel(graph.graph.nodes[node].name, graph.graph.nodes[node].index) +
            ": nodes of its name that enqueue to each other by indices that are not constant would form a cycle, so "
            "what it enqueues there is lost. Use constant indices, or a PayloadNodeArraySizeAMDX of the later nodes "
            "only, or another name for each level",
        {{VK_OBJECT_TYPE_DEVICE, HandleToU64(graph.device.handle)}});
}

CreationResult CompileStages(const CreationContext& context, const void* chain, const std::vector<StageNode>& stages,
                             CreationFeedback& feedback, CompileTimes& times, ExecutionGraphPipeline& graph) {
  std::vector<CompileRequest> requests;
  for (const StageNode& stage : stages)
    requests.push_back(
        {context, stage, graph.layout, NodeLabel(stage.source.name, stage.source.index), chain, feedback.Wanted()});
  std::vector<CompiledShader> compiled = CompileNodes(requests, OnFailure::kStop, times);
  for (uint32_t i = 0; i < compiled.size(); ++i) {
    if (!compiled[i].failure.Succeeded()) return std::move(compiled[i].failure);
    graph.AddNode(std::move(compiled[i].pipeline), std::move(requests[i].label));
    feedback.AddNode(i, compiled[i].feedback, stages[i].reflect_nanoseconds + compiled[i].lower_nanoseconds);
  }
  return {};
}

// Times are those of all threads, added up.
void Describe(const ExecutionGraphPipeline& graph, const std::vector<StageNode>& stages, const CompileTimes& times,
              const CompileTimes& kernel_times) {
  Diagnostics& diagnostics = graph.device.diagnostics;
  if (!diagnostics.Wants(LogLevel::kInfo)) return;
  uint64_t read_nanoseconds = 0;
  for (const StageNode& stage : stages) read_nanoseconds += stage.reflect_nanoseconds;
  const auto text = [](uint64_t nanoseconds) { return std::to_string(nanoseconds / 1000) + " us"; };
  const std::string name = "execution graph " + std::to_string(graph.id);
  diagnostics.Info("TRELLIS-graph-created",
                   name + ": " + std::to_string(graph.nodes.size()) + " nodes, " + std::to_string(stages.size()) +
                       " of them read in " + text(read_nanoseconds) + " and lowered in " +
                       text(times.lower_nanoseconds) + "; the driver compiled " + std::to_string(times.pipelines) +
                       " pipelines in " + text(times.driver_nanoseconds) + " and " +
                       std::to_string(kernel_times.pipelines) + " internal kernels in " +
                       text(kernel_times.driver_nanoseconds));
  if (diagnostics.Wants(LogLevel::kDebug))
    diagnostics.Debug("TRELLIS-graph-created", name + "\n" + DescribeGraph(graph.graph));
}

CreationResult Build(const CreationContext& context, const VkExecutionGraphPipelineCreateInfoAMDX& info,
                     CreationFeedback& feedback, ExecutionGraphPipeline& graph) {
  graph.id = context.id;
  graph.is_library = context.IsLibrary();
  graph.allows_derivatives = (context.flags & VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT) != 0;
  if (CreationResult found = FindNodeLayout(context, info.layout, graph.layout); !found.Succeeded()) return found;
  std::vector<StageNode> stages = StagesOf(info);
  CollectNodes(context.device, stages, OnFailure::kStop);
  for (StageNode& stage : stages)
    if (!stage.failure.Succeeded()) return std::move(stage.failure);
  std::vector<LibraryNode> library_nodes;
  if (info.pLibraryInfo) {
    CreationResult collected = CollectLibraryNodes(context, *info.pLibraryInfo, *graph.layout, library_nodes);
    if (!collected.Succeeded()) return collected;
  }
  if (CreationResult linked = Link(context, stages, library_nodes, graph); !linked.Succeeded()) return linked;
  if (!graph.is_library) {
    WarnOfSeveredNodes(graph);
    if (CreationResult uploaded = UploadTables(graph); !uploaded.Succeeded()) return uploaded;
    LeaveOutOfBatches(context.device.settings, stages, graph.graph);
  }

  CompileTimes times;
  CreationResult compiled = CompileStages(context, info.pNext, stages, feedback, times, graph);
  if (!compiled.Succeeded()) return compiled;
  for (LibraryNode& node : library_nodes)
    graph.AddNode(std::move(node.pipeline), NodeLabel(node.source.name, node.source.index));
  // After the nodes, because a graph whose nodes fail needs no kernels.
  CompileTimes kernel_times;
  CreationResult made =
      InternalKernels::Of(context.device)->Make(context, NeededKernels(graph), feedback, kernel_times, graph.kernels);
  if (!made.Succeeded()) return made;
  Describe(graph, stages, times, kernel_times);
  return {};
}

VkResult CreateOne(const CreationContext& context, const VkExecutionGraphPipelineCreateInfoAMDX& info,
                   VkPipeline& handle) {
  CreationFeedback feedback(info.pNext);
  auto graph = std::make_shared<ExecutionGraphPipeline>(context.device);
  if (const CreationResult built = Build(context, info, feedback, *graph); !built.Succeeded())
    return context.Report(built);
  feedback.Finish();
  const auto own_handle = HandleFromObject<VkPipeline>(graph.get());
  context.device.execution_graphs.Insert(own_handle, graph);
  for (const ExecutionGraphPipeline::CompiledNode& node : graph->nodes) node.pipeline->FinishCreation();
  handle = own_handle;
  return VK_SUCCESS;
}

}  // namespace

VkResult CreateExecutionGraphPipelines(Device& device, VkPipelineCache cache,
                                       std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos,
                                       const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  VkResult worst = VK_SUCCESS;
  for (size_t i = 0; i < infos.size(); ++i) {
    CreationContext context = {device, cache, allocator, NewPipelineId(), EffectivePipelineFlags(infos[i])};
    if (context.IsLibrary()) context.allocator = nullptr;
    const VkResult result = PermittedResult(CreateOne(context, infos[i], pipelines[i]));
    worst = WorseResult(worst, result);
    if (result != VK_SUCCESS && (context.flags & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT)) break;
  }
  return worst;
}

}  // namespace trellis
