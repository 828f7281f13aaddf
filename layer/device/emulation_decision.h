// SPDX-License-Identifier: Apache-2.0
// Whether a physical device gets execution graphs from the layer. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "layer/device/capabilities.h"
#include "layer/settings/settings.h"

namespace trellis {

enum class Emulation : uint8_t {
  kImpossible,  // the device lacks something: VK_AMDX_shader_enqueue is hidden
  kNative,      // the driver implements it: left alone
  kEmulated,    // the layer implements it
};

struct EmulationDecision {
  Emulation emulation = Emulation::kImpossible;
  std::string reason;             // for the log
  bool maintenance5 = false;      // the layer implements VK_KHR_maintenance5 too
  bool pipeline_library = false;  // the layer lists VK_KHR_pipeline_library too
  // The layer lists VK_KHR_buffer_device_address too: graphs need it, applications ask for it by name, and a driver
  // that has it as a part of Vulkan 1.2 need not list it.
  bool buffer_device_address = false;
  bool mesh_nodes = false;  // shaderMeshEnqueue

  [[nodiscard]] bool Emulates() const { return emulation == Emulation::kEmulated; }
};

// `native_entry_points`: whether the driver answers all seven commands; nothing while no device exists. Then a set
// feature bit is believed, and the decision is made again with the answer inside vkCreateDevice. Being in the extension
// list counts for nothing: lavapipe lists what it does not have.
[[nodiscard]] EmulationDecision DecideEmulation(const DeviceCapabilities& capabilities,
                                                std::optional<bool> native_entry_points, const Settings& settings);

}  // namespace trellis
