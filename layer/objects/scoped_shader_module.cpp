// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/scoped_shader_module.h"

#include "layer/dispatch/struct_type.h"
#include "layer/objects/device.h"

namespace trellis {

ScopedShaderModule::~ScopedShaderModule() {
  if (handle_) device_.dispatch.DestroyShaderModule(device_.handle, handle_, allocator_);
}

VkResult ScopedShaderModule::Create(std::span<const uint32_t> words) {
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  const VkResult result = device_.dispatch.CreateShaderModule(device_.handle, &info, allocator_, &handle_);
  // Drivers may write something even if they fail.
  if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
  return result;
}

}  // namespace trellis
