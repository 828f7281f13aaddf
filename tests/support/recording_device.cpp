// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_device.h"

#include "layer/memory/device_buffer.h"
#include "layer/replay/replay.h"

namespace trellis::test {

// The driver's side: every handle of a device or command buffer is the RecordingDevice itself.
struct RecordingDriver {
  template <typename Dispatchable>
  static RecordingDevice& Self(Dispatchable handle) {
    return *reinterpret_cast<RecordingDevice*>(handle);
  }
  static Command& Add(VkCommandBuffer handle, Command::Kind kind) {
    Command command;
    command.kind = kind;
    return Self(handle).stream_.emplace_back(std::move(command));
  }

  static VkResult CreateBuffer(VkDevice device, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                               VkBuffer* buffer) {
    RecordingDevice& self = Self(device);
    *buffer = self.NewHandle<VkBuffer>();
    self.last_sharing_.assign(info->pQueueFamilyIndices, info->pQueueFamilyIndices + info->queueFamilyIndexCount);
    self.buffers_[*buffer] = {info->size, VK_NULL_HANDLE};
    ++self.live_objects_;
    return VK_SUCCESS;
  }
  static void DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks*) {
    Self(device).buffers_.erase(buffer);
    --Self(device).live_objects_;
  }
  static void GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements* requirements) {
    *requirements = {Self(device).buffers_.at(buffer).size, 16, 1};
  }
  static VkResult AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                                 VkDeviceMemory* memory) {
    RecordingDevice& self = Self(device);
    if (self.memory_ + info->allocationSize > self.max_memory_) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    self.memory_ += info->allocationSize;
    ++self.allocations_;
    *memory = self.NewHandle<VkDeviceMemory>();
    self.memories_.try_emplace(*memory, info->allocationSize);
    ++self.live_objects_;
    return VK_SUCCESS;
  }
  static void FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks*) {
    RecordingDevice& self = Self(device);
    self.memory_ -= self.memories_.at(memory).size();
    self.memories_.erase(memory);
    --self.live_objects_;
  }
  static VkResult BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize) {
    Self(device).buffers_.at(buffer).memory = memory;
    return VK_SUCCESS;
  }
  static VkResult MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags,
                            void** data) {
    *data = Self(device).memories_.at(memory).data() + offset;
    return VK_SUCCESS;
  }
  static void UnmapMemory(VkDevice, VkDeviceMemory) {}
  static VkDeviceAddress GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo* info) {
    RecordingDevice& self = Self(device);
    return reinterpret_cast<VkDeviceAddress>(self.memories_.at(self.buffers_.at(info->buffer).memory).data());
  }
  template <typename Info, typename Handle>
  static VkResult Create(VkDevice device, const Info*, const VkAllocationCallbacks*, Handle* handle) {
    *handle = Self(device).NewHandle<Handle>();
    ++Self(device).live_objects_;
    return VK_SUCCESS;
  }
  template <typename Handle>
  static void Destroy(VkDevice device, Handle handle, const VkAllocationCallbacks*) {
    if (handle) --Self(device).live_objects_;
  }
  static VkResult CreateComputePipelines(VkDevice device, VkPipelineCache, uint32_t count,
                                         const VkComputePipelineCreateInfo*, const VkAllocationCallbacks*,
                                         VkPipeline* pipelines) {
    for (uint32_t i = 0; i < count; ++i) pipelines[i] = Self(device).NewHandle<VkPipeline>();
    Self(device).live_objects_ += static_cast<int>(count);
    return VK_SUCCESS;
  }
  static VkResult SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
    Self(device).names_[info->objectHandle] = info->pObjectName;
    return VK_SUCCESS;
  }

  static void CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint, VkPipeline pipeline) {
    Add(handle, Command::Kind::kBindPipeline).pipeline = pipeline;
  }
  static void CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint, VkPipelineLayout layout,
                                    uint32_t first, uint32_t count, const VkDescriptorSet* sets, uint32_t offset_count,
                                    const uint32_t* offsets) {
    Command& command = Add(handle, Command::Kind::kBindSets);
    command.layout = layout;
    command.first = first;
    command.sets.assign(sets, sets + count);
    command.dynamic_offsets.assign(offsets, offsets + offset_count);
  }
  static void CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout, VkShaderStageFlags stages,
                               uint32_t offset, uint32_t size, const void* values) {
    Command& command = Add(handle, Command::Kind::kPushConstants);
    command.layout = layout;
    command.stages = stages;
    command.first = offset;
    const auto* bytes = static_cast<const uint8_t*>(values);
    command.bytes.assign(bytes, bytes + size);
  }
  static void CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
    Command& command = Add(handle, Command::Kind::kDispatch);
    command.x = x;
    command.y = y;
    command.z = z;
  }
  static void CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset) {
    Command& command = Add(handle, Command::Kind::kDispatchIndirect);
    command.buffer = buffer;
    command.offset = offset;
  }
  static void CmdDrawMeshTasksEXT(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
    Command& command = Add(handle, Command::Kind::kDraw);
    command.x = x;
    command.y = y;
    command.z = z;
  }
  static void CmdDrawMeshTasksIndirectEXT(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset, uint32_t,
                                          uint32_t) {
    Command& command = Add(handle, Command::Kind::kDrawIndirect);
    command.buffer = buffer;
    command.offset = offset;
  }
  static void CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags source, VkPipelineStageFlags destination,
                                 VkDependencyFlags, uint32_t count, const VkMemoryBarrier* barriers, uint32_t,
                                 const VkBufferMemoryBarrier*, uint32_t, const VkImageMemoryBarrier*) {
    Command& command = Add(handle, Command::Kind::kBarrier);
    command.source_stages = source;
    command.destination_stages = destination;
    for (uint32_t i = 0; i < count; ++i) {
      command.source_access |= barriers[i].srcAccessMask;
      command.destination_access |= barriers[i].dstAccessMask;
    }
  }
  static void CmdBeginConditionalRenderingEXT(VkCommandBuffer handle, const VkConditionalRenderingBeginInfoEXT* info) {
    Command& command = Add(handle, Command::Kind::kBeginConditional);
    command.buffer = info->buffer;
    command.offset = info->offset;
    command.flags = info->flags;
  }
  static void CmdEndConditionalRenderingEXT(VkCommandBuffer handle) { Add(handle, Command::Kind::kEndConditional); }
  static void CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo*) {
    Add(handle, Command::Kind::kBeginInstance).is_dynamic = true;
  }
  static void CmdBeginRenderPass(VkCommandBuffer handle, const VkRenderPassBeginInfo*, VkSubpassContents) {
    Add(handle, Command::Kind::kBeginInstance);
  }
  static void EndInstance(VkCommandBuffer handle) { Add(handle, Command::Kind::kEndInstance); }
  static void CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle, const VkDebugUtilsLabelEXT* label) {
    Add(handle, Command::Kind::kBeginLabel).label = label->pLabelName;
  }
  static void CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle) { Add(handle, Command::Kind::kEndLabel); }

  static void Fill(DeviceDispatch& dispatch) {
    dispatch.CreateBuffer = CreateBuffer;
    dispatch.DestroyBuffer = DestroyBuffer;
    dispatch.GetBufferMemoryRequirements = GetBufferMemoryRequirements;
    dispatch.AllocateMemory = AllocateMemory;
    dispatch.FreeMemory = FreeMemory;
    dispatch.BindBufferMemory = BindBufferMemory;
    dispatch.MapMemory = MapMemory;
    dispatch.UnmapMemory = UnmapMemory;
    dispatch.GetBufferDeviceAddress = GetBufferDeviceAddress;
    dispatch.CreatePipelineLayout = Create<VkPipelineLayoutCreateInfo, VkPipelineLayout>;
    dispatch.DestroyPipelineLayout = Destroy<VkPipelineLayout>;
    dispatch.CreateShaderModule = Create<VkShaderModuleCreateInfo, VkShaderModule>;
    dispatch.DestroyShaderModule = Destroy<VkShaderModule>;
    dispatch.CreateComputePipelines = CreateComputePipelines;
    dispatch.DestroyPipeline = Destroy<VkPipeline>;
    dispatch.SetDebugUtilsObjectNameEXT = SetDebugUtilsObjectNameEXT;
    dispatch.CmdBindPipeline = CmdBindPipeline;
    dispatch.CmdBindDescriptorSets = CmdBindDescriptorSets;
    dispatch.CmdPushConstants = CmdPushConstants;
    dispatch.CmdDispatch = CmdDispatch;
    dispatch.CmdDispatchIndirect = CmdDispatchIndirect;
    dispatch.CmdDrawMeshTasksEXT = CmdDrawMeshTasksEXT;
    dispatch.CmdDrawMeshTasksIndirectEXT = CmdDrawMeshTasksIndirectEXT;
    dispatch.CmdPipelineBarrier = CmdPipelineBarrier;
    dispatch.CmdBeginConditionalRenderingEXT = CmdBeginConditionalRenderingEXT;
    dispatch.CmdEndConditionalRenderingEXT = CmdEndConditionalRenderingEXT;
    dispatch.CreateRenderPass = Create<VkRenderPassCreateInfo, VkRenderPass>;
    dispatch.DestroyRenderPass = Destroy<VkRenderPass>;
    dispatch.CmdBeginRendering = CmdBeginRendering;
    dispatch.CmdEndRendering = EndInstance;
    dispatch.CmdBeginRenderPass = CmdBeginRenderPass;
    dispatch.CmdEndRenderPass = EndInstance;
    dispatch.CmdBeginDebugUtilsLabelEXT = CmdBeginDebugUtilsLabelEXT;
    dispatch.CmdEndDebugUtilsLabelEXT = CmdEndDebugUtilsLabelEXT;
  }
};

RecordingDevice::RecordingDevice(Settings settings, uint32_t queues)
    : instance_(std::make_shared<Instance>(std::move(settings))) {
  instance_->has_debug_utils = true;
  instance_->settings.threads = 1;  // nothing here locks
  device_ = std::make_unique<Device>(instance_, std::make_shared<PhysicalDevice>());
  device_->handle = reinterpret_cast<VkDevice>(this);
  device_->queue_counts = {queues};
  RecordingDriver::Fill(device_->dispatch);
  device_->traits.limits.maxComputeWorkGroupCount[0] = 65535;
  device_->traits.limits.maxComputeWorkGroupCount[1] = 65535;
  device_->traits.limits.maxComputeWorkGroupCount[2] = 65535;
  device_->traits.limits.maxPushConstantsSize = 128;
  device_->traits.max_mesh_workgroup_count = {65535, 65535, 65535};
  device_->traits.max_mesh_workgroup_total_count = 1u << 22;
  VkPhysicalDeviceMemoryProperties& memory = device_->memory_properties;
  memory.memoryTypeCount = 1;
  memory.memoryTypes[0].propertyFlags =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  memory.memoryHeapCount = 1;
  memory.memoryHeaps[0] = {256ull << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  command_buffer_ = std::make_unique<CommandBuffer>(*device_, reinterpret_cast<VkCommandBuffer>(this));
}

RecordingDevice::~RecordingDevice() {
  command_buffer_.reset();
  device_->execution_graphs.TakeAll();
  device_->components.Clear();
}

void RecordingDevice::Begin() {
  stream_.clear();
  command_buffer_->BeginRecording(0);
}

void RecordingDevice::End() { RecordEndOfGraphs(*command_buffer_); }

std::vector<CheckedBuffer> RecordingDevice::BuffersNamed(const std::string& name) const {
  std::vector<CheckedBuffer> found;
  for (const auto& [buffer, made] : buffers_)
    if (NameOf(HandleToU64(buffer)) == name)
      found.push_back({buffer, reinterpret_cast<VkDeviceAddress>(memories_.at(made.memory).data()), made.size});
  return found;
}

VkDeviceAddress RecordingDevice::MakeScratch(VkDeviceSize bytes) {
  VkBufferCreateInfo info = {};
  info.size = bytes + 64;
  VkBuffer buffer = VK_NULL_HANDLE;
  static_cast<void>(RecordingDriver::CreateBuffer(device_->handle, &info, nullptr, &buffer));
  VkMemoryAllocateInfo allocate = {};
  allocate.allocationSize = info.size;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  static_cast<void>(RecordingDriver::AllocateMemory(device_->handle, &allocate, nullptr, &memory));
  static_cast<void>(RecordingDriver::BindBufferMemory(device_->handle, buffer, memory, 0));
  const auto address = reinterpret_cast<VkDeviceAddress>(memories_.at(memory).data());
  device_->scratch_buffers.Insert(buffer, info.size);
  device_->scratch_buffers.TellAddress(buffer, address);
  return (address + 63) / 64 * 64;
}

std::string RecordingDevice::NameOf(uint64_t handle) const {
  const auto found = names_.find(handle);
  return found == names_.end() ? std::string() : found->second;
}

}  // namespace trellis::test
