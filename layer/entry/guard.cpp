// SPDX-License-Identifier: Apache-2.0
#include "layer/entry/guard.h"

#include "layer/diagnostics/exception.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

VkResult HandleException(const char* command, const VkInstanceCreateInfo* info) noexcept {
  Diagnostics diagnostics{Settings{}};
  try {
    diagnostics.SetInstanceMessengers(info->pNext);
  } catch (...) {
    // No memory for messengers: standard error gets the message.
  }
  return trellis::HandleException(diagnostics, command);
}

VkResult HandleException(const char* command, const void* object) noexcept {
  std::shared_ptr<Instance> instance = object ? FindInstance(object) : nullptr;
  const std::shared_ptr<Device> device = object ? FindDevice(object) : nullptr;
  if (device) instance = device->instance;
  if (instance) return trellis::HandleException(instance->diagnostics, command);
  Diagnostics standard_error{Settings{}};
  return trellis::HandleException(standard_error, command);
}

void RememberError(VkCommandBuffer command_buffer, VkResult error) noexcept {
  if (const auto object = FindCommandBuffer(command_buffer)) object->RememberError(error);
}

}  // namespace trellis::entry
