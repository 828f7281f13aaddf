// SPDX-License-Identifier: Apache-2.0
#include "tests/meta_shaders/driver_device.h"

#include <algorithm>
#include <vector>

#include "layer/dispatch/struct_type.h"
#include "tests/support/environment.h"

extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name);

namespace trellis::test {
namespace {

template <typename Function>
Function Get(VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

bool HasFeatures(VkInstance instance, VkPhysicalDevice physical_device) {
  auto features12 = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&features12);
  Get<PFN_vkGetPhysicalDeviceFeatures2>(instance, "vkGetPhysicalDeviceFeatures2")(physical_device, &features);
  return features12.bufferDeviceAddress && features12.scalarBlockLayout;
}

}  // namespace

std::unique_ptr<DriverDevice> DriverDevice::Create(std::string& why, const Settings& settings) {
  std::unique_ptr<DriverDevice> made(new DriverDevice());
  if (!made->MakeInstance(why) || !made->ChoosePhysicalDevice(why) || !made->MakeDevice(settings, why)) return nullptr;
  return made;
}

DriverDevice::~DriverDevice() {
  if (device_ && device_->handle) {
    device_->components.Clear();
    if (pool_) device_->dispatch.DestroyCommandPool(device_->handle, pool_, nullptr);
    device_->dispatch.DestroyDevice(device_->handle, nullptr);
  }
  if (instance_) Get<PFN_vkDestroyInstance>(instance_, "vkDestroyInstance")(instance_, nullptr);
}

bool DriverDevice::MakeInstance(std::string& why) {
  auto application = MakeStruct<VkApplicationInfo>();
  application.apiVersion = VK_API_VERSION_1_2;
  auto info = MakeStruct<VkInstanceCreateInfo>();
  info.pApplicationInfo = &application;
  if (Get<PFN_vkCreateInstance>(nullptr, "vkCreateInstance")(&info, nullptr, &instance_) == VK_SUCCESS) return true;
  instance_ = VK_NULL_HANDLE;
  why = "no Vulkan instance";
  return false;
}

bool DriverDevice::ChoosePhysicalDevice(std::string& why) {
  const auto enumerate = Get<PFN_vkEnumeratePhysicalDevices>(instance_, "vkEnumeratePhysicalDevices");
  uint32_t count = 0;
  enumerate(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  enumerate(instance_, &count, devices.data());
  const bool hardware_only = ReadTestVariables().hardware;
  for (VkPhysicalDevice candidate : devices) {
    VkPhysicalDeviceProperties properties = {};
    Get<PFN_vkGetPhysicalDeviceProperties>(instance_, "vkGetPhysicalDeviceProperties")(candidate, &properties);
    if (hardware_only && properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) continue;
    if (properties.apiVersion < VK_API_VERSION_1_2 || !HasFeatures(instance_, candidate)) continue;
    physical_device_ = candidate;
    name_ = properties.deviceName;
    return true;
  }
  why = std::string(hardware_only ? "no hardware" : "no") +
        " device with Vulkan 1.2, bufferDeviceAddress and scalarBlockLayout";
  return false;
}

bool DriverDevice::MakeDevice(const Settings& settings, std::string& why) {
  const auto families_of =
      Get<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(instance_, "vkGetPhysicalDeviceQueueFamilyProperties");
  uint32_t count = 0;
  families_of(physical_device_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  families_of(physical_device_, &count, families.data());
  while (queue_family_ < count && !(families[queue_family_].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++queue_family_;

  const float priority = 1;
  auto queue = MakeStruct<VkDeviceQueueCreateInfo>();
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto features = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  features.bufferDeviceAddress = VK_TRUE;
  features.scalarBlockLayout = VK_TRUE;
  VkPhysicalDeviceFeatures supported = {};
  Get<PFN_vkGetPhysicalDeviceFeatures>(instance_, "vkGetPhysicalDeviceFeatures")(physical_device_, &supported);
  VkPhysicalDeviceFeatures enabled = {};
  enabled.shaderInt64 = supported.shaderInt64;
  auto info = MakeStruct<VkDeviceCreateInfo>(&features);
  info.pEnabledFeatures = &enabled;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  const char* const partitions = VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME;
  const bool has_partitions = HasExtension(partitions);
  if (has_partitions) {
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &partitions;
  }

  layer_instance_ = std::make_shared<Instance>(settings);
  device_ = std::make_unique<Device>(layer_instance_, std::make_shared<PhysicalDevice>());
  if (Get<PFN_vkCreateDevice>(instance_, "vkCreateDevice")(physical_device_, &info, nullptr, &device_->handle) !=
      VK_SUCCESS) {
    device_->handle = VK_NULL_HANDLE;
    why = "vkCreateDevice failed on " + name_;
    return false;
  }
  const char* missing =
      device_->dispatch.Load(device_->handle, Get<PFN_vkGetDeviceProcAddr>(instance_, "vkGetDeviceProcAddr"));
  if (missing) {
    why = std::string(missing) + " is missing on " + name_;
    return false;
  }
  auto subgroups = MakeStruct<VkPhysicalDeviceSubgroupProperties>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&subgroups);
  Get<PFN_vkGetPhysicalDeviceProperties2>(instance_, "vkGetPhysicalDeviceProperties2")(physical_device_, &properties);
  device_->traits.limits = properties.properties.limits;
  device_->traits.subgroup_size = std::max(subgroups.subgroupSize, 1u);
  device_->traits.shader_int64 = enabled.shaderInt64;
  if (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    device_->traits.subgroup_operations = subgroups.supportedOperations;
  if (!has_partitions)
    device_->traits.subgroup_operations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV};
  Get<PFN_vkGetPhysicalDeviceMemoryProperties>(instance_, "vkGetPhysicalDeviceMemoryProperties")(
      physical_device_, &device_->memory_properties);
  device_->dispatch.GetDeviceQueue(device_->handle, queue_family_, 0, &queue_);

  auto pool = MakeStruct<VkCommandPoolCreateInfo>();
  pool.queueFamilyIndex = queue_family_;
  return device_->dispatch.CreateCommandPool(device_->handle, &pool, nullptr, &pool_) == VK_SUCCESS;
}

bool DriverDevice::HasExtension(std::string_view name) const {
  const auto enumerate =
      Get<PFN_vkEnumerateDeviceExtensionProperties>(instance_, "vkEnumerateDeviceExtensionProperties");
  uint32_t count = 0;
  enumerate(physical_device_, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  enumerate(physical_device_, nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(),
                     [name](const VkExtensionProperties& extension) { return name == extension.extensionName; });
}

bool DriverDevice::Execute(const std::function<void(VkCommandBuffer)>& record) {
  const DeviceDispatch& dispatch = device_->dispatch;
  auto allocate = MakeStruct<VkCommandBufferAllocateInfo>();
  allocate.commandPool = pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  if (dispatch.AllocateCommandBuffers(device_->handle, &allocate, &command_buffer) != VK_SUCCESS) return false;
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  dispatch.BeginCommandBuffer(command_buffer, &begin);
  record(command_buffer);
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  dispatch.CmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                              &barrier, 0, nullptr, 0, nullptr);
  dispatch.EndCommandBuffer(command_buffer);
  auto submit = MakeStruct<VkSubmitInfo>();
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &command_buffer;
  const bool done = dispatch.QueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
                    dispatch.QueueWaitIdle(queue_) == VK_SUCCESS;
  dispatch.FreeCommandBuffers(device_->handle, pool_, 1, &command_buffer);
  return done;
}

}  // namespace trellis::test
