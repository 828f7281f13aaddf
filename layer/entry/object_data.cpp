// SPDX-License-Identifier: Apache-2.0
// Names, tags and private data of objects. Those whose handles the layer made up must not reach the driver, which would
// take the handle for one of its own.
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis::entry {

namespace {

bool IsOwnHandle(const Device& device, VkObjectType type, uint64_t handle) {
  if (type == VK_OBJECT_TYPE_SHADER_MODULE) {
    const auto module = device.shader_modules.Find(HandleFromU64<VkShaderModule>(handle));
    return module && module->declares_shader_enqueue;
  }
  return type == VK_OBJECT_TYPE_PIPELINE && device.IsOwnPipeline(HandleFromU64<VkPipeline>(handle));
}

// VK_EXT_debug_marker numbers its object types differently.
VkObjectType ObjectTypeOf(VkDebugReportObjectTypeEXT type) {
  if (type == VK_DEBUG_REPORT_OBJECT_TYPE_SHADER_MODULE_EXT) return VK_OBJECT_TYPE_SHADER_MODULE;
  if (type == VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT) return VK_OBJECT_TYPE_PIPELINE;
  return VK_OBJECT_TYPE_UNKNOWN;
}

// Commands of an instance extension: what is below may know them of the instance only.
template <typename Function>
Function ForDevice(Function of_device, Function of_instance) {
  return of_device ? of_device : of_instance;
}

// No driver hears of these names: labels and messages of the layer use them.
VkResult NameOwnObject(const Device& device, VkObjectType type, uint64_t handle, const char* name) {
  if (type == VK_OBJECT_TYPE_PIPELINE)
    if (const auto graph = device.execution_graphs.Find(HandleFromU64<VkPipeline>(handle))) graph->SetName(name);
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT* info) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (IsOwnHandle(*object, info->objectType, info->objectHandle))
    return NameOwnObject(*object, info->objectType, info->objectHandle, info->pObjectName);
  return ForDevice(object->dispatch.SetDebugUtilsObjectNameEXT, object->instance->dispatch.SetDebugUtilsObjectNameEXT)(
      device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectTagEXT(VkDevice device, const VkDebugUtilsObjectTagInfoEXT* info) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (IsOwnHandle(*object, info->objectType, info->objectHandle)) return VK_SUCCESS;
  return ForDevice(object->dispatch.SetDebugUtilsObjectTagEXT, object->instance->dispatch.SetDebugUtilsObjectTagEXT)(
      device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectNameEXT(VkDevice device,
                                                           const VkDebugMarkerObjectNameInfoEXT* info) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkObjectType type = ObjectTypeOf(info->objectType);
  if (IsOwnHandle(*object, type, info->object)) return NameOwnObject(*object, type, info->object, info->pObjectName);
  return object->dispatch.DebugMarkerSetObjectNameEXT(device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL DebugMarkerSetObjectTagEXT(VkDevice device, const VkDebugMarkerObjectTagInfoEXT* info) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (IsOwnHandle(*object, ObjectTypeOf(info->objectType), info->object)) return VK_SUCCESS;
  return object->dispatch.DebugMarkerSetObjectTagEXT(device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice device, VkObjectType type, uint64_t handle,
                                              VkPrivateDataSlot slot, uint64_t data) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!IsOwnHandle(*object, type, handle)) return object->dispatch.SetPrivateData(device, type, handle, slot, data);
  object->private_data.Set(handle, slot, data);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice device, VkObjectType type, uint64_t handle, VkPrivateDataSlot slot,
                                          uint64_t* data) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!IsOwnHandle(*object, type, handle)) return object->dispatch.GetPrivateData(device, type, handle, slot, data);
  *data = object->private_data.Get(handle, slot);
}

VKAPI_ATTR void VKAPI_CALL DestroyPrivateDataSlot(VkDevice device, VkPrivateDataSlot slot,
                                                  const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->private_data.ForgetSlot(slot);
  object->dispatch.DestroyPrivateDataSlot(device, slot, allocator);
}

}  // namespace trellis::entry
