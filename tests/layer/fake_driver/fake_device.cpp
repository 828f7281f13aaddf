// SPDX-License-Identifier: Apache-2.0
// The fake driver's device commands that record nothing into command buffers.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "layer/dispatch/function_lists.h"
#include "layer/dispatch/struct_chain.h"
#include "tests/layer/fake_driver/driver_function.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

namespace {

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks*) {
  DriverOf(device).Record("DestroyDevice");
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  *queue = DriverOf(device).QueueOf(device, family, index);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  GetDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, queue);
}

// Commands that make an object and are recorded with its handle: what is special about each goes into `fill`.
template <typename Handle, typename Fill>
VkResult Create(VkDevice device, const char* name, Handle* handle, Fill&& fill) {
  FakeDriver& driver = DriverOf(device);
  const VkResult result = driver.TakeNextResult();
  DriverCall& call = driver.Record(name);
  fill(call);
  if (result != VK_SUCCESS) return result;
  call.object = driver.MakeHandle();
  *handle = (Handle)call.object;
  return VK_SUCCESS;
}

#define CREATE(command, Info, Handle)                                                                         \
  VKAPI_ATTR VkResult VKAPI_CALL command(VkDevice device, const Info* info, const VkAllocationCallbacks*,     \
                                         Handle* handle) {                                                    \
    return Create(device, #command, handle, [info](DriverCall& call) { call.chain = TypesIn(info->pNext); }); \
  }
#define DESTROY(command, Handle)                                                                     \
  VKAPI_ATTR void VKAPI_CALL command(VkDevice device, Handle handle, const VkAllocationCallbacks*) { \
    DriverOf(device).Record(#command).object = (uint64_t)handle;                                     \
  }

CREATE(CreateBufferView, VkBufferViewCreateInfo, VkBufferView)
CREATE(CreateCommandPool, VkCommandPoolCreateInfo, VkCommandPool)
CREATE(CreateDescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
CREATE(CreateFence, VkFenceCreateInfo, VkFence)
CREATE(CreateQueryPool, VkQueryPoolCreateInfo, VkQueryPool)
CREATE(CreateImage, VkImageCreateInfo, VkImage)
CREATE(CreatePipelineCache, VkPipelineCacheCreateInfo, VkPipelineCache)
CREATE(CreateShaderModule, VkShaderModuleCreateInfo, VkShaderModule)
DESTROY(DestroyBuffer, VkBuffer)
DESTROY(DestroyCommandPool, VkCommandPool)
DESTROY(DestroyDescriptorSetLayout, VkDescriptorSetLayout)
DESTROY(DestroyDescriptorUpdateTemplate, VkDescriptorUpdateTemplate)
DESTROY(DestroyFence, VkFence)
DESTROY(DestroyQueryPool, VkQueryPool)
DESTROY(DestroyImage, VkImage)
DESTROY(DestroyPipeline, VkPipeline)
DESTROY(DestroyPipelineCache, VkPipelineCache)
DESTROY(DestroyPipelineLayout, VkPipelineLayout)
DESTROY(DestroyPrivateDataSlot, VkPrivateDataSlot)
DESTROY(DestroyShaderModule, VkShaderModule)

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice device,
                                                              const VkDescriptorUpdateTemplateCreateInfo* info,
                                                              const VkAllocationCallbacks*,
                                                              VkDescriptorUpdateTemplate* handle) {
  return Create(device, "CreateDescriptorUpdateTemplate", handle,
                [info](DriverCall& call) { call.bind_point = info->pipelineBindPoint; });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks*, VkBuffer* buffer) {
  const VkResult result = Create(device, "CreateBuffer", buffer, [info](DriverCall& call) {
    call.chain = TypesIn(info->pNext);
    const auto* flags2 = FindStruct<VkBufferUsageFlags2CreateInfo>(info->pNext);
    call.flags = flags2 ? flags2->usage : info->usage;
  });
  if (result != VK_SUCCESS) return result;
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  driver.buffer_sizes[(uint64_t)*buffer] = info->size;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice device,
                                                             const VkDeviceBufferMemoryRequirements* info,
                                                             VkMemoryRequirements2* requirements) {
  DriverOf(device).Record("GetDeviceBufferMemoryRequirements").flags = info->pCreateInfo->usage;
  requirements->memoryRequirements = {info->pCreateInfo->size, DriverOf(device).options.buffer_alignment, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                    const VkAllocationCallbacks*, VkPipelineLayout* layout) {
  return Create(device, "CreatePipelineLayout", layout, [info](DriverCall& call) {
    call.flags = info->flags;
    for (uint32_t i = 0; i < info->setLayoutCount; ++i) call.objects.push_back((uint64_t)info->pSetLayouts[i]);
    // Ranges as {stages, offset, size} one after the other.
    for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
      const VkPushConstantRange& range = info->pPushConstantRanges[i];
      call.dynamic_offsets.insert(call.dynamic_offsets.end(), {range.stageFlags, range.offset, range.size});
    }
  });
}

template <typename Info>
VkResult CreatePipelines(VkDevice device, const char* name, uint32_t count, const Info* infos, VkPipeline* pipelines,
                         VkPipelineShaderStageCreateInfo (*first_stage)(const Info&)) {
  for (uint32_t i = 0; i < count; ++i) {
    const VkResult result = Create(device, name, &pipelines[i], [&](DriverCall& call) {
      const VkPipelineShaderStageCreateInfo stage = first_stage(infos[i]);
      call.flags = infos[i].flags;
      call.chain = TypesIn(infos[i].pNext);
      call.layout = (uint64_t)infos[i].layout;
      call.objects = {(uint64_t)stage.module};
      if (stage.pName) call.text = stage.pName;
    });
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks*, VkPipeline* pipelines) {
  return CreatePipelines<VkComputePipelineCreateInfo>(device, "CreateComputePipelines", count, infos, pipelines,
                                                      [](const auto& info) { return info.stage; });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks*, VkPipeline* pipelines) {
  return CreatePipelines<VkGraphicsPipelineCreateInfo>(device, "CreateGraphicsPipelines", count, infos, pipelines,
                                                       [](const auto& info) { return info.pStages[0]; });
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                       VkMemoryRequirements* requirements) {
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  *requirements = {driver.buffer_sizes[(uint64_t)buffer], driver.options.buffer_alignment, 1};
}
VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                                                        VkMemoryRequirements2* requirements) {
  GetBufferMemoryRequirements(device, info->buffer, &requirements->memoryRequirements);
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks*, VkDeviceMemory* memory) {
  FakeDriver& driver = DriverOf(device);
  const uint64_t handle = driver.MakeHandle();
  const std::lock_guard lock(driver.memory_mutex);
  if (driver.see_allocation)
    if (const VkResult result = driver.see_allocation(info->allocationSize); result != VK_SUCCESS) return result;
  driver.memories.try_emplace(handle, info->allocationSize, FakeDriver::kMemoryAlignment);
  ++driver.allocations;
  *memory = (VkDeviceMemory)handle;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks*) {
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  driver.memories.erase((uint64_t)memory);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize,
                                         VkMemoryMapFlags, void** data) {
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  *data = driver.memories.at((uint64_t)memory).data() + offset;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory) {}
VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                VkDeviceSize offset) {
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  driver.buffer_addresses[(uint64_t)buffer] = driver.memories.at((uint64_t)memory).data() + offset;
  return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo* info) {
  FakeDriver& driver = DriverOf(device);
  const std::lock_guard lock(driver.memory_mutex);
  return reinterpret_cast<VkDeviceAddress>(driver.buffer_addresses[(uint64_t)info->buffer]);
}

VKAPI_ATTR uint64_t VKAPI_CALL GetBufferOpaqueCaptureAddress(VkDevice, const VkBufferDeviceAddressInfo*) { return 0; }
VKAPI_ATTR uint64_t VKAPI_CALL GetDeviceMemoryOpaqueCaptureAddress(VkDevice,
                                                                   const VkDeviceMemoryOpaqueCaptureAddressInfo*) {
  return 0;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* command_buffers) {
  FakeDriver& driver = DriverOf(device);
  for (uint32_t i = 0; i < info->commandBufferCount; ++i)
    command_buffers[i] = static_cast<VkCommandBuffer>(driver.MakeDispatchable(device));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice device, VkCommandPool, uint32_t, const VkCommandBuffer*) {
  DriverOf(device).Record("FreeCommandBuffers");
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice, VkCommandPool, VkCommandPoolResetFlags) { return VK_SUCCESS; }
VKAPI_ATTR VkResult VKAPI_CALL ResetFences(VkDevice, uint32_t, const VkFence*) { return VK_SUCCESS; }

VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) { return DriverOf(device).queue_result; }
VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) { return DriverOf(queue).queue_result; }
VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice device, VkFence) { return DriverOf(device).queue_result; }
VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t, const VkFence*, VkBool32, uint64_t) {
  return DriverOf(device).queue_result;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo*, uint64_t) {
  return DriverOf(device).queue_result;
}
VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore, uint64_t* value) {
  *value = 0;
  return DriverOf(device).queue_result;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence) {
  DriverCall& call = DriverOf(queue).Record("QueueSubmit");
  call.object = reinterpret_cast<uint64_t>(queue);
  call.first = count;
  if (count != 0) call.chain = TypesIn(submits[0].pNext);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < submits[i].commandBufferCount; ++k)
      call.objects.push_back(reinterpret_cast<uint64_t>(submits[i].pCommandBuffers[k]));
  return DriverOf(queue).queue_result;
}
VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence) {
  DriverCall& call = DriverOf(queue).Record("QueueSubmit2");
  call.object = reinterpret_cast<uint64_t>(queue);
  call.first = count;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t k = 0; k < submits[i].commandBufferInfoCount; ++k)
      call.objects.push_back(reinterpret_cast<uint64_t>(submits[i].pCommandBufferInfos[k].commandBuffer));
  return DriverOf(queue).queue_result;
}

VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout(VkDevice, VkImage image, const VkImageSubresource* subresource,
                                                     VkSubresourceLayout* layout) {
  *layout = {(uint64_t)image, subresource->mipLevel, 3, 4, 5};
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
  DriverCall& call = DriverOf(device).Record("SetDebugUtilsObjectNameEXT");
  call.object = info->objectHandle;
  call.flags = info->objectType;
  call.text = info->pObjectName;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice device, const VkDebugUtilsObjectTagInfoEXT* info) {
  DriverCall& call = DriverOf(device).Record("SetDebugUtilsObjectTagEXT");
  call.object = info->objectHandle;
  call.flags = info->objectType;
  return VK_SUCCESS;
}

// Every pipeline has two executables, each with one statistic.
VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutablePropertiesKHR(VkDevice device, const VkPipelineInfoKHR* info,
                                                                  uint32_t* count,
                                                                  VkPipelineExecutablePropertiesKHR* properties) {
  constexpr uint32_t kExecutables = 2;
  DriverOf(device).Record("GetPipelineExecutablePropertiesKHR").object = (uint64_t)info->pipeline;
  const uint32_t given = properties ? std::min(*count, kExecutables) : kExecutables;
  for (uint32_t i = 0; properties && i < given; ++i) properties[i].stages = VK_SHADER_STAGE_COMPUTE_BIT;
  *count = given;
  return given < kExecutables ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableStatisticsKHR(VkDevice device,
                                                                  const VkPipelineExecutableInfoKHR* info,
                                                                  uint32_t* count, VkPipelineExecutableStatisticKHR*) {
  DriverCall& call = DriverOf(device).Record("GetPipelineExecutableStatisticsKHR");
  call.object = (uint64_t)info->pipeline;
  call.first = info->executableIndex;
  *count = 1;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelinePropertiesEXT(VkDevice device, const VkPipelineInfoEXT* info,
                                                        VkBaseOutStructure*) {
  DriverOf(device).Record("GetPipelinePropertiesEXT").object = (uint64_t)info->pipeline;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetShaderInfoAMD(VkDevice device, VkPipeline pipeline, VkShaderStageFlagBits,
                                                VkShaderInfoTypeAMD, size_t*, void*) {
  DriverOf(device).Record("GetShaderInfoAMD").object = (uint64_t)pipeline;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineBinariesKHR(VkDevice device, const VkPipelineBinaryCreateInfoKHR*,
                                                         const VkAllocationCallbacks*,
                                                         VkPipelineBinaryHandlesInfoKHR*) {
  DriverOf(device).Record("CreatePipelineBinariesKHR");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineKeyKHR(VkDevice device, const VkPipelineCreateInfoKHR*,
                                                 VkPipelineBinaryKeyKHR*) {
  DriverOf(device).Record("GetPipelineKeyKHR");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseCapturedPipelineDataKHR(VkDevice device,
                                                              const VkReleaseCapturedPipelineDataInfoKHR* info,
                                                              const VkAllocationCallbacks*) {
  DriverOf(device).Record("ReleaseCapturedPipelineDataKHR").object = (uint64_t)info->pipeline;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetShaderModuleIdentifierEXT(VkDevice device, VkShaderModule module,
                                                        VkShaderModuleIdentifierEXT* identifier) {
  DriverOf(device).Record("GetShaderModuleIdentifierEXT").object = (uint64_t)module;
  identifier->identifierSize = 1;
}

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice device, VkObjectType, uint64_t object, VkPrivateDataSlot,
                                              uint64_t) {
  DriverOf(device).Record("SetPrivateData").object = object;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice, VkObjectType, uint64_t, VkPrivateDataSlot, uint64_t* data) {
  *data = 0;
}

// The driver's own VK_AMDX_shader_enqueue, where it claims to have one: never called, but not null.
VKAPI_ATTR void VKAPI_CALL Native() {}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  return DriverOf(device).DeviceFunction(name);
}

}  // namespace

PFN_vkVoidFunction FakeDeviceFunction(const char* name) {
#define ALIAS(name, command) \
  { "vk" #name, DriverFunction<PFN_vk##name, &command>() }
#define NATIVE(command) {"vk" #command, Native},
  static const FunctionTable table = {
      TRELLIS_FAKE(AllocateCommandBuffers),
      TRELLIS_FAKE(AllocateMemory),
      TRELLIS_FAKE(BindBufferMemory),
      TRELLIS_FAKE(CreateBuffer),
      TRELLIS_FAKE(CreateBufferView),
      TRELLIS_FAKE(CreateCommandPool),
      TRELLIS_FAKE(CreateComputePipelines),
      TRELLIS_FAKE(CreateDescriptorSetLayout),
      TRELLIS_FAKE(CreateDescriptorUpdateTemplate),
      TRELLIS_FAKE(CreateFence),
      TRELLIS_FAKE(CreateQueryPool),
      TRELLIS_FAKE(CreateGraphicsPipelines),
      TRELLIS_FAKE(CreateImage),
      TRELLIS_FAKE(CreatePipelineBinariesKHR),
      TRELLIS_FAKE(CreatePipelineCache),
      TRELLIS_FAKE(CreatePipelineLayout),
      TRELLIS_FAKE(CreateShaderModule),
      TRELLIS_FAKE(DestroyBuffer),
      TRELLIS_FAKE(DestroyCommandPool),
      TRELLIS_FAKE(DestroyDescriptorSetLayout),
      TRELLIS_FAKE(DestroyDescriptorUpdateTemplate),
      TRELLIS_FAKE(DestroyDevice),
      TRELLIS_FAKE(DestroyFence),
      TRELLIS_FAKE(DestroyQueryPool),
      TRELLIS_FAKE(DestroyImage),
      TRELLIS_FAKE(DestroyPipeline),
      TRELLIS_FAKE(DestroyPipelineCache),
      TRELLIS_FAKE(DestroyPipelineLayout),
      TRELLIS_FAKE(DestroyPrivateDataSlot),
      TRELLIS_FAKE(DestroyShaderModule),
      TRELLIS_FAKE(DeviceWaitIdle),
      TRELLIS_FAKE(FlushMappedMemoryRanges),
      TRELLIS_FAKE(FreeCommandBuffers),
      TRELLIS_FAKE(FreeMemory),
      TRELLIS_FAKE(GetBufferDeviceAddress),
      TRELLIS_FAKE(GetBufferMemoryRequirements),
      TRELLIS_FAKE(GetBufferMemoryRequirements2),
      {"vkGetBufferMemoryRequirements2KHR",
       DriverFunction<PFN_vkGetBufferMemoryRequirements2, &GetBufferMemoryRequirements2>()},
      TRELLIS_FAKE(GetDeviceBufferMemoryRequirements),
      {"vkGetDeviceBufferMemoryRequirementsKHR",
       DriverFunction<PFN_vkGetDeviceBufferMemoryRequirements, &GetDeviceBufferMemoryRequirements>()},
      TRELLIS_FAKE(GetBufferOpaqueCaptureAddress),
      TRELLIS_FAKE(GetDeviceMemoryOpaqueCaptureAddress),
      TRELLIS_FAKE(GetDeviceProcAddr),
      TRELLIS_FAKE(GetDeviceQueue),
      TRELLIS_FAKE(GetDeviceQueue2),
      TRELLIS_FAKE(GetFenceStatus),
      TRELLIS_FAKE(GetImageSubresourceLayout),
      TRELLIS_FAKE(GetPipelineExecutablePropertiesKHR),
      TRELLIS_FAKE(GetPipelineExecutableStatisticsKHR),
      TRELLIS_FAKE(GetPipelineKeyKHR),
      TRELLIS_FAKE(GetPipelinePropertiesEXT),
      TRELLIS_FAKE(GetPrivateData),
      TRELLIS_FAKE(GetSemaphoreCounterValue),
      TRELLIS_FAKE(GetShaderInfoAMD),
      TRELLIS_FAKE(GetShaderModuleIdentifierEXT),
      TRELLIS_FAKE(InvalidateMappedMemoryRanges),
      TRELLIS_FAKE(MapMemory),
      TRELLIS_FAKE(QueueSubmit),
      TRELLIS_FAKE(QueueSubmit2),
      ALIAS(QueueSubmit2KHR, QueueSubmit2),
      TRELLIS_FAKE(QueueWaitIdle),
      TRELLIS_FAKE(ReleaseCapturedPipelineDataKHR),
      TRELLIS_FAKE(ResetCommandPool),
      TRELLIS_FAKE(ResetFences),
      TRELLIS_FAKE(SetDebugUtilsObjectNameEXT),
      TRELLIS_FAKE(SetDebugUtilsObjectTagEXT),
      TRELLIS_FAKE(SetPrivateData),
      TRELLIS_FAKE(UnmapMemory),
      TRELLIS_FAKE(WaitForFences),
      TRELLIS_FAKE(WaitSemaphores),
      TRELLIS_SHADER_ENQUEUE_FUNCTIONS(NATIVE)};
#undef ALIAS
#undef NATIVE
  return FindFunction(table, name);
}

}  // namespace trellis::test
