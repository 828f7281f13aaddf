// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <optional>

#include "layer/device/advertised_extensions.h"
#include "layer/device/advertised_properties.h"
#include "layer/device/buffer_usage.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"

namespace trellis::entry {
namespace {

// Keeps structures of extensions that the layer provides from the driver, and from validation layers, which report
// structures of extensions that the device lacks. The layer answers them afterwards, also those that stay visible.
class HiddenFromBelow {
 public:
  HiddenFromBelow(const EmulationDecision& decision, void* head, VkStructureType enqueue, VkStructureType maintenance5)
      : enqueue_(head, enqueue) {
    if (decision.maintenance5) maintenance5_.emplace(head, maintenance5);
  }

 private:
  const ScopedUnlink enqueue_;
  std::optional<ScopedUnlink> maintenance5_;  // destroyed first
};

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice physical_device,
                                                                  const char* layer_name, uint32_t* count,
                                                                  VkExtensionProperties* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return VK_ERROR_INITIALIZATION_FAILED;
  const InstanceDispatch& dispatch = object->instance->dispatch;
  if (layer_name && std::strcmp(layer_name, kLayerName) == 0)
    return AnswerEnumeration(LayerExtensions(object->decision), count, properties);
  if (layer_name || object->decision.emulation == Emulation::kNative)
    return dispatch.EnumerateDeviceExtensionProperties(physical_device, layer_name, count, properties);
  std::vector<VkExtensionProperties> below;
  const VkResult result = QueryExtensions(dispatch, physical_device, below);
  if (result != VK_SUCCESS) return result;
  return AnswerEnumeration(AdvertisedExtensions(below, object->decision), count, properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice physical_device,
                                                      VkPhysicalDeviceFeatures2* features) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  const InstanceDispatch& dispatch = object->instance->dispatch;
  if (object->decision.emulation == Emulation::kNative)
    return dispatch.GetPhysicalDeviceFeatures2(physical_device, features);

  {
    const HiddenFromBelow hidden(object->decision, features,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES);
    dispatch.GetPhysicalDeviceFeatures2(physical_device, features);
  }
  if (auto* enqueue = FindStruct<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>(features->pNext))
    FillShaderEnqueueFeatures(object->decision.Emulates(), object->decision.mesh_nodes, *enqueue);
  if (!object->decision.maintenance5) return;
  if (auto* maintenance5 = FindStruct<VkPhysicalDeviceMaintenance5Features>(features->pNext))
    maintenance5->maintenance5 = VK_TRUE;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical_device,
                                                        VkPhysicalDeviceProperties2* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  const InstanceDispatch& dispatch = object->instance->dispatch;
  if (object->decision.emulation == Emulation::kNative)
    return dispatch.GetPhysicalDeviceProperties2(physical_device, properties);

  {
    const HiddenFromBelow hidden(object->decision, properties,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX,
                                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES);
    dispatch.GetPhysicalDeviceProperties2(physical_device, properties);
  }
  if (auto* enqueue = FindStruct<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>(properties->pNext)) {
    FillShaderEnqueueProperties(object->decision.Emulates(), *enqueue);
    // An application that asks for this is one that may use graphs. All others see the driver's limits.
    if (object->decision.Emulates()) ReduceLimits(properties->properties.limits);
  }
  if (!object->decision.maintenance5) return;
  // All false: nothing is promised that the driver below might not keep.
  if (auto* maintenance5 = FindStruct<VkPhysicalDeviceMaintenance5Properties>(properties->pNext))
    *maintenance5 = MakeStruct<VkPhysicalDeviceMaintenance5Properties>(maintenance5->pNext);
}

// The layer's own entry comes first, then those from below.
VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice physical_device, uint32_t* count,
                                                               VkPhysicalDeviceToolProperties* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return VK_ERROR_INITIALIZATION_FAILED;
  const auto below = object->instance->dispatch.GetPhysicalDeviceToolProperties;
  if (!object->decision.Emulates()) return below(physical_device, count, properties);
  if (properties && *count == 0) return VK_INCOMPLETE;
  uint32_t below_count = properties ? *count - 1 : 0;
  const VkResult result = below(physical_device, &below_count, properties ? properties + 1 : nullptr);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return result;
  if (properties) FillToolProperties(*properties);
  *count = below_count + 1;
  return result;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice physical_device,
                                                                     const VkPhysicalDeviceExternalBufferInfo* info,
                                                                     VkExternalBufferProperties* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  Arena arena;
  if (object->decision.Emulates()) info = EditBufferUsage(*info, object->decision.maintenance5, arena);
  object->instance->dispatch.GetPhysicalDeviceExternalBufferProperties(physical_device, info, properties);
}

}  // namespace trellis::entry
