// SPDX-License-Identifier: Apache-2.0
#include "layer/entry/guard.h"

#include "layer/diagnostics/exception.h"
#include "layer/objects/registry.h"

namespace trellis::entry {

namespace {

// `instance` may be null.
VkResult HandleFor(const std::shared_ptr<Instance>& instance, const char* command) noexcept {
  if (instance) return trellis::HandleException(instance->diagnostics, command);
  Diagnostics standard_error{Settings{}};
  return trellis::HandleException(standard_error, command);
}

template <typename Handle>
VkResult HandleForDevice(Handle handle, const char* command) noexcept {
  const std::shared_ptr<Device> device = handle ? FindDevice(handle) : nullptr;
  return HandleFor(device ? device->instance : nullptr, command);
}

}  // namespace

VkResult HandleException(const char* command, const VkInstanceCreateInfo* info) noexcept {
  Diagnostics diagnostics{Settings{}};
  try {
    diagnostics.SetInstanceMessengers(info->pNext);
  } catch (...) {
    // No memory for messengers: standard error gets the message.
  }
  return trellis::HandleException(diagnostics, command);
}

VkResult HandleException(const char* command, VkInstance instance) noexcept {
  return HandleFor(instance ? FindInstance(instance) : nullptr, command);
}

VkResult HandleException(const char* command, VkPhysicalDevice physical_device) noexcept {
  return HandleFor(FindInstance(physical_device), command);
}

VkResult HandleException(const char* command, VkDevice device) noexcept { return HandleForDevice(device, command); }

VkResult HandleException(const char* command, VkQueue queue) noexcept { return HandleForDevice(queue, command); }

VkResult HandleException(const char* command, VkCommandBuffer command_buffer) noexcept {
  return HandleForDevice(command_buffer, command);
}

void RememberError(VkCommandBuffer command_buffer, VkResult error) noexcept {
  if (const auto recording = CommandBuffers().Find(command_buffer)) recording->RememberError(error);
}

}  // namespace trellis::entry
