// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/gpu.h"

#include "bench/framework/devices.h"

namespace trellis::bench {
namespace {

constexpr uint64_t kTimeoutNanoseconds = 600ull * 1000 * 1000 * 1000;

std::vector<VkQueueFamilyProperties> QueueFamilies(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

uint32_t FindComputeQueueFamily(const std::vector<VkQueueFamilyProperties>& families) {
  for (uint32_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return i;
  }
  Fail("the device has no compute queue");
}

template <typename Function>
void Load(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  if (function == nullptr) Fail(std::string("the device lacks ") + name);
}

void Barrier(VkCommandBuffer commands, VkPipelineStageFlags before, VkAccessFlags written, VkPipelineStageFlags after,
             VkAccessFlags accessed) {
  const VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, accessed};
  vkCmdPipelineBarrier(commands, before, after, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

}  // namespace

Gpu::Gpu(const std::string& choice, bool mesh_nodes)
    : instance_(CreateInstance()), physical_device_(ChooseDevice(instance_, choice)) {
  vkGetPhysicalDeviceProperties(physical_device_, &properties_);
  const std::vector<VkQueueFamilyProperties> families = QueueFamilies(physical_device_);
  queue_family_ = FindComputeQueueFamily(families);
  timestamp_bits_ = families[queue_family_].timestampValidBits;
  if (mesh_nodes && (families[queue_family_].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0) FindMeshNodes();
  CreateDevice();
  LoadCommands();
  layout_ = CreateLayout();
  auto pool = Struct<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = queue_family_;
  Check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
  auto fence = Struct<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  Check(vkCreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence");
}

Gpu::~Gpu() {
  vkDestroyFence(device_, fence_, nullptr);
  vkDestroyCommandPool(device_, pool_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

void Gpu::FindMeshNodes() {
  auto enqueue =
      Struct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  auto features = Struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue);
  vkGetPhysicalDeviceFeatures2(physical_device_, &features);
  has_mesh_nodes_ = enqueue.shaderMeshEnqueue == VK_TRUE;
}

void Gpu::CreateDevice() {
  auto enqueue =
      Struct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  enqueue.shaderEnqueue = VK_TRUE;
  auto maintenance5 = Struct<VkPhysicalDeviceMaintenance5FeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, &enqueue);
  maintenance5.maintenance5 = VK_TRUE;
  auto vulkan12 =
      Struct<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &maintenance5);
  vulkan12.bufferDeviceAddress = VK_TRUE;
  auto features = Struct<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan12);
  auto mesh = Struct<VkPhysicalDeviceMeshShaderFeaturesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
  mesh.meshShader = VK_TRUE;
  auto rendering = Struct<VkPhysicalDeviceDynamicRenderingFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &mesh);
  rendering.dynamicRendering = VK_TRUE;
  if (has_mesh_nodes_) {
    enqueue.shaderMeshEnqueue = VK_TRUE;
    enqueue.pNext = &rendering;
  }
  VkPhysicalDeviceFeatures supported;
  vkGetPhysicalDeviceFeatures(physical_device_, &supported);
  has_pipeline_statistics_ = supported.pipelineStatisticsQuery == VK_TRUE;
  features.features.pipelineStatisticsQuery = supported.pipelineStatisticsQuery;

  const float priority = 1.0f;
  auto queue = Struct<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  std::vector<const char*> extensions = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                         VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  if (has_mesh_nodes_) extensions.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
  auto info = Struct<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  Check(vkCreateDevice(physical_device_, &info, nullptr, &device_), "vkCreateDevice");
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
}

void Gpu::LoadCommands() {
  Load(device_, "vkCreateExecutionGraphPipelinesAMDX", graph_.CreateExecutionGraphPipelines);
  Load(device_, "vkGetExecutionGraphPipelineScratchSizeAMDX", graph_.GetExecutionGraphPipelineScratchSize);
  Load(device_, "vkGetExecutionGraphPipelineNodeIndexAMDX", graph_.GetExecutionGraphPipelineNodeIndex);
  Load(device_, "vkCmdInitializeGraphScratchMemoryAMDX", graph_.CmdInitializeGraphScratchMemory);
  Load(device_, "vkCmdDispatchGraphAMDX", graph_.CmdDispatchGraph);
  Load(device_, "vkCmdDispatchGraphIndirectCountAMDX", graph_.CmdDispatchGraphIndirectCount);
}

VkPipelineLayout Gpu::CreateLayout(VkDescriptorSetLayout set) const {
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushConstantBytes};
  auto info = Struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = set == VK_NULL_HANDLE ? 0 : 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  Check(vkCreatePipelineLayout(device_, &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

uint32_t Gpu::MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_device_, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  Fail("no memory type fits a buffer");
}

VkCommandBuffer Gpu::AllocateCommandBuffer() const {
  auto allocation = Struct<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  Check(vkAllocateCommandBuffers(device_, &allocation, &commands), "vkAllocateCommandBuffers");
  return commands;
}

void Gpu::FreeCommandBuffer(VkCommandBuffer commands) const { vkFreeCommandBuffers(device_, pool_, 1, &commands); }

void Gpu::Submit(const std::vector<VkCommandBuffer>& commands) const {
  auto submit = Struct<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = static_cast<uint32_t>(commands.size());
  submit.pCommandBuffers = commands.data();
  Check(vkQueueSubmit(queue_, 1, &submit, fence_), "vkQueueSubmit");
  const VkResult waited = vkWaitForFences(device_, 1, &fence_, VK_TRUE, kTimeoutNanoseconds);
  Check(waited, "vkWaitForFences");
  if (waited == VK_TIMEOUT) Fail("the device did not finish in time");
  Check(vkResetFences(device_, 1, &fence_), "vkResetFences");
}

void Gpu::RunOnce(const std::function<void(VkCommandBuffer)>& record) const {
  const VkCommandBuffer commands = AllocateCommandBuffer();
  Begin(commands);
  record(commands);
  Check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  Submit({commands});
  FreeCommandBuffer(commands);
}

VkCommandBuffer Begin(VkCommandBuffer commands) {
  const auto begin = Struct<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  Check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  return commands;
}

void FullBarrier(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kDevice = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  Barrier(commands, kDevice, kWrites, kDevice | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          kWrites | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT |
              VK_ACCESS_HOST_READ_BIT);
}

void StepBarrier(VkCommandBuffer commands) {
  Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

}  // namespace trellis::bench
