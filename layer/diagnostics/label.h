// SPDX-License-Identifier: Apache-2.0
// VK_EXT_debug_utils labels and names, so that a debugger's view of a graph reads like the graph.
#pragma once

#include <string>

#include "layer/dispatch/device_dispatch.h"

namespace trellis {

struct Device;

// A label region in a command buffer, closed by the destructor. Does nothing when the label commands are null or the
// setting `labels` is off.
class [[nodiscard]] ScopedLabel {
 public:
  ScopedLabel(const Device& device, VkCommandBuffer command_buffer, const std::string& text);
  ~ScopedLabel();
  ScopedLabel(const ScopedLabel&) = delete;
  ScopedLabel& operator=(const ScopedLabel&) = delete;

 private:
  const DeviceDispatch* dispatch_ = nullptr;  // null: no label was opened
  VkCommandBuffer command_buffer_;
};

// True when labels have an effect: lets callers skip building texts.
[[nodiscard]] bool LabelsEnabled(const Device& device);

// Names an object of the *driver* for debuggers. Does nothing when the command is null or the setting `labels` is off.
void NameObject(const Device& device, VkObjectType type, uint64_t handle, const std::string& name);

}  // namespace trellis
