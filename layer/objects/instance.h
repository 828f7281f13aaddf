// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "layer/diagnostics/diagnostics.h"
#include "layer/dispatch/instance_dispatch.h"
#include "layer/objects/handle_table.h"
#include "layer/settings/settings.h"

namespace trellis {

struct PhysicalDevice;

// An instance of the application. Everything but the tables and counts is read-only after vkCreateInstance.
struct Instance {
  explicit Instance(Settings instance_settings) : settings(std::move(instance_settings)), diagnostics(settings) {}

  VkInstance handle = VK_NULL_HANDLE;
  uint32_t api_version = VK_API_VERSION_1_0;  // VkApplicationInfo::apiVersion
  InstanceDispatch dispatch;
  // Names of the hooked instance commands that the next layer has: a hook is only given out for these.
  std::unordered_set<std::string_view> hooks_below;
  bool has_debug_utils = false;    // VK_EXT_debug_utils is enabled below
  bool debug_utils_added = false;  // the layer enabled VK_EXT_debug_utils below, the application did not
  Settings settings;
  Diagnostics diagnostics;
  HandleTable<VkPhysicalDevice, PhysicalDevice> physical_devices;
  std::atomic<bool> told_of_cut_struct = false;
  // Devices that exist, with VK_AMDX_shader_enqueue emulated and without.
  std::atomic<uint32_t> graph_devices = 0;
  std::atomic<uint32_t> other_devices = 0;

  [[nodiscard]] std::atomic<uint32_t>& DeviceCount(bool emulates_graphs) {
    return emulates_graphs ? graph_devices : other_devices;
  }
};

}  // namespace trellis
