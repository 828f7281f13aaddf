#include <cstring>

#include "layer/device/advertised_extensions.h"
#include "layer/device/advertised_properties.h"
#include "layer/device/buffer_usage.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/entry/hooks.h"
#include "layer/maintenance5/advertised.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

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

  const ScopedUnlink enqueue(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX);
  if (auto* answer = enqueue.As<VkPhysicalDeviceShaderEnqueueFeaturesAMDX>())
    FillShaderEnqueueFeatures(object->decision.Emulates(), *answer);
  if (!object->decision.maintenance5) return dispatch.GetPhysicalDeviceFeatures2(physical_device, features);

  const ScopedUnlink maintenance5(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES);
  if (auto* answer = maintenance5.As<VkPhysicalDeviceMaintenance5Features>()) FillMaintenance5Features(*answer);
  dispatch.GetPhysicalDeviceFeatures2(physical_device, features);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice physical_device,
                                                       VkPhysicalDeviceProperties* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  object->instance->dispatch.GetPhysicalDeviceProperties(physical_device, properties);
  if (object->decision.Emulates()) ReduceLimits(properties->limits);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical_device,
                                                        VkPhysicalDeviceProperties2* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  const InstanceDispatch& dispatch = object->instance->dispatch;
  if (object->decision.emulation == Emulation::kNative)
    return dispatch.GetPhysicalDeviceProperties2(physical_device, properties);

  const ScopedUnlink enqueue(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX);
  if (auto* answer = enqueue.As<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>())
    FillShaderEnqueueProperties(object->decision.Emulates(), *answer);
  if (object->decision.maintenance5) {
    const ScopedUnlink maintenance5(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES);
    if (auto* answer = maintenance5.As<VkPhysicalDeviceMaintenance5Properties>()) FillMaintenance5Properties(*answer);
    dispatch.GetPhysicalDeviceProperties2(physical_device, properties);
  } else {
    dispatch.GetPhysicalDeviceProperties2(physical_device, properties);
  }
  if (object->decision.Emulates()) ReduceLimits(properties->properties.limits);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice physical_device,
                                                                     const VkPhysicalDeviceExternalBufferInfo* info,
                                                                     VkExternalBufferProperties* properties) {
  const std::shared_ptr<PhysicalDevice> object = FindPhysicalDevice(physical_device);
  if (!object) return;
  Arena arena;
  if (object->decision.Emulates()) info = EditExternalBufferInfo(*info, object->decision.maintenance5, arena);
  object->instance->dispatch.GetPhysicalDeviceExternalBufferProperties(physical_device, info, properties);
}

}  // namespace trellis::entry
