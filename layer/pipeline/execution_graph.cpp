// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/execution_graph.h"

#include <algorithm>
#include <utility>

#include "layer/graph/describe.h"
#include "layer/pipeline/libraries.h"

namespace trellis {
namespace {

// Schedules of this many root sets are kept; a program that uses more of them makes the oldest again when it returns to
// it.
constexpr size_t kMaxSchedules = 64;

VkResult Misuse(Device& device, const std::string& text) {
  device.diagnostics.Error("TRELLIS-graph-query", text, {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
  return VK_ERROR_UNKNOWN;
}

}  // namespace

void ExecutionGraphPipeline::SetName(const char* name) {
  std::lock_guard lock(name_mutex_);
  name_ = name ? name : "";
}

std::string ExecutionGraphPipeline::Name() const {
  std::lock_guard lock(name_mutex_);
  return name_;
}

void ExecutionGraphPipeline::AddNode(std::shared_ptr<NodePipeline> pipeline, std::string label) {
  std::string root_label = DispatchLabel(label, 0);
  nodes.push_back({std::move(pipeline), std::move(label), std::move(root_label)});
}

ScratchLayout ExecutionGraphPipeline::scratch_layout() const {
  return LayOutScratch({.slot_count = static_cast<uint32_t>(graph.slots.size()),
                        .level_count = graph.depth,
                        .launch_count = graph.launch_count,
                        .dynamic_launch_count = graph.dynamic_launch_count,
                        .search_index_count = graph.search_index_count,
                        .largest_record = graph.largest_record,
                        .size_every_level = device.settings.size_every_level,
                        .draw_launch_count = graph.mesh_launch_count});
}

std::shared_ptr<const LevelSchedule> ExecutionGraphPipeline::ScheduleFor(std::span<const uint32_t> roots) const {
  const auto has_roots = [roots](const CachedSchedule& cached) {
    return std::equal(roots.begin(), roots.end(), cached.roots.begin(), cached.roots.end());
  };
  {
    std::lock_guard lock(schedules_mutex_);
    const auto found = std::find_if(schedules_.begin(), schedules_.end(), has_roots);
    if (found != schedules_.end()) return found->schedule;
  }
  auto schedule = std::make_shared<const LevelSchedule>(AssignLevels(graph, roots));
  std::lock_guard lock(schedules_mutex_);
  if (schedules_.size() == kMaxSchedules) schedules_.erase(schedules_.begin());
  schedules_.push_back({{roots.begin(), roots.end()}, schedule});
  return schedule;
}

VkResult GetExecutionGraphPipelineScratchSize(Device& device, VkPipeline pipeline,
                                              VkExecutionGraphPipelineScratchSizeAMDX& size) {
  const std::shared_ptr<ExecutionGraphPipeline> graph = device.execution_graphs.Find(pipeline);
  if (!graph)
    return Misuse(device, "vkGetExecutionGraphPipelineScratchSizeAMDX: the pipeline is not an execution graph");
  // Records live in the ring, so more scratch would not be used: applications that allocate maxSize get what they need
  // and no more.
  size.minSize = graph->scratch_layout().size;
  size.maxSize = size.minSize;
  size.sizeGranularity = kScratchAlignment;
  return VK_SUCCESS;
}

VkResult GetExecutionGraphPipelineNodeIndex(Device& device, VkPipeline pipeline,
                                            const VkPipelineShaderStageNodeCreateInfoAMDX& node, uint32_t& index) {
  index = VK_SHADER_INDEX_UNUSED_AMDX;
  const std::shared_ptr<ExecutionGraphPipeline> graph = device.execution_graphs.Find(pipeline);
  if (!graph) return Misuse(device, "vkGetExecutionGraphPipelineNodeIndexAMDX: the pipeline is not an execution graph");
  if (!node.pName) return Misuse(device, "vkGetExecutionGraphPipelineNodeIndexAMDX: pName is null (VUID 09140)");
  if (node.index == VK_SHADER_INDEX_UNUSED_AMDX)
    return Misuse(device,
                  "vkGetExecutionGraphPipelineNodeIndexAMDX: index is VK_SHADER_INDEX_UNUSED_AMDX (VUID 09141)");
  const uint32_t found = graph->graph.FindNode(node.pName, node.index);
  if (found == kNoNode)
    return Misuse(device, "vkGetExecutionGraphPipelineNodeIndexAMDX: there is no node " +
                              NodeLabel(node.pName, node.index) + " (VUID 09142)");
  index = found;
  return VK_SUCCESS;
}

std::vector<VkPipeline> DriverPipelines(const Device& device, VkPipeline pipeline) {
  std::vector<VkPipeline> below;
  const auto add = [&below](const std::shared_ptr<NodePipeline>& node) {
    if (node && std::find(below.begin(), below.end(), node->handle()) == below.end()) below.push_back(node->handle());
  };
  if (const auto library = device.node_libraries.Find(pipeline)) add(library->node.pipeline);
  if (const auto graph = device.execution_graphs.Find(pipeline))
    for (const ExecutionGraphPipeline::CompiledNode& node : graph->nodes) add(node.pipeline);
  return below;
}

void DestroyOwnPipeline(Device& device, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
  // Before the address that is its handle may belong to another pipeline.
  device.private_data.Forget(HandleToU64(pipeline));
  device.node_libraries.Take(pipeline);
  const std::shared_ptr<ExecutionGraphPipeline> graph = device.execution_graphs.Take(pipeline);
  if (!graph) return;
  for (ExecutionGraphPipeline::CompiledNode& node : graph->nodes) {
    if (node.pipeline) node.pipeline->Release(allocator);
    node.pipeline.reset();
  }
}

}  // namespace trellis
