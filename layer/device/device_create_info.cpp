// SPDX-License-Identifier: Apache-2.0
#include "layer/device/device_create_info.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "layer/dispatch/extension_names.h"
#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

// A structure that stands there twice breaks VUID-VkDeviceCreateInfo-sType-unique, but must not go down either.
void RemoveAllFromChain(VkDeviceCreateInfo* info, VkStructureType type, Arena& arena) {
  while (RemoveFromChain(info, type, arena)) {
  }
}

// A feature that has a structure of its own and a place in the structure of a core version.
template <typename Single, typename Core>
struct FeaturePlace {
  VkBool32 Single::*single;
  VkBool32 Core::*core;
};
template <typename Single, typename Core>
FeaturePlace(VkBool32 Single::*, VkBool32 Core::*) -> FeaturePlace<Single, Core>;

constexpr FeaturePlace kBufferDeviceAddress = {&VkPhysicalDeviceBufferDeviceAddressFeatures::bufferDeviceAddress,
                                               &VkPhysicalDeviceVulkan12Features::bufferDeviceAddress};
constexpr FeaturePlace kScalarBlockLayout = {&VkPhysicalDeviceScalarBlockLayoutFeatures::scalarBlockLayout,
                                             &VkPhysicalDeviceVulkan12Features::scalarBlockLayout};
constexpr FeaturePlace kStorageBuffer8Bit = {&VkPhysicalDevice8BitStorageFeatures::storageBuffer8BitAccess,
                                             &VkPhysicalDeviceVulkan12Features::storageBuffer8BitAccess};
constexpr FeaturePlace kStorageBuffer16Bit = {&VkPhysicalDevice16BitStorageFeatures::storageBuffer16BitAccess,
                                              &VkPhysicalDeviceVulkan11Features::storageBuffer16BitAccess};
constexpr FeaturePlace kMaintenance4 = {&VkPhysicalDeviceMaintenance4Features::maintenance4,
                                        &VkPhysicalDeviceVulkan13Features::maintenance4};

// These two: for a feature that stands in no core version's structure.
template <typename Struct>
bool IsEnabled(const VkDeviceCreateInfo& info, VkBool32 Struct::*feature) {
  const auto* given = FindStruct<Struct>(info.pNext);
  return given && given->*feature;
}

template <typename Struct>
void EnableExtensionFeature(VkDeviceCreateInfo& info, VkBool32 Struct::*feature, Arena& arena) {
  if (IsEnabled(info, feature)) return;
  auto* features = EditStruct<Struct>(&info, arena);
  if (!features) {
    features = arena.Copy(MakeStruct<Struct>());
    InsertIntoChain(&info, features);
  }
  features->*feature = VK_TRUE;
}

template <typename Single, typename Core>
bool IsEnabled(const VkDeviceCreateInfo& info, const FeaturePlace<Single, Core>& place) {
  if (const Core* core = FindStruct<Core>(info.pNext)) return core->*place.core;
  return IsEnabled(info, place.single);
}

// VUID-VkDeviceCreateInfo-pNext-02829 and -02830: the single structure and the core one exclude each other.
template <typename Single, typename Core>
void EnableFeature(VkDeviceCreateInfo& info, const FeaturePlace<Single, Core>& place, Arena& arena) {
  if (IsEnabled(info, place)) return;
  if (Core* core = EditStruct<Core>(&info, arena)) {
    core->*place.core = VK_TRUE;
  } else {
    EnableExtensionFeature(info, place.single, arena);
  }
}

// VK_EXT_buffer_device_address is the older form: its feature may not be mixed with the newer one
// (VUID-VkDeviceCreateInfo-pNext-04748), and does as well for us.
void EnableBufferDeviceAddress(VkDeviceCreateInfo& info, Arena& arena) {
  if (!EnablesExtension(info, VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) {
    EnableFeature(info, kBufferDeviceAddress, arena);
    return;
  }
  EnableExtensionFeature(info, &VkPhysicalDeviceBufferDeviceAddressFeaturesEXT::bufferDeviceAddress, arena);
}

void EnableExtension(VkDeviceCreateInfo& info, const char* name, Arena& arena) {
  if (!EnablesExtension(info, name)) AddExtension(info, name, arena);
}

// Without it packed nodes reserve places one by one (spirv_lowering/lower.h).
void EnableMaximalReconvergence(VkDeviceCreateInfo& info, Arena& arena) {
  EnableExtension(info, VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME, arena);
  using Features = VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR;
  EnableExtensionFeature(info, &Features::shaderMaximalReconvergence, arena);
}

// The application may destroy its descriptor set layouts as soon as the pipeline exists; the node layouts made of them
// stay.
void EnableMaintenance4(VkDeviceCreateInfo& info, const DeviceTraits& supported, Arena& arena) {
  if (supported.api_version < VK_API_VERSION_1_3) EnableExtension(info, VK_KHR_MAINTENANCE_4_EXTENSION_NAME, arena);
  EnableFeature(info, kMaintenance4, arena);
}

// Without it nodes compute addresses with pairs of 32-bit integers.
void EnableShaderInt64(VkDeviceCreateInfo& info, Arena& arena) {
  const auto* given = FindStruct<VkPhysicalDeviceFeatures2>(info.pNext);
  if (given ? given->features.shaderInt64 : info.pEnabledFeatures && info.pEnabledFeatures->shaderInt64) return;
  if (auto* features = EditStruct<VkPhysicalDeviceFeatures2>(&info, arena)) {
    features->features.shaderInt64 = VK_TRUE;
    return;
  }
  VkPhysicalDeviceFeatures features = info.pEnabledFeatures ? *info.pEnabledFeatures : VkPhysicalDeviceFeatures{};
  features.shaderInt64 = VK_TRUE;
  info.pEnabledFeatures = arena.Copy(features);
}

void EnableMeshShader(VkDeviceCreateInfo& info, Arena& arena) {
  EnableExtension(info, VK_EXT_MESH_SHADER_EXTENSION_NAME, arena);
  EnableExtensionFeature(info, &VkPhysicalDeviceMeshShaderFeaturesEXT::meshShader, arena);
}

void EnableNeededFeatures(VkDeviceCreateInfo& info, const DeviceTraits& supported, Arena& arena) {
  EnableBufferDeviceAddress(info, arena);
  EnableFeature(info, kScalarBlockLayout, arena);
  if (supported.storage_buffer_16bit) EnableFeature(info, kStorageBuffer16Bit, arena);
  if (supported.storage_buffer_8bit) EnableFeature(info, kStorageBuffer8Bit, arena);
  if (supported.maintenance4) EnableMaintenance4(info, supported, arena);
  if (supported.maximal_reconvergence) EnableMaximalReconvergence(info, arena);
  if (supported.shader_int64) EnableShaderInt64(info, arena);
  // Without it the groups of a subgroup are found in rounds.
  if (supported.subgroup_operations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV)
    EnableExtension(info, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME, arena);
}

}  // namespace

bool EnablesShaderEnqueue(const VkDeviceCreateInfo& info) {
  return EnablesExtension(info, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
}

bool IsForSeveralDevices(const VkDeviceCreateInfo& info) {
  const auto* group = FindStruct<VkDeviceGroupDeviceCreateInfo>(info.pNext);
  return group && group->physicalDeviceCount > 1;
}

RequestedEmulation FindRequestedEmulation(const VkDeviceCreateInfo& info, const EmulationDecision& decision) {
  RequestedEmulation requested;
  if (!decision.Emulates()) return requested;
  requested.graphs = EnablesShaderEnqueue(info);
  requested.maintenance5 = decision.maintenance5 && EnablesExtension(info, VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  requested.pipeline_library =
      decision.pipeline_library && EnablesExtension(info, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
  requested.buffer_device_address =
      decision.buffer_device_address && EnablesExtension(info, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
  const auto* features = FindStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(info.pNext);
  requested.shader_enqueue_structure = features != nullptr;
  requested.shader_enqueue = features && features->shaderEnqueue;
  requested.shader_mesh_enqueue = requested.graphs && decision.mesh_nodes && features && features->shaderMeshEnqueue;
  requested.maintenance5_structure =
      decision.maintenance5 && FindInChain(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES);
  return requested;
}

VkDeviceCreateInfo* EditDeviceCreateInfo(const VkDeviceCreateInfo& info, const RequestedEmulation& requested,
                                         const DeviceTraits& supported, Arena& arena) {
  VkDeviceCreateInfo* edited = arena.Copy(info);

  auto* names = arena.CopyArray(info.ppEnabledExtensionNames, info.enabledExtensionCount);
  uint32_t count = 0;
  for (uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    const std::string_view name = info.ppEnabledExtensionNames[i];
    if (requested.graphs && name == VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) continue;
    if (requested.maintenance5 && name == VK_KHR_MAINTENANCE_5_EXTENSION_NAME) continue;
    if (requested.pipeline_library && name == VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME) continue;
    if (requested.buffer_device_address && name == VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME) continue;
    names[count++] = info.ppEnabledExtensionNames[i];
  }
  edited->enabledExtensionCount = count;
  edited->ppEnabledExtensionNames = names;

  if (requested.shader_enqueue_structure)
    RemoveAllFromChain(edited, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX, arena);
  if (requested.maintenance5_structure)
    RemoveAllFromChain(edited, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES, arena);
  if (requested.graphs) EnableNeededFeatures(*edited, supported, arena);
  if (requested.shader_mesh_enqueue) EnableMeshShader(*edited, arena);
  return edited;
}

bool MayHaveUnknownCommands(const VkDeviceCreateInfo& info, uint32_t api_version) {
  static constexpr auto kKnown = std::to_array<std::string_view>({
#define EXTENSION(name) name,
#include "layer/dispatch/registry_names.inc"
#undef EXTENSION
  });
  // Registries may know these; the layer has no hooks for their commands that bind, push, or begin something.
  static constexpr std::string_view kNotFollowed[] = {"VK_EXT_descriptor_heap", "VK_KHR_device_address_commands"};
  const std::span names(info.ppEnabledExtensionNames, info.enabledExtensionCount);
  return VK_API_VERSION_MINOR(api_version) > VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE) ||
         !std::all_of(names.begin(), names.end(), [](std::string_view name) {
           return std::binary_search(kKnown.begin(), kKnown.end(), name) &&
                  std::find(std::begin(kNotFollowed), std::end(kNotFollowed), name) == std::end(kNotFollowed);
         });
}

uint32_t CountQueues(const VkDeviceCreateInfo& info, uint32_t family) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < info.queueCreateInfoCount; ++i)
    if (info.pQueueCreateInfos[i].queueFamilyIndex == family) count += info.pQueueCreateInfos[i].queueCount;
  return count;
}

DeviceTraits EnabledTraits(const VkDeviceCreateInfo& info, const DeviceTraits& supported) {
  DeviceTraits traits = supported;
  const auto* features2 = FindStruct<VkPhysicalDeviceFeatures2>(info.pNext);
  const VkPhysicalDeviceFeatures* features = features2 ? &features2->features : info.pEnabledFeatures;
  traits.robust_buffer_access = features && features->robustBufferAccess;
  traits.shader_int16 = features && features->shaderInt16;
  traits.shader_int64 = features && features->shaderInt64;
  traits.shader_float64 = features && features->shaderFloat64;

  traits.buffer_device_address = IsEnabled(info, kBufferDeviceAddress) ||
                                 IsEnabled(info, &VkPhysicalDeviceBufferDeviceAddressFeaturesEXT::bufferDeviceAddress);
  traits.scalar_block_layout = IsEnabled(info, kScalarBlockLayout);
  traits.storage_buffer_8bit = IsEnabled(info, kStorageBuffer8Bit);
  traits.storage_buffer_16bit = IsEnabled(info, kStorageBuffer16Bit);

  using Vulkan12 = VkPhysicalDeviceVulkan12Features;
  using Float16Int8 = VkPhysicalDeviceShaderFloat16Int8Features;
  using Int64Atomics = VkPhysicalDeviceShaderAtomicInt64Features;
  using MemoryModel = VkPhysicalDeviceVulkanMemoryModelFeatures;
  const auto is_enabled = [&info](auto single, auto core) { return IsEnabled(info, FeaturePlace{single, core}); };
  traits.shader_int8 = is_enabled(&Float16Int8::shaderInt8, &Vulkan12::shaderInt8);
  traits.shader_float16 = is_enabled(&Float16Int8::shaderFloat16, &Vulkan12::shaderFloat16);
  traits.buffer_int64_atomics =
      is_enabled(&Int64Atomics::shaderBufferInt64Atomics, &Vulkan12::shaderBufferInt64Atomics);
  traits.vulkan_memory_model = is_enabled(&MemoryModel::vulkanMemoryModel, &Vulkan12::vulkanMemoryModel);
  traits.vulkan_memory_model_device_scope =
      is_enabled(&MemoryModel::vulkanMemoryModelDeviceScope, &Vulkan12::vulkanMemoryModelDeviceScope);
  traits.pipeline_creation_cache_control =
      is_enabled(&VkPhysicalDevicePipelineCreationCacheControlFeatures::pipelineCreationCacheControl,
                 &VkPhysicalDeviceVulkan13Features::pipelineCreationCacheControl);
  traits.maintenance4 = IsEnabled(info, kMaintenance4);
  using Reconvergence = VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR;
  traits.maximal_reconvergence = IsEnabled(info, &Reconvergence::shaderMaximalReconvergence);
  traits.mesh_shader = IsEnabled(info, &VkPhysicalDeviceMeshShaderFeaturesEXT::meshShader);
  if (!EnablesExtension(info, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME))
    traits.subgroup_operations &= ~VkSubgroupFeatureFlags{VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV};
  return traits;
}

}  // namespace trellis
