// SPDX-License-Identifier: Apache-2.0
// What lowered shaders are made for. Internal to layer; replay plans for the same.
#pragma once

#include "layer/objects/device.h"

namespace trellis {

// A driver that runs subgroups as vectors of a processor, instead of a GPU.
[[nodiscard]] inline bool TargetsCpu(const Device& device) {
  if (device.settings.shader_target == ShaderTarget::kAuto) return device.traits.is_cpu;
  return device.settings.shader_target == ShaderTarget::kCpu;
}

}  // namespace trellis
