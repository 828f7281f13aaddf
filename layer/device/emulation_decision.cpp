// SPDX-License-Identifier: Apache-2.0
#include "layer/device/emulation_decision.h"

#include <string_view>

namespace trellis {

namespace {

bool HasMaintenance5(const DeviceCapabilities& capabilities) {
  return capabilities.traits.api_version >= VK_API_VERSION_1_4 ||
         capabilities.HasExtension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
}

// Everything that is missing, so that the user learns it in one go.
std::string MissingRequirements(const DeviceCapabilities& capabilities, const Settings& settings) {
  std::string missing;
  const auto add = [&missing](std::string_view what) {
    if (!missing.empty()) missing += ", ";
    missing += what;
  };
  const uint32_t version = capabilities.traits.api_version;
  if (version < VK_API_VERSION_1_2 || !capabilities.features_known) {
    add("Vulkan 1.2 (of the device, and as the instance's apiVersion)");
    return missing;  // the features are not known
  }
  if (version < VK_API_VERSION_1_3) {
    if (!capabilities.HasExtension(VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME) || !capabilities.synchronization2)
      add("VK_KHR_synchronization2 (or Vulkan 1.3)");
    if (!capabilities.HasExtension(VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME) ||
        !capabilities.extended_dynamic_state)
      add("VK_EXT_extended_dynamic_state (or Vulkan 1.3)");
  }
  if (!capabilities.traits.buffer_device_address) add("the feature bufferDeviceAddress");
  if (!capabilities.traits.scalar_block_layout) add("the feature scalarBlockLayout");
  if (!HasMaintenance5(capabilities) && !settings.maintenance5)
    add("VK_KHR_maintenance5 (the setting maintenance5, which would provide it, is off)");
  return missing;
}

}  // namespace

EmulationDecision DecideEmulation(const DeviceCapabilities& capabilities, std::optional<bool> native_entry_points,
                                  const Settings& settings) {
  EmulationDecision decision;
  const bool native = capabilities.native_shader_enqueue && native_entry_points.value_or(true);
  if (native && !settings.force_emulation) {
    decision.emulation = Emulation::kNative;
    decision.reason = "the driver implements VK_AMDX_shader_enqueue: left alone (setting force_emulation overrides)";
    return decision;
  }
  const std::string missing = MissingRequirements(capabilities, settings);
  if (!missing.empty()) {
    decision.reason = "VK_AMDX_shader_enqueue is not offered, the device lacks: " + missing;
    return decision;
  }
  decision.emulation = Emulation::kEmulated;
  decision.maintenance5 = !HasMaintenance5(capabilities);
  decision.pipeline_library = !capabilities.HasExtension(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
  decision.buffer_device_address = !capabilities.HasExtension(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
  decision.mesh_nodes = capabilities.traits.mesh_shader;
  decision.reason = "VK_AMDX_shader_enqueue is emulated";
  if (decision.maintenance5) decision.reason += ", and VK_KHR_maintenance5 with it";
  return decision;
}

}  // namespace trellis
