// SPDX-License-Identifier: Apache-2.0
// The VkDeviceCreateInfo that goes down instead of the application's. Pure.
#pragma once

#include <cstdint>

#include "layer/device/emulation_decision.h"
#include "layer/dispatch/arena.h"

namespace trellis {

// What the application asked for that the layer answers itself.
struct RequestedEmulation {
  bool graphs = false;                 // VK_AMDX_shader_enqueue
  bool shader_enqueue = false;         // its feature of that name
  bool shader_mesh_enqueue = false;    // its feature of that name, where it is offered
  bool maintenance5 = false;           // VK_KHR_maintenance5
  bool pipeline_library = false;       // VK_KHR_pipeline_library
  bool buffer_device_address = false;  // VK_KHR_buffer_device_address
  // The chain holds a feature structure that the layer below may not see, whether its extension is enabled or not:
  // Mesa fails when an unsupported feature is set.
  bool shader_enqueue_structure = false;
  bool maintenance5_structure = false;

  [[nodiscard]] bool operator==(const RequestedEmulation&) const = default;
};

// Nothing when the layer has nothing to do on such a device: then the create info goes down untouched.
[[nodiscard]] RequestedEmulation FindRequestedEmulation(const VkDeviceCreateInfo& info,
                                                        const EmulationDecision& decision);

[[nodiscard]] bool EnablesShaderEnqueue(const VkDeviceCreateInfo& info);

// A device of several physical devices.
[[nodiscard]] bool IsForSeveralDevices(const VkDeviceCreateInfo& info);

// A copy without the extensions and feature structures that the layer answers, and with the features that lowered nodes
// need: bufferDeviceAddress and scalarBlockLayout, and where the device has them storageBuffer16BitAccess and
// storageBuffer8BitAccess (payloads live in such buffers, but the application's module does not have to ask for more
// than Int16 or Int8). Also maintenance4 and shaderMaximalReconvergence, with their extensions, where the device has
// them, and meshShader for mesh nodes. A feature is set in the structure that the application chained, or else in a new
// one; never twice.
[[nodiscard]] VkDeviceCreateInfo* EditDeviceCreateInfo(const VkDeviceCreateInfo& info,
                                                       const RequestedEmulation& requested,
                                                       const DeviceTraits& supported, Arena& arena);

// The device has an extension, or a version of Vulkan, that the registry of this build does not know, or whose commands
// the layer does not follow.
[[nodiscard]] bool MayHaveUnknownCommands(const VkDeviceCreateInfo& info, uint32_t api_version);

// Queues of the family that such a device has, whatever their flags.
[[nodiscard]] uint32_t CountQueues(const VkDeviceCreateInfo& info, uint32_t family);

// What is enabled on a device that is created with `info`; limits and the like come from `supported`.
[[nodiscard]] DeviceTraits EnabledTraits(const VkDeviceCreateInfo& info, const DeviceTraits& supported);

}  // namespace trellis
