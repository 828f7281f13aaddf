// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>

#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/replay.h"
#include "layer/validation/graph_commands.h"
#include "layer/validation/graph_creation.h"
#include "layer/validation/graph_queries.h"

namespace trellis::entry {

namespace {

bool RefuseNull(CommandBuffer& command_buffer, const char* command, const VkDispatchGraphCountInfoAMDX* count_info) {
  if (count_info) return false;
  command_buffer.Refuse("TRELLIS-graph-dispatch-misuse",
                        std::string(command) + ": pCountInfo is NULL (VUID-" + command + "-pCountInfo-parameter)",
                        VK_ERROR_VALIDATION_FAILED_EXT);
  return true;
}

MessageObject ObjectOf(const Device& device) { return {VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}; }

void Report(const CommandBuffer& command_buffer, const Findings& findings) {
  ReportFindings(command_buffer.device.diagnostics, findings,
                 {VK_OBJECT_TYPE_COMMAND_BUFFER, HandleToU64(command_buffer.handle)});
}

void ReportNodeFindings(const Device& device, std::span<const VkPipeline> pipelines) {
  for (VkPipeline pipeline : pipelines)
    if (const std::shared_ptr<const ExecutionGraphPipeline> graph = device.execution_graphs.Find(pipeline))
      ReportFindings(device.diagnostics, CheckGraphNodes(*graph), {VK_OBJECT_TYPE_PIPELINE, HandleToU64(pipeline)});
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateExecutionGraphPipelinesAMDX(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                                 const VkExecutionGraphPipelineCreateInfoAMDX* infos,
                                                                 const VkAllocationCallbacks* allocator,
                                                                 VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const bool validate = object->settings.validate;
  std::fill_n(pipelines, count, VkPipeline{VK_NULL_HANDLE});
  if (validate)
    ReportFindings(object->diagnostics, CheckGraphCreation(*object, cache, {infos, count}), ObjectOf(*object));
  const VkResult result = CreateExecutionGraphPipelines(*object, cache, {infos, count}, allocator, pipelines);
  if (validate) ReportNodeFindings(*object, {pipelines, count});
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetExecutionGraphPipelineScratchSizeAMDX(VkDevice device, VkPipeline pipeline,
                                                                        VkExecutionGraphPipelineScratchSizeAMDX* size) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (object->settings.validate) ReportFindings(object->diagnostics, CheckScratchSizeQuery(*size), ObjectOf(*object));
  return GetExecutionGraphPipelineScratchSize(*object, pipeline, *size);
}

VKAPI_ATTR VkResult VKAPI_CALL GetExecutionGraphPipelineNodeIndexAMDX(
    VkDevice device, VkPipeline pipeline, const VkPipelineShaderStageNodeCreateInfoAMDX* node, uint32_t* index) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (object->settings.validate) ReportFindings(object->diagnostics, CheckNodeIndexQuery(*node), ObjectOf(*object));
  return GetExecutionGraphPipelineNodeIndex(*object, pipeline, *node, *index);
}

VKAPI_ATTR void VKAPI_CALL CmdInitializeGraphScratchMemoryAMDX(VkCommandBuffer command_buffer, VkPipeline pipeline,
                                                               VkDeviceAddress scratch, VkDeviceSize scratch_size) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (object->device.settings.validate) {
    Report(*object, CheckScratchInitialization(*object, pipeline, {scratch, scratch_size}));
    RememberScratchInitialization(*object, pipeline, {scratch, scratch_size});
  }
  InitializeGraphScratch(*object, pipeline, scratch, scratch_size);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                VkDeviceSize scratch_size,
                                                const VkDispatchGraphCountInfoAMDX* count_info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (RefuseNull(*object, "vkCmdDispatchGraphAMDX", count_info)) return;
  if (object->device.settings.validate)
    Report(*object, CheckDispatchGraph(*object, {scratch, scratch_size}, *count_info));
  DispatchGraph(*object, scratch, scratch_size, *count_info);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                        VkDeviceSize scratch_size,
                                                        const VkDispatchGraphCountInfoAMDX* count_info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (RefuseNull(*object, "vkCmdDispatchGraphIndirectAMDX", count_info)) return;
  if (object->device.settings.validate)
    Report(*object, CheckDispatchGraphIndirect(*object, {scratch, scratch_size}, *count_info));
  DispatchGraphIndirect(*object, scratch, scratch_size, *count_info);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectCountAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                             VkDeviceSize scratch_size, VkDeviceAddress count_info) {
  const std::shared_ptr<CommandBuffer> object = FindCommandBuffer(command_buffer);
  if (object->device.settings.validate)
    Report(*object, CheckDispatchGraphIndirectCount(*object, {scratch, scratch_size}, count_info));
  DispatchGraphIndirectCount(*object, scratch, scratch_size, count_info);
}

}  // namespace trellis::entry
