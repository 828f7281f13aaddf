// SPDX-License-Identifier: Apache-2.0
// Features and limits of VK_AMDX_shader_enqueue, and the limits of the device that the emulation takes from. Pure.
#pragma once

#include <array>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Bytes of workgroup memory that lowered nodes use in addition to the application's: those that allocate for the
// workgroup.
inline constexpr uint32_t kReservedSharedMemory = 64;

inline constexpr uint32_t kMaxExecutionGraphDepth = 128;
inline constexpr uint32_t kMaxExecutionGraphShaderOutputNodes = 1024;
inline constexpr uint32_t kMaxExecutionGraphShaderPayloadSize = 65536;
// Also the most payloads of one VkDispatchGraphInfoAMDX (VUID-VkDispatchGraphInfoAMDX-payloadCount-09171), so large.
inline constexpr uint32_t kMaxExecutionGraphShaderPayloadCount = 1u << 24;
// Infos, payloads and counts are read as 32-bit words.
inline constexpr uint32_t kExecutionGraphDispatchAddressAlignment = 4;
inline constexpr uint32_t kMaxExecutionGraphWorkgroupCount = 65535;
inline constexpr std::array<uint32_t, 3> kMaxExecutionGraphGrid = {
    kMaxExecutionGraphWorkgroupCount, kMaxExecutionGraphWorkgroupCount, kMaxExecutionGraphWorkgroupCount};
inline constexpr uint32_t kMaxExecutionGraphWorkgroups = (1u << 24) - 1;

// Fill in everything but sType and pNext; all zero where the extension is not offered.
void FillShaderEnqueueFeatures(bool offered, bool mesh_nodes, VkPhysicalDeviceShaderEnqueueFeaturesAMDX& features);
void FillShaderEnqueueProperties(bool offered, VkPhysicalDeviceShaderEnqueuePropertiesAMDX& properties);

// Trellis as vkGetPhysicalDeviceToolProperties lists it.
void FillToolProperties(VkPhysicalDeviceToolProperties& properties);

// What is left of the device's limits for the application's shaders.
void ReduceLimits(VkPhysicalDeviceLimits& limits);

}  // namespace trellis
