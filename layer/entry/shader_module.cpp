// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/objects/registry.h"
#include "layer/objects/shader_module.h"

namespace trellis::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator, VkShaderModule* module) {
  const std::shared_ptr<Device> object = FindDevice(device);
  auto made = std::make_shared<ShaderModule>();
  made->words.assign(info->pCode, info->pCode + info->codeSize / sizeof(uint32_t));
  made->declares_shader_enqueue = DeclaresShaderEnqueue(made->words);
  VkShaderModule handle = HandleFromObject<VkShaderModule>(made.get());
  if (!made->declares_shader_enqueue) {
    const VkResult result = object->dispatch.CreateShaderModule(device, info, allocator, &handle);
    if (result != VK_SUCCESS) return result;
    made->driver_handle = handle;
  }
  ScopedUndo undo([&] {
    if (made->driver_handle) object->dispatch.DestroyShaderModule(device, made->driver_handle, allocator);
  });
  object->shader_modules.Insert(handle, made);
  undo.Keep();
  *module = handle;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice device, VkShaderModule module,
                                               const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<ShaderModule> taken = object->shader_modules.Take(module);
  if (taken && taken->declares_shader_enqueue) return object->private_data.Forget(HandleToU64(module));
  object->dispatch.DestroyShaderModule(device, module, allocator);
}

VKAPI_ATTR void VKAPI_CALL GetShaderModuleIdentifierEXT(VkDevice device, VkShaderModule module,
                                                        VkShaderModuleIdentifierEXT* identifier) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::shared_ptr<ShaderModule> known = object->shader_modules.Find(module);
  if (known && known->declares_shader_enqueue) {
    identifier->identifierSize = 0;  // no identifier: the driver has never seen the module
    return;
  }
  object->dispatch.GetShaderModuleIdentifierEXT(device, module, identifier);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShadersEXT(VkDevice device, uint32_t count, const VkShaderCreateInfoEXT* infos,
                                                const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const bool is_node = std::any_of(infos, infos + count, [](const VkShaderCreateInfoEXT& info) {
    return info.codeType == VK_SHADER_CODE_TYPE_SPIRV_EXT &&
           DeclaresShaderEnqueue({static_cast<const uint32_t*>(info.pCode), info.codeSize / sizeof(uint32_t)});
  });
  if (!is_node) return object->dispatch.CreateShadersEXT(device, count, infos, allocator, shaders);
  std::fill_n(shaders, count, VkShaderEXT{VK_NULL_HANDLE});
  object->diagnostics.Error(
      "TRELLIS-node-shader-object",
      "vkCreateShadersEXT: a shader that declares capability ShaderEnqueueAMDX cannot be a shader "
      "object; nodes are part of execution graph pipelines only");
  return VK_ERROR_UNKNOWN;
}

}  // namespace trellis::entry
