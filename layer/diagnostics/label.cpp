// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/label.h"

#include "layer/dispatch/struct_type.h"
#include "layer/objects/device.h"
#include "layer/objects/instance.h"

namespace trellis {

namespace {

// Drivers may give out commands of an extension that is not enabled.
bool NamesEnabled(const Device& device) { return device.settings.labels && device.instance->has_debug_utils; }

}  // namespace

bool LabelsEnabled(const Device& device) {
  return NamesEnabled(device) && device.dispatch.CmdBeginDebugUtilsLabelEXT && device.dispatch.CmdEndDebugUtilsLabelEXT;
}

ScopedLabel::ScopedLabel(const Device& device, VkCommandBuffer command_buffer, const std::string& text)
    : command_buffer_(command_buffer) {
  if (!LabelsEnabled(device)) return;
  dispatch_ = &device.dispatch;
  auto label = MakeStruct<VkDebugUtilsLabelEXT>();
  label.pLabelName = text.c_str();
  dispatch_->CmdBeginDebugUtilsLabelEXT(command_buffer_, &label);
}

ScopedLabel::~ScopedLabel() {
  if (dispatch_) dispatch_->CmdEndDebugUtilsLabelEXT(command_buffer_);
}

void NameObject(const Device& device, VkObjectType type, uint64_t handle, const std::string& name) {
  if (!NamesEnabled(device) || !device.dispatch.SetDebugUtilsObjectNameEXT) return;
  auto info = MakeStruct<VkDebugUtilsObjectNameInfoEXT>();
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name.c_str();
  device.dispatch.SetDebugUtilsObjectNameEXT(device.handle, &info);
}

}  // namespace trellis
