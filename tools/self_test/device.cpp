// SPDX-License-Identifier: Apache-2.0
#include "tools/self_test/device.h"

#include <vector>

namespace trellis::self_test {
namespace {

constexpr uint64_t kPatience = 60'000'000'000;  // nanoseconds

uint32_t ComputeFamily(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
  }
  throw Failure("the device has no compute queue");
}

template <typename Function>
void Load(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  if (function == nullptr) throw Failure(std::string("vkGetDeviceProcAddr knows no ") + name);
}

VkDevice CreateDevice(VkPhysicalDevice physical, uint32_t family) {
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  enqueue.shaderEnqueue = VK_TRUE;
  auto maintenance5 = MakeStruct<VkPhysicalDeviceMaintenance5FeaturesKHR>(&enqueue);
  maintenance5.maintenance5 = VK_TRUE;
  auto vulkan12 = MakeStruct<VkPhysicalDeviceVulkan12Features>(&maintenance5);
  vulkan12.bufferDeviceAddress = VK_TRUE;
  vulkan12.scalarBlockLayout = VK_TRUE;
  const float priority = 1.0f;
  auto queue = MakeStruct<VkDeviceQueueCreateInfo>();
  queue.queueFamilyIndex = family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  const char* const extensions[] = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                    VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  auto info = MakeStruct<VkDeviceCreateInfo>(&vulkan12);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(std::size(extensions));
  info.ppEnabledExtensionNames = extensions;
  VkDevice device = VK_NULL_HANDLE;
  Check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
  return device;
}

}  // namespace

Device::Device(VkPhysicalDevice physical) : physical_(physical) {
  const uint32_t family = ComputeFamily(physical);
  handle_ = CreateDevice(physical, family);
  vkGetDeviceQueue(handle_, family, 0, &queue_);
  LoadCommands();
  auto pool_info = MakeStruct<VkCommandPoolCreateInfo>();
  pool_info.queueFamilyIndex = family;
  Check(vkCreateCommandPool(handle_, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
  const auto fence_info = MakeStruct<VkFenceCreateInfo>();
  Check(vkCreateFence(handle_, &fence_info, nullptr, &fence_), "vkCreateFence");
}

void Device::LoadCommands() {
  Load(handle_, "vkCreateExecutionGraphPipelinesAMDX", graph_.CreateExecutionGraphPipelines);
  Load(handle_, "vkGetExecutionGraphPipelineScratchSizeAMDX", graph_.GetExecutionGraphPipelineScratchSize);
  Load(handle_, "vkGetExecutionGraphPipelineNodeIndexAMDX", graph_.GetExecutionGraphPipelineNodeIndex);
  Load(handle_, "vkCmdInitializeGraphScratchMemoryAMDX", graph_.CmdInitializeGraphScratchMemory);
  Load(handle_, "vkCmdDispatchGraphAMDX", graph_.CmdDispatchGraph);
  Load(handle_, "vkCmdDispatchGraphIndirectAMDX", graph_.CmdDispatchGraphIndirect);
  Load(handle_, "vkCmdDispatchGraphIndirectCountAMDX", graph_.CmdDispatchGraphIndirectCount);
}

Device::~Device() {
  vkDestroyFence(handle_, fence_, nullptr);
  vkDestroyCommandPool(handle_, pool_, nullptr);
  vkDestroyDevice(handle_, nullptr);
}

uint32_t Device::MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  throw Failure("no memory type fits a buffer");
}

void Device::Run(VkCommandBuffer commands) const {
  auto submit = MakeStruct<VkSubmitInfo>();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  Check(vkQueueSubmit(queue_, 1, &submit, fence_), "vkQueueSubmit");
  const VkResult waited = vkWaitForFences(handle_, 1, &fence_, VK_TRUE, kPatience);
  if (waited == VK_TIMEOUT) throw Failure("the device did not finish within 60 seconds");
  Check(waited, "vkWaitForFences");
  Check(vkResetFences(handle_, 1, &fence_), "vkResetFences");
}

Buffer::Buffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags memory)
    : device_(device) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = size;
  info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  Check(vkCreateBuffer(device_.handle(), &info, nullptr, &handle_), "vkCreateBuffer");
  try {
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_.handle(), handle_, &needs);
    auto flags = MakeStruct<VkMemoryAllocateFlagsInfo>();
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    auto allocation = MakeStruct<VkMemoryAllocateInfo>(&flags);
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = device_.MemoryType(needs.memoryTypeBits, memory);
    Check(vkAllocateMemory(device_.handle(), &allocation, nullptr, &memory_), "vkAllocateMemory");
    Check(vkBindBufferMemory(device_.handle(), handle_, memory_, 0), "vkBindBufferMemory");
    if ((memory & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
      Check(vkMapMemory(device_.handle(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped_), "vkMapMemory");
  } catch (const Failure&) {
    Release();
    throw;
  }
  auto address = MakeStruct<VkBufferDeviceAddressInfo>();
  address.buffer = handle_;
  address_ = vkGetBufferDeviceAddress(device_.handle(), &address);
}

void Buffer::Release() {
  vkDestroyBuffer(device_.handle(), handle_, nullptr);
  vkFreeMemory(device_.handle(), memory_, nullptr);
}

Buffer::~Buffer() { Release(); }

}  // namespace trellis::self_test
