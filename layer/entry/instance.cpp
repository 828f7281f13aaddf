// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "layer/dispatch/extension_names.h"
#include "layer/dispatch/loader_chain.h"
#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/objects/registry.h"
#include "layer/proc_addr.h"
#include "layer/settings/load_settings.h"

namespace trellis::entry {

namespace {

// Calls down with a copy of the create info, plus an extension if that is not null. Gives back the next layer's
// vkGetInstanceProcAddr.
VkResult CreateBelow(const VkInstanceCreateInfo& info, const char* extension, const VkAllocationCallbacks* allocator,
                     VkInstance* instance, PFN_vkGetInstanceProcAddr& next) {
  Arena arena;
  VkInstanceCreateInfo copy = info;
  if (extension) AddExtension(copy, extension, arena);
  const VkLayerInstanceLink* link = TakeInstanceLink(copy, arena);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  next = link->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  return create(&copy, allocator, instance);
}

VkResult LoadDispatch(Instance& instance, PFN_vkGetInstanceProcAddr next) {
  const char* missing = instance.dispatch.Load(instance.handle, next);
  FindInstanceHooksBelow(instance);
  if (!missing) return VK_SUCCESS;
  instance.diagnostics.Error("TRELLIS-missing-command", std::string("the layer below has no ") + missing);
  return VK_ERROR_INITIALIZATION_FAILED;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  LoadedSettings loaded = LoadSettings(ProcessSettingSources(info->pNext));
  auto object = std::make_shared<Instance>(std::move(loaded.settings));
  object->diagnostics.SetInstanceMessengers(info->pNext);
  if (info->pApplicationInfo && info->pApplicationInfo->apiVersion)
    object->api_version = info->pApplicationInfo->apiVersion;
  for (const std::string& problem : loaded.problems) object->diagnostics.Warning("TRELLIS-setting-ignored", problem);
  for (const std::string& note : loaded.notes) object->diagnostics.Info("TRELLIS-setting-ignored", note);

  const bool has_debug_utils = EnablesExtension(*info, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  const bool add_debug_utils = object->settings.enable_debug_utils && !has_debug_utils;
  PFN_vkGetInstanceProcAddr next = nullptr;
  VkResult result = VK_ERROR_EXTENSION_NOT_PRESENT;
  if (add_debug_utils) result = CreateBelow(*info, VK_EXT_DEBUG_UTILS_EXTENSION_NAME, allocator, instance, next);
  object->debug_utils_added = result == VK_SUCCESS;
  object->has_debug_utils = has_debug_utils || object->debug_utils_added;
  if (result == VK_ERROR_EXTENSION_NOT_PRESENT) result = CreateBelow(*info, nullptr, allocator, instance, next);
  if (result != VK_SUCCESS) return result;

  ScopedUndo undo([&] {
    if (object->dispatch.DestroyInstance) object->dispatch.DestroyInstance(*instance, allocator);
    *instance = VK_NULL_HANDLE;
  });
  object->handle = *instance;
  result = LoadDispatch(*object, next);
  if (result != VK_SUCCESS) return result;
  object->diagnostics.ActivateInstanceMessengers(false);
  Instances().Insert(DispatchKeyOf(*instance), object);
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (!instance) return;
  const std::shared_ptr<Instance> object = Instances().Take(DispatchKeyOf(instance));
  if (!object) return;
  object->diagnostics.ActivateInstanceMessengers(true);
  object->dispatch.DestroyInstance(instance, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessengerEXT(VkInstance instance,
                                                            const VkDebugUtilsMessengerCreateInfoEXT* info,
                                                            const VkAllocationCallbacks* allocator,
                                                            VkDebugUtilsMessengerEXT* messenger) {
  const std::shared_ptr<Instance> object = FindInstance(instance);
  const VkResult result = object->dispatch.CreateDebugUtilsMessengerEXT(instance, info, allocator, messenger);
  if (result != VK_SUCCESS) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyDebugUtilsMessengerEXT(instance, *messenger, allocator); });
  object->diagnostics.AddMessenger(*messenger, *info);
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessengerEXT(VkInstance instance, VkDebugUtilsMessengerEXT messenger,
                                                         const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Instance> object = FindInstance(instance);
  if (messenger) object->diagnostics.RemoveMessenger(messenger);
  object->dispatch.DestroyDebugUtilsMessengerEXT(instance, messenger, allocator);
}

}  // namespace trellis::entry
