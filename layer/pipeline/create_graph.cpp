// vkCreateExecutionGraphPipelinesAMDX.
#include <atomic>
#include <cstring>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/diagnostics/label.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/graph/describe.h"
#include "layer/graph/link.h"
#include "layer/graph/tables.h"
#include "layer/pipeline/compile_node.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/pipeline/node_sources.h"

namespace trellis {
namespace {

uint32_t NewGraphId() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

VkPipelineCreateFlags2 FlagsOf(const VkExecutionGraphPipelineCreateInfoAMDX& info) {
  const auto* flags2 =
      FindStruct<VkPipelineCreateFlags2CreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
  return flags2 ? flags2->flags : VkPipelineCreateFlags2{info.flags};
}

// What a create info may ask for that is not implemented.
VkResult CheckRequest(const CreationContext& context, const VkExecutionGraphPipelineCreateInfoAMDX& info) {
  if (context.flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR)
    return context.Refuse("pipeline libraries of execution graphs are not supported yet");
  if (info.pLibraryInfo && info.pLibraryInfo->libraryCount != 0)
    return context.Refuse("nodes from pipeline libraries are not supported yet");
  return VK_SUCCESS;
}

VkResult FindLayout(const CreationContext& context, VkPipelineLayout handle, std::shared_ptr<PipelineLayout>& layout) {
  if (handle == VK_NULL_HANDLE)
    return context.Refuse("there is no pipeline layout; descriptor heaps are not supported");
  layout = context.device.pipeline_layouts.Find(handle);
  if (!layout || layout->node_layout == VK_NULL_HANDLE) return context.Refuse("the pipeline layout is not known");
  if (layout->push_constants_full)
    return context.Refuse(
        "the pipeline layout's COMPUTE push constants end at byte " + std::to_string(layout->push_constant_end) +
        " of " + std::to_string(context.device.traits.limits.maxPushConstantsSize) + ", and launching nodes needs " +
        std::to_string(kLaunchPushConstantBytes) + " bytes above them");
  return VK_SUCCESS;
}

VkResult UploadTables(const CreationContext& context, ExecutionGraphPipeline& graph) {
  const TableLayout layout = LayoutTables(graph.graph);
  Expected<DeviceBuffer> buffer =
      DeviceBuffer::Create(context.device, layout.size, BufferMemory::kHostLocal, "Trellis graph tables");
  if (!buffer) return context.Fail(VK_ERROR_OUT_OF_DEVICE_MEMORY, buffer.error().message);
  graph.tables = *std::move(buffer);
  const std::vector<std::byte> bytes = WriteTables(graph.graph, layout, graph.tables.address());
  std::memcpy(graph.tables.data(), bytes.data(), bytes.size());
  for (uint64_t offset : layout.outputs) graph.outputs_address.push_back(graph.tables.address() + offset);
  return VK_SUCCESS;
}

// Destroys the nodes' pipelines with the allocator that made them, unless the graph is complete.
class [[nodiscard]] UnfinishedGraph {
 public:
  UnfinishedGraph(const CreationContext& context, ExecutionGraphPipeline& graph) : context_(context), graph_(&graph) {}
  ~UnfinishedGraph() {
    if (graph_) graph_->DestroyNodePipelines(context_.allocator);
  }
  UnfinishedGraph(const UnfinishedGraph&) = delete;
  UnfinishedGraph& operator=(const UnfinishedGraph&) = delete;
  void Finish() { graph_ = nullptr; }

 private:
  const CreationContext& context_;
  ExecutionGraphPipeline* graph_;
};

VkResult CompileNodes(const CreationContext& context, const void* chain, const std::vector<StageNode>& stages,
                      CreationFeedback& feedback, ExecutionGraphPipeline& graph) {
  for (const StageNode& stage : stages)
    graph.nodes.push_back({VK_NULL_HANDLE, NodeLabel(stage.source.name, stage.source.index)});
  for (uint32_t i = 0; i < stages.size(); ++i) {
    ExecutionGraphPipeline::CompiledNode& node = graph.nodes[i];
    CompiledShader compiled;
    const VkResult result =
        CompileNode(context, {stages[i], *graph.layout, node.label, chain, feedback.Wanted()}, compiled);
    if (result != VK_SUCCESS) return result;
    node.pipeline = compiled.pipeline;
    NameObject(context.device, VK_OBJECT_TYPE_PIPELINE, HandleToU64(compiled.pipeline), "node " + node.label);
    feedback.AddNode(i, compiled.feedback, stages[i].reflect_nanoseconds + compiled.lower_nanoseconds);
  }
  return VK_SUCCESS;
}

VkResult CreateOne(const CreationContext& context, ModuleReader& reader,
                   const VkExecutionGraphPipelineCreateInfoAMDX& info, VkPipeline& handle) {
  CreationFeedback feedback(info.pNext);
  if (const VkResult result = CheckRequest(context, info); result != VK_SUCCESS) return result;
  auto graph = std::make_shared<ExecutionGraphPipeline>(context.device);
  UnfinishedGraph unfinished(context, *graph);
  graph->id = context.graph_id;
  if (const VkResult result = FindLayout(context, info.layout, graph->layout); result != VK_SUCCESS) return result;

  std::vector<StageNode> stages;
  if (const VkResult result = CollectNodeSources(context, reader, {info.pStages, info.stageCount}, stages);
      result != VK_SUCCESS)
    return result;
  std::vector<NodeSource> sources;
  for (const StageNode& stage : stages) sources.push_back(stage.source);
  Expected<Graph> linked = LinkGraph(std::move(sources), kMaxExecutionGraphDepth);
  if (!linked) return context.Refuse(linked.error().message);
  graph->graph = *std::move(linked);

  if (const VkResult result = UploadTables(context, *graph); result != VK_SUCCESS) return result;
  if (const VkResult result = CompileNodes(context, info.pNext, stages, feedback, *graph); result != VK_SUCCESS)
    return result;
  feedback.Finish();
  if (context.device.diagnostics.Wants(LogLevel::kDebug))
    context.device.diagnostics.Debug(
        "TRELLIS-graph-created", "execution graph " + std::to_string(graph->id) + "\n" + DescribeGraph(graph->graph));

  const auto own_handle = HandleFromObject<VkPipeline>(graph.get());
  context.device.execution_graphs.Insert(own_handle, graph);
  unfinished.Finish();
  handle = own_handle;
  return VK_SUCCESS;
}

// Of the results of several elements an error tells more than VK_PIPELINE_COMPILE_REQUIRED; else the first one counts.
VkResult Worse(VkResult so_far, VkResult next) {
  if (so_far < 0 || next == VK_SUCCESS) return so_far;
  return so_far == VK_SUCCESS || next < 0 ? next : so_far;
}

// The command may return few results; what else the driver says is "unknown".
VkResult Permitted(VkResult result) {
  switch (result) {
    case VK_SUCCESS:
    case VK_PIPELINE_COMPILE_REQUIRED:
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_VALIDATION_FAILED_EXT:
      return result;
    default:
      return VK_ERROR_UNKNOWN;
  }
}

}  // namespace

VkResult CreateExecutionGraphPipelines(Device& device, VkPipelineCache cache,
                                       std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos,
                                       const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  for (size_t i = 0; i < infos.size(); ++i) pipelines[i] = VK_NULL_HANDLE;
  ModuleReader reader;
  VkResult worst = VK_SUCCESS;
  for (size_t i = 0; i < infos.size(); ++i) {
    const CreationContext context = {device, cache, allocator, NewGraphId(), FlagsOf(infos[i])};
    const VkResult result = Permitted(CreateOne(context, reader, infos[i], pipelines[i]));
    worst = Worse(worst, result);
    if (result != VK_SUCCESS && (context.flags & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT)) break;
  }
  return worst;
}

}  // namespace trellis
