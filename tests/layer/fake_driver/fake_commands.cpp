// SPDX-License-Identifier: Apache-2.0
// The fake driver's commands that go into command buffers.
#include <string>
#include <unordered_map>

#include "tests/layer/fake_driver/driver_function.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

namespace {

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer command_buffer, const VkCommandBufferBeginInfo*) {
  Record(command_buffer, "BeginCommandBuffer");
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer command_buffer) {
  Record(command_buffer, "EndCommandBuffer");
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer command_buffer, VkCommandBufferResetFlags) {
  Record(command_buffer, "ResetCommandBuffer");
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                           VkPipeline pipeline) {
  DriverCall& call = Record(command_buffer, "CmdBindPipeline");
  call.bind_point = bind_point;
  call.object = (uint64_t)pipeline;
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet* sets, uint32_t dynamic_count,
                                                 const uint32_t* dynamic_offsets) {
  DriverCall& call = Record(command_buffer, "CmdBindDescriptorSets");
  call.bind_point = bind_point;
  call.layout = (uint64_t)layout;
  call.first = first;
  for (uint32_t i = 0; i < count; ++i) call.objects.push_back((uint64_t)sets[i]);
  call.dynamic_offsets.assign(dynamic_offsets, dynamic_offsets + dynamic_count);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets2(VkCommandBuffer command_buffer,
                                                  const VkBindDescriptorSetsInfo* info) {
  Record(command_buffer, "CmdBindDescriptorSets2").stages = info->stageFlags;
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer command_buffer, VkPipelineLayout layout,
                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                            const void* values) {
  DriverCall& call = Record(command_buffer, "CmdPushConstants");
  call.layout = (uint64_t)layout;
  call.stages = stages;
  call.offset = offset;
  const auto* bytes = static_cast<const uint8_t*>(values);
  call.bytes.assign(bytes, bytes + size);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                                VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                const VkWriteDescriptorSet* writes) {
  DriverCall& call = Record(command_buffer, "CmdPushDescriptorSet");
  call.bind_point = bind_point;
  call.layout = (uint64_t)layout;
  call.first = set;
  call.writes.assign(writes, writes + count);
  for (uint32_t i = 0; i < count; ++i)
    if (writes[i].pBufferInfo) call.objects.push_back((uint64_t)writes[i].pBufferInfo[0].buffer);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate(VkCommandBuffer command_buffer, VkDescriptorUpdateTemplate,
                                                            VkPipelineLayout, uint32_t, const void*) {
  Record(command_buffer, "CmdPushDescriptorSetWithTemplate");
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants2(VkCommandBuffer command_buffer, const VkPushConstantsInfo* info) {
  Record(command_buffer, "CmdPushConstants2").layout = (uint64_t)info->layout;
}
VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet2(VkCommandBuffer command_buffer, const VkPushDescriptorSetInfo* info) {
  Record(command_buffer, "CmdPushDescriptorSet2").layout = (uint64_t)info->layout;
}
VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate2(VkCommandBuffer command_buffer,
                                                             const VkPushDescriptorSetWithTemplateInfo* info) {
  Record(command_buffer, "CmdPushDescriptorSetWithTemplate2").layout = (uint64_t)info->layout;
}

VKAPI_ATTR void VKAPI_CALL CmdBeginConditionalRenderingEXT(VkCommandBuffer command_buffer,
                                                           const VkConditionalRenderingBeginInfoEXT* info) {
  Record(command_buffer, "CmdBeginConditionalRenderingEXT").object = (uint64_t)info->buffer;
}
VKAPI_ATTR void VKAPI_CALL CmdEndConditionalRenderingEXT(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdEndConditionalRenderingEXT");
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer command_buffer,
                                                            VkPipelineBindPoint bind_point, VkPipelineLayout layout,
                                                            uint32_t first, uint32_t, const uint32_t*,
                                                            const VkDeviceSize* offsets) {
  DriverCall& call = Record(command_buffer, "CmdSetDescriptorBufferOffsetsEXT");
  call.bind_point = bind_point;
  call.layout = (uint64_t)layout;
  call.first = first;
  call.object = offsets[0];
}
VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer command_buffer,
                                                             const VkSetDescriptorBufferOffsetsInfoEXT* info) {
  Record(command_buffer, "CmdSetDescriptorBufferOffsets2EXT").layout = (uint64_t)info->layout;
}
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer command_buffer,
                                                                      VkPipelineBindPoint bind_point,
                                                                      VkPipelineLayout layout, uint32_t set) {
  DriverCall& call = Record(command_buffer, "CmdBindDescriptorBufferEmbeddedSamplersEXT");
  call.bind_point = bind_point;
  call.layout = (uint64_t)layout;
  call.first = set;
}
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer command_buffer, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* info) {
  Record(command_buffer, "CmdBindDescriptorBufferEmbeddedSamplers2EXT").layout = (uint64_t)info->layout;
}

VKAPI_ATTR void VKAPI_CALL CmdBindShadersEXT(VkCommandBuffer command_buffer, uint32_t count,
                                             const VkShaderStageFlagBits* stages, const VkShaderEXT* shaders) {
  DriverCall& call = Record(command_buffer, "CmdBindShadersEXT");
  for (uint32_t i = 0; i < count; ++i) {
    call.stages |= stages[i];
    call.objects.push_back(shaders ? (uint64_t)shaders[i] : 0);
  }
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer command_buffer, uint32_t x, uint32_t y, uint32_t z) {
  Record(command_buffer, "CmdDispatch").dynamic_offsets = {x, y, z};
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksEXT(VkCommandBuffer command_buffer, uint32_t x, uint32_t y, uint32_t z) {
  Record(command_buffer, "CmdDrawMeshTasksEXT").dynamic_offsets = {x, y, z};
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMeshTasksIndirectEXT(VkCommandBuffer command_buffer, VkBuffer buffer,
                                                       VkDeviceSize offset, uint32_t draw_count, uint32_t) {
  DriverCall& call = Record(command_buffer, "CmdDrawMeshTasksIndirectEXT");
  call.object = (uint64_t)buffer;
  call.offset = static_cast<uint32_t>(offset);
  call.dynamic_offsets = {draw_count};
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchBase(VkCommandBuffer command_buffer, uint32_t base_x, uint32_t base_y,
                                           uint32_t base_z, uint32_t x, uint32_t y, uint32_t z) {
  Record(command_buffer, "CmdDispatchBase").dynamic_offsets = {base_x, base_y, base_z, x, y, z};
}

VKAPI_ATTR void VKAPI_CALL CmdSetDeviceMask(VkCommandBuffer command_buffer, uint32_t mask) {
  Record(command_buffer, "CmdSetDeviceMask").flags = mask;
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer command_buffer, VkBuffer buffer, VkDeviceSize offset) {
  DriverCall& call = Record(command_buffer, "CmdDispatchIndirect");
  call.object = (uint64_t)buffer;
  call.offset = static_cast<uint32_t>(offset);
}

// Of memory barriers the first one alone.
VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier(VkCommandBuffer command_buffer, VkPipelineStageFlags source,
                                              VkPipelineStageFlags destination, VkDependencyFlags, uint32_t count,
                                              const VkMemoryBarrier* barriers, uint32_t, const VkBufferMemoryBarrier*,
                                              uint32_t, const VkImageMemoryBarrier*) {
  DriverCall& call = Record(command_buffer, "CmdPipelineBarrier");
  call.dynamic_offsets = {source, destination};
  if (count != 0)
    call.dynamic_offsets.insert(call.dynamic_offsets.end(), {barriers->srcAccessMask, barriers->dstAccessMask});
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer command_buffer, uint32_t, const VkCommandBuffer*) {
  Record(command_buffer, "CmdExecuteCommands");
}

VKAPI_ATTR void VKAPI_CALL CmdBindIndexBuffer(VkCommandBuffer command_buffer, VkBuffer buffer, VkDeviceSize offset,
                                              VkIndexType) {
  DriverCall& call = Record(command_buffer, "CmdBindIndexBuffer");
  call.object = (uint64_t)buffer;
  call.offset = static_cast<uint32_t>(offset);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBuffer(VkCommandBuffer command_buffer, VkBuffer, VkBuffer, uint32_t,
                                         const VkBufferCopy*) {
  Record(command_buffer, "CmdCopyBuffer");
}
VKAPI_ATTR void VKAPI_CALL CmdFillBuffer(VkCommandBuffer command_buffer, VkBuffer, VkDeviceSize, VkDeviceSize,
                                         uint32_t) {
  Record(command_buffer, "CmdFillBuffer");
}
VKAPI_ATTR void VKAPI_CALL CmdUpdateBuffer(VkCommandBuffer command_buffer, VkBuffer, VkDeviceSize, VkDeviceSize,
                                           const void*) {
  Record(command_buffer, "CmdUpdateBuffer");
}

VKAPI_ATTR void VKAPI_CALL CmdResetQueryPool(VkCommandBuffer command_buffer, VkQueryPool, uint32_t, uint32_t) {
  Record(command_buffer, "CmdResetQueryPool");
}
VKAPI_ATTR void VKAPI_CALL CmdWriteTimestamp(VkCommandBuffer command_buffer, VkPipelineStageFlagBits, VkQueryPool,
                                             uint32_t query) {
  Record(command_buffer, "CmdWriteTimestamp").first = query;
}
VKAPI_ATTR void VKAPI_CALL CmdCopyQueryPoolResults(VkCommandBuffer command_buffer, VkQueryPool, uint32_t, uint32_t,
                                                   VkBuffer, VkDeviceSize, VkDeviceSize, VkQueryResultFlags) {
  Record(command_buffer, "CmdCopyQueryPoolResults");
}

// Of an extension that no registry has.
VKAPI_ATTR void VKAPI_CALL CmdNewerThanTrellis(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdNewerThanTrellis");
}
VKAPI_ATTR void VKAPI_CALL CmdEndNewerThanTrellis(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdEndNewerThanTrellis");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginDebugUtilsLabelEXT(VkCommandBuffer command_buffer,
                                                      const VkDebugUtilsLabelEXT* label) {
  Record(command_buffer, "CmdBeginDebugUtilsLabelEXT").text = label->pLabelName;
}
VKAPI_ATTR void VKAPI_CALL CmdEndDebugUtilsLabelEXT(VkCommandBuffer command_buffer) {
  Record(command_buffer, "CmdEndDebugUtilsLabelEXT");
}

}  // namespace

PFN_vkVoidFunction FakeCommandFunction(const char* name) {
  static const FunctionTable table = {
      TRELLIS_FAKE(BeginCommandBuffer),
      TRELLIS_FAKE(CmdBeginConditionalRenderingEXT),
      TRELLIS_FAKE(CmdBeginDebugUtilsLabelEXT),
      TRELLIS_FAKE(CmdBindDescriptorBufferEmbeddedSamplers2EXT),
      TRELLIS_FAKE(CmdBindDescriptorBufferEmbeddedSamplersEXT),
      TRELLIS_FAKE(CmdBindDescriptorSets),
      TRELLIS_FAKE(CmdBindDescriptorSets2),
      TRELLIS_FAKE(CmdBindIndexBuffer),
      TRELLIS_FAKE(CmdBindPipeline),
      TRELLIS_FAKE(CmdBindShadersEXT),
      TRELLIS_FAKE(CmdCopyBuffer),
      TRELLIS_FAKE(CmdCopyQueryPoolResults),
      TRELLIS_FAKE(CmdDispatch),
      TRELLIS_FAKE(CmdDispatchBase),
      TRELLIS_FAKE(CmdDispatchIndirect),
      TRELLIS_FAKE(CmdDrawMeshTasksEXT),
      TRELLIS_FAKE(CmdDrawMeshTasksIndirectEXT),
      TRELLIS_FAKE(CmdEndConditionalRenderingEXT),
      TRELLIS_FAKE(CmdEndDebugUtilsLabelEXT),
      {"vkCmdNewerThanTrellis", DriverFunction<PFN_vkCmdEndRendering, &CmdNewerThanTrellis>()},
      {"vkCmdEndNewerThanTrellis", DriverFunction<PFN_vkCmdEndRendering, &CmdEndNewerThanTrellis>()},
      TRELLIS_FAKE(CmdExecuteCommands),
      TRELLIS_FAKE(CmdFillBuffer),
      TRELLIS_FAKE(CmdPipelineBarrier),
      TRELLIS_FAKE(CmdPushConstants),
      TRELLIS_FAKE(CmdPushConstants2),
      TRELLIS_FAKE(CmdPushDescriptorSet),
      TRELLIS_FAKE(CmdPushDescriptorSet2),
      TRELLIS_FAKE(CmdPushDescriptorSetWithTemplate),
      TRELLIS_FAKE(CmdPushDescriptorSetWithTemplate2),
      TRELLIS_FAKE(CmdResetQueryPool),
      TRELLIS_FAKE(CmdSetDescriptorBufferOffsets2EXT),
      TRELLIS_FAKE(CmdSetDescriptorBufferOffsetsEXT),
      TRELLIS_FAKE(CmdSetDeviceMask),
      TRELLIS_FAKE(CmdUpdateBuffer),
      TRELLIS_FAKE(CmdWriteTimestamp),
      TRELLIS_FAKE(EndCommandBuffer),
      TRELLIS_FAKE(ResetCommandBuffer),
  };
  return FindFunction(table, name);
}

}  // namespace trellis::test
