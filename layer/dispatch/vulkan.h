// SPDX-License-Identifier: Apache-2.0
// The one place that includes the Vulkan headers: every file sees the provisional types, and none can call a global
// prototype by accident, because everything the layer calls comes out of a dispatch table.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS 1
#endif
#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES 1
#endif

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#ifndef VK_AMDX_shader_enqueue
#error "Vulkan headers with VK_AMDX_shader_enqueue are needed"
#elif VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION < 2
#error "Vulkan headers with revision 2 of VK_AMDX_shader_enqueue are needed (1.4.309 or newer)"
#endif

#include "layer/dispatch/newer_commands.h"

namespace trellis {

inline constexpr char kLayerName[] = "VK_LAYER_TRELLIS_shader_enqueue";

}  // namespace trellis
