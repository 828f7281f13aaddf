// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/gpu.h"

#include "samples/hello_graph/failure.h"

namespace hello {
namespace {

uint32_t QueueFamilyFor(VkPhysicalDevice device, const GpuNeeds& needs) {
  if (const std::optional<uint32_t> family = FindQueueFamily(device, needs.queue, needs.surface)) return *family;
  Fail((needs.queue & VK_QUEUE_GRAPHICS_BIT) != 0 ? "the device has no queue for graphics and compute"
                                                  : "the device has no compute queue");
}

template <typename Function>
void Load(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  if (function == nullptr)
    Fail(std::string("the device offers VK_AMDX_shader_enqueue, but vkGetDeviceProcAddr knows no ") + name);
}

}  // namespace

std::optional<uint32_t> FindQueueFamily(VkPhysicalDevice device, VkQueueFlags wanted, VkSurfaceKHR surface) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    VkBool32 presents = VK_TRUE;
    if (surface != VK_NULL_HANDLE)
      Check(vkGetPhysicalDeviceSurfaceSupportKHR(device, i, surface, &presents),
            "vkGetPhysicalDeviceSurfaceSupportKHR");
    if ((families[i].queueFlags & wanted) == wanted && presents == VK_TRUE) return i;
  }
  return std::nullopt;
}

Gpu::Gpu(VkPhysicalDevice physical_device, const GpuNeeds& needs)
    : physical_device_(physical_device), queue_family_(QueueFamilyFor(physical_device, needs)) {
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                       needs.features, VK_TRUE, needs.mesh_nodes};
  VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                          &enqueue, VK_TRUE};
  auto vulkan12 = Struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  vulkan12.pNext = &maintenance5;
  vulkan12.bufferDeviceAddress = VK_TRUE;
  auto features = Struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan12);

  const float priority = 1.0f;
  auto queue = Struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  // The extension and what it depends on beyond Vulkan 1.3.
  std::vector<const char*> extensions = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                         VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  extensions.insert(extensions.end(), needs.extensions.begin(), needs.extensions.end());
  auto info = Struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  Check(vkCreateDevice(physical_device_, &info, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);

  Load(device_, "vkCreateExecutionGraphPipelinesAMDX", graph_.CreateExecutionGraphPipelines);
  Load(device_, "vkGetExecutionGraphPipelineScratchSizeAMDX", graph_.GetExecutionGraphPipelineScratchSize);
  Load(device_, "vkGetExecutionGraphPipelineNodeIndexAMDX", graph_.GetExecutionGraphPipelineNodeIndex);
  Load(device_, "vkCmdInitializeGraphScratchMemoryAMDX", graph_.CmdInitializeGraphScratchMemory);
  Load(device_, "vkCmdDispatchGraphAMDX", graph_.CmdDispatchGraph);
}

Gpu::~Gpu() { vkDestroyDevice(device_, nullptr); }

uint32_t Gpu::MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_device_, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  Fail("no memory type fits a buffer");
}

Buffer::Buffer(const Gpu& gpu, VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags memory) : gpu_(gpu) {
  auto info = Struct<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = usage;
  Check(vkCreateBuffer(gpu_.device(), &info, nullptr, &buffer_), "vkCreateBuffer");
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(gpu_.device(), buffer_, &requirements);

  auto flags = Struct<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  flags.flags = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0 ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
  auto allocation = Struct<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags);
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = gpu_.MemoryType(requirements.memoryTypeBits, memory);
  Check(vkAllocateMemory(gpu_.device(), &allocation, nullptr, &memory_), "vkAllocateMemory");
  Check(vkBindBufferMemory(gpu_.device(), buffer_, memory_, 0), "vkBindBufferMemory");
}

Buffer::~Buffer() {
  vkDestroyBuffer(gpu_.device(), buffer_, nullptr);
  vkFreeMemory(gpu_.device(), memory_, nullptr);
}

VkDeviceAddress Buffer::Address() const {
  const VkBufferDeviceAddressInfo info = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer_};
  return vkGetBufferDeviceAddress(gpu_.device(), &info);
}

void* Buffer::Map() const {
  void* pointer = nullptr;
  Check(vkMapMemory(gpu_.device(), memory_, 0, VK_WHOLE_SIZE, 0, &pointer), "vkMapMemory");
  return pointer;
}

}  // namespace hello
