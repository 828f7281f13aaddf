// SPDX-License-Identifier: Apache-2.0
#include "tests/support/context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tests/platform/platform.h"
#include "tests/support/environment.h"
#include "tests/support/loaded_libraries.h"
#include "tests/support/optional_extensions.h"
#include "tests/support/validation_layer.h"

namespace trellis::test {
namespace {

constexpr const char* kProfileLayer = "VK_LAYER_TRELLIS_TEST_device_profile";  // tests/device_profiles

// Sets variables and puts the old values back.
class ScopedEnvironment {
 public:
  explicit ScopedEnvironment(const std::vector<EnvironmentSetting>& settings) {
    for (const EnvironmentSetting& setting : settings) {
      const char* old = std::getenv(setting.name.c_str());
      old_.emplace_back(setting.name, old != nullptr ? std::optional<std::string>(old) : std::nullopt);
      SetVariable(setting.name, setting.value);
    }
  }
  ~ScopedEnvironment() {
    for (const auto& [name, value] : old_) {
      if (value)
        SetVariable(name, *value);
      else
        RemoveVariable(name);
    }
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> old_;
};

bool OffersGraphs(VkPhysicalDevice device) {
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>();
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  vkGetPhysicalDeviceFeatures2(device, &features);
  return HasExtension(device, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) && enqueue.shaderEnqueue == VK_TRUE;
}

std::vector<VkQueueFamilyProperties> FamiliesOf(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

template <typename Function>
bool Load(VkDevice device, const char* name, Function& function, std::string& error) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
  if (function == nullptr) error = std::string(name) + " is null";
  return function != nullptr;
}

}  // namespace

bool HasExtension(VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(), [name](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

std::unique_ptr<Context> Context::Create(std::string& error, const ContextOptions& options) {
  const ScopedEnvironment environment(options.settings);
  std::unique_ptr<Context> context(new Context());
  if (!context->CreateInstance(options, error) || !context->ChooseDevice(error) ||
      !context->CreateDevice(options, error))
    return nullptr;
  context->creation_messages = context->messages.Unexpected();
  KeepLibrariesLoaded();
  return context;
}

Context::~Context() {
  DestroyDevice();
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance, messenger_, nullptr);
  }
  if (instance != VK_NULL_HANDLE) vkDestroyInstance(instance, nullptr);
}

void Context::DestroyDevice() {
  if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
  device = VK_NULL_HANDLE;
}

bool Context::CreateInstance(const ContextOptions& options, std::string& error) {
  // The application names the validation layer, so it lies below every implicit layer, and so below Trellis. The
  // layer with the device profile lies below both: validation judges by the profile.
  validation_version = FoundValidationVersion();
  const TestVariables variables = ReadTestVariables();
  leaves_out_validation = variables.no_validation;
  has_validation = validation_version != 0 && !leaves_out_validation;
  if (!leaves_out_validation) {
    const Expected<void> found = RequireValidation(IsCi(), validation_version, std::getenv("VK_LAYER_PATH"));
    if (!found) {
      error = found.error().message;
      return false;
    }
  }
  std::vector<const char*> layers;
  if (has_validation) layers.push_back(kValidationLayer);
  if (!variables.device_profile.empty()) layers.push_back(kProfileLayer);
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messages.MessengerInfo();
  auto application = MakeStruct<VkApplicationInfo>();
  application.pApplicationName = "trellis_gpu_tests";
  application.apiVersion = options.api_version;
  auto info = MakeStruct<VkInstanceCreateInfo>();
  info.pApplicationInfo = &application;
  info.enabledLayerCount = static_cast<uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  if (const VkResult result = vkCreateInstance(&info, nullptr, &instance); result != VK_SUCCESS) {
    error = "vkCreateInstance returned " + std::to_string(result);
    return false;
  }
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
  if (create == nullptr || create(instance, &messenger, nullptr, &messenger_) != VK_SUCCESS) {
    error = "no messenger could be created";
    return false;
  }
  return true;
}

// TRELLIS_TEST_DEVICE=hardware: the first device that is not a CPU. Else the first one.
bool Context::ChooseDevice(std::string& error) {
  uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance, &count, devices.data());
  const bool hardware_only = ReadTestVariables().hardware;
  for (VkPhysicalDevice candidate : devices) {
    vkGetPhysicalDeviceProperties(candidate, &properties);
    if (hardware_only && properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) continue;
    physical_device = candidate;
    break;
  }
  if (physical_device == VK_NULL_HANDLE) {
    error = hardware_only ? "no hardware device" : "no Vulkan device";
    return false;
  }
  if (!OffersGraphs(physical_device)) {
    error = std::string(properties.deviceName) +
            " does not offer VK_AMDX_shader_enqueue: is the layer enabled (TRELLIS_ENABLE, XDG_CONFIG_DIRS)?";
    return false;
  }
  auto driver_properties = MakeStruct<VkPhysicalDeviceDriverProperties>();
  subgroup = MakeStruct<VkPhysicalDeviceSubgroupProperties>(&driver_properties);
  enqueue_properties = MakeStruct<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>(&subgroup);
  auto properties2 = MakeStruct<VkPhysicalDeviceProperties2>(&enqueue_properties);
  vkGetPhysicalDeviceProperties2(physical_device, &properties2);
  properties = properties2.properties;  // with the limits for applications that use graphs
  enqueue_properties.pNext = nullptr;
  subgroup.pNext = nullptr;
  const std::string driver_info = driver_properties.driverInfo;  // SwiftShader says nothing there
  driver = std::string(driver_properties.driverName) + " " +
           (driver_info.empty() ? std::to_string(properties.driverVersion) : driver_info);
  if (const std::optional<uint32_t> size = ReadTestVariables().subgroup_size; size && size != subgroup.subgroupSize) {
    error = std::string(properties.deviceName) + " has subgroups of " + std::to_string(subgroup.subgroupSize) +
            " invocations, not " + std::to_string(*size) + " (TRELLIS_TEST_SUBGROUP_SIZE)";
    return false;
  }
  return true;
}

void Context::FindFeatures(const OptionalExtensions& extra) {
  auto supported11 = MakeStruct<VkPhysicalDeviceVulkan11Features>();
  auto supported12 = MakeStruct<VkPhysicalDeviceVulkan12Features>(&supported11);
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(&supported12);
  auto supported = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  vkGetPhysicalDeviceFeatures2(physical_device, &supported);
  features = {supported12.shaderInt8 == VK_TRUE && supported12.storageBuffer8BitAccess == VK_TRUE,
              supported.features.shaderInt16 == VK_TRUE && supported11.storageBuffer16BitAccess == VK_TRUE,
              supported.features.shaderInt64 == VK_TRUE,
              supported12.shaderBufferInt64Atomics == VK_TRUE,
              supported12.shaderFloat16 == VK_TRUE && supported11.storageBuffer16BitAccess == VK_TRUE,
              supported.features.shaderFloat64 == VK_TRUE,
              supported12.vulkanMemoryModel == VK_TRUE && supported12.vulkanMemoryModelDeviceScope == VK_TRUE,
              supported.features.pipelineStatisticsQuery == VK_TRUE,
              extra.robust_buffer_access2,
              extra.derivative_quads,
              extra.derivative_linear,
              extra.workgroup_memory_explicit_layout};
  features.mesh_enqueue = enqueue.shaderMeshEnqueue == VK_TRUE;
  features.multi_viewport = supported.features.multiViewport == VK_TRUE;
  features.imageless_framebuffer = supported12.imagelessFramebuffer == VK_TRUE;
  features.geometry = supported.features.geometryShader == VK_TRUE;
  features.clip_distance = supported.features.shaderClipDistance == VK_TRUE;
  features.precise_occlusion_queries = supported.features.occlusionQueryPrecise == VK_TRUE;
  features.dynamic_rendering = properties.apiVersion >= VK_API_VERSION_1_3 ||
                               HasExtension(physical_device, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME);
}

bool Context::CreateDevice(const ContextOptions& options, std::string& error) {
  OptionalExtensions extra(physical_device);
  FindFeatures(extra);
  features.robust_buffer_access = options.robust_buffer_access;
  auto group = MakeStruct<VkDeviceGroupDeviceCreateInfo>(options.feature_chain);
  group.physicalDeviceCount = 1;
  group.pPhysicalDevices = &physical_device;
  void* further = options.device_group ? &group : options.feature_chain;
  const bool minimal = options.features == FeatureForm::kMinimal;
  const RequestedFeatures requested(options.features, features, minimal ? further : extra.FeatureChain(further));

  // TRELLIS_TEST_ONE_QUEUE: of each family one, as where graphs prepare regions for one another.
  const bool one_of_each = options.one_queue || ReadTestVariables().one_queue;
  const std::vector<VkQueueFamilyProperties> families = FamiliesOf(physical_device);
  std::vector<std::vector<float>> priorities;
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  for (uint32_t family = 0; family < families.size(); ++family) {
    if ((families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    if (options.one_queue && !queue_infos.empty()) break;
    priorities.emplace_back(one_of_each ? 1 : families[family].queueCount, 1.0f);
    queue_infos.push_back(MakeStruct<VkDeviceQueueCreateInfo>());
    queue_infos.back().queueFamilyIndex = family;
    queue_infos.back().queueCount = static_cast<uint32_t>(priorities.back().size());
    queue_infos.back().pQueuePriorities = priorities.back().data();
  }
  std::vector<const char*> extensions = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                         VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  if (!minimal) extensions.insert(extensions.end(), extra.names().begin(), extra.names().end());
  extensions.insert(extensions.end(), options.extensions.begin(), options.extensions.end());
  // What VK_AMDX_shader_enqueue and VK_KHR_maintenance5 depend on. Trellis offers both without dynamic rendering too.
  if (std::min(options.api_version, properties.apiVersion) < VK_API_VERSION_1_3) {
    extensions.insert(extensions.end(),
                      {VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME});
    if (features.dynamic_rendering) extensions.push_back(VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME);
  }
  auto info = MakeStruct<VkDeviceCreateInfo>(requested.chain());
  info.pEnabledFeatures = requested.enabled();
  info.queueCreateInfoCount = static_cast<uint32_t>(queue_infos.size());
  info.pQueueCreateInfos = queue_infos.data();
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const VkResult result = vkCreateDevice(physical_device, &info, nullptr, &device); result != VK_SUCCESS) {
    error = "vkCreateDevice returned " + std::to_string(result);
    return false;
  }
  for (const VkDeviceQueueCreateInfo& queue_info : queue_infos) {
    for (uint32_t i = 0; i < queue_info.queueCount; ++i) {
      queues.push_back({VK_NULL_HANDLE, queue_info.queueFamilyIndex});
      vkGetDeviceQueue(device, queue_info.queueFamilyIndex, i, &queues.back().handle);
    }
  }
  queue = queues.front().handle;
  queue_family = queues.front().family;
  // The tests draw with commands of Vulkan 1.3.
  has_graphics =
      (families[queue_family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 && properties.apiVersion >= VK_API_VERSION_1_3;
  return LoadCommands(error);
}

bool Context::HasOneQueue() const {
  return std::count_if(queues.begin(), queues.end(),
                       [this](const ComputeQueue& other) { return other.family == queue_family; }) == 1;
}

bool Context::LoadCommands(std::string& error) {
  optional = LoadOptionalCommands(device);
  return Load(device, "vkCreateExecutionGraphPipelinesAMDX", graph.CreateExecutionGraphPipelines, error) &&
         Load(device, "vkGetExecutionGraphPipelineScratchSizeAMDX", graph.GetExecutionGraphPipelineScratchSize,
              error) &&
         Load(device, "vkGetExecutionGraphPipelineNodeIndexAMDX", graph.GetExecutionGraphPipelineNodeIndex, error) &&
         Load(device, "vkCmdInitializeGraphScratchMemoryAMDX", graph.CmdInitializeGraphScratchMemory, error) &&
         Load(device, "vkCmdDispatchGraphAMDX", graph.CmdDispatchGraph, error) &&
         Load(device, "vkCmdDispatchGraphIndirectAMDX", graph.CmdDispatchGraphIndirect, error) &&
         Load(device, "vkCmdDispatchGraphIndirectCountAMDX", graph.CmdDispatchGraphIndirectCount, error);
}

uint32_t Context::MemoryType(uint32_t types, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_device, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if ((types >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  }
  return ~0u;
}

namespace {

struct Shared {
  bool made = false;
  std::string error;
  std::unique_ptr<Context> context;
};

Shared& SharedState() {
  static Shared shared;
  return shared;
}

}  // namespace

Context* SharedContext() {
  Shared& shared = SharedState();
  if (!shared.made) {
    shared.made = true;
    shared.context = Context::Create(shared.error);
  }
  return shared.context.get();
}

const std::string& SharedContextError() { return SharedState().error; }

std::vector<Message> DestroySharedContext() {
  std::unique_ptr<Context>& context = SharedState().context;
  if (context == nullptr) return {};
  context->messages.Clear();
  context->DestroyDevice();
  std::vector<Message> messages = context->messages.Unexpected();
  context.reset();
  return messages;
}

}  // namespace trellis::test
