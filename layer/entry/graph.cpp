#include <string>

#include "layer/entry/hooks.h"
#include "layer/entry/recording.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

namespace {

// Refuses a command: `why` begins with its name. vkEndCommandBuffer returns the error.
void Refuse(CommandBuffer& recording, const std::string& why) {
  recording.device.diagnostics.Error("TRELLIS-not-implemented", why,
                                     {{VK_OBJECT_TYPE_COMMAND_BUFFER, HandleToU64(recording.handle)}});
  recording.RememberError(VK_ERROR_UNKNOWN);  // of the few results that vkEndCommandBuffer may return
}

// Vulkan allows no compute dispatch there, and nothing can be moved out of a render pass that is being recorded.
bool RefuseInRenderPass(CommandBuffer& recording, const char* command) {
  if (!recording.inside_render_pass) return false;
  Refuse(recording, std::string(command) + " inside a render pass is not implemented yet: record it before");
  return true;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateExecutionGraphPipelinesAMDX(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                                 const VkExecutionGraphPipelineCreateInfoAMDX* infos,
                                                                 const VkAllocationCallbacks* allocator,
                                                                 VkPipeline* pipelines) {
  return CreateExecutionGraphPipelines(*FindDevice(device), cache, {infos, count}, allocator, pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL GetExecutionGraphPipelineScratchSizeAMDX(VkDevice device, VkPipeline pipeline,
                                                                        VkExecutionGraphPipelineScratchSizeAMDX* size) {
  return GetExecutionGraphPipelineScratchSize(*FindDevice(device), pipeline, *size);
}

VKAPI_ATTR VkResult VKAPI_CALL GetExecutionGraphPipelineNodeIndexAMDX(
    VkDevice device, VkPipeline pipeline, const VkPipelineShaderStageNodeCreateInfoAMDX* node, uint32_t* index) {
  return GetExecutionGraphPipelineNodeIndex(*FindDevice(device), pipeline, *node, *index);
}

VKAPI_ATTR void VKAPI_CALL CmdInitializeGraphScratchMemoryAMDX(VkCommandBuffer command_buffer, VkPipeline pipeline,
                                                               VkDeviceAddress scratch, VkDeviceSize scratch_size) {
  InitializeGraphScratch(*Recording(command_buffer), pipeline, scratch, scratch_size);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                VkDeviceSize scratch_size,
                                                const VkDispatchGraphCountInfoAMDX* count_info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  if (!RefuseInRenderPass(*recording, "vkCmdDispatchGraphAMDX"))
    DispatchGraph(*recording, scratch, scratch_size, *count_info);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                        VkDeviceSize scratch_size,
                                                        const VkDispatchGraphCountInfoAMDX* count_info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  if (!RefuseInRenderPass(*recording, "vkCmdDispatchGraphIndirectAMDX"))
    DispatchGraphIndirect(*recording, scratch, scratch_size, *count_info);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchGraphIndirectCountAMDX(VkCommandBuffer command_buffer, VkDeviceAddress scratch,
                                                             VkDeviceSize scratch_size, VkDeviceAddress count_info) {
  const std::shared_ptr<CommandBuffer> recording = Recording(command_buffer);
  if (!RefuseInRenderPass(*recording, "vkCmdDispatchGraphIndirectCountAMDX"))
    DispatchGraphIndirectCount(*recording, scratch, scratch_size, count_info);
}

}  // namespace trellis::entry
