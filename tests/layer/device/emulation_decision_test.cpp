// SPDX-License-Identifier: Apache-2.0
#include "layer/device/emulation_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceCapabilities CapableDevice(uint32_t version = VK_API_VERSION_1_3) {
  DeviceCapabilities capabilities;
  capabilities.traits.api_version = version;
  capabilities.traits.buffer_device_address = true;
  capabilities.traits.scalar_block_layout = true;
  capabilities.features_known = true;
  capabilities.extensions = {{VK_KHR_MAINTENANCE_5_EXTENSION_NAME, 1}, {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, 1}};
  return capabilities;
}

TEST(EmulationDecision, vulkan_1_3_device_is_emulated) {
  const EmulationDecision decision = DecideEmulation(CapableDevice(), std::nullopt, {});
  EXPECT_EQ(decision.emulation, Emulation::kEmulated);
  EXPECT_FALSE(decision.maintenance5);
  EXPECT_FALSE(decision.pipeline_library);
}

TEST(EmulationDecision, lavapipe_trap_extension_listed_feature_off_is_emulated) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.extensions[VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME] = 2;
  EXPECT_EQ(DecideEmulation(capabilities, std::nullopt, {}).emulation, Emulation::kEmulated);
  EXPECT_EQ(DecideEmulation(capabilities, false, {}).emulation, Emulation::kEmulated);
}

TEST(EmulationDecision, feature_and_commands_mean_native) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.native_shader_enqueue = true;
  EXPECT_EQ(DecideEmulation(capabilities, true, {}).emulation, Emulation::kNative);
  EXPECT_EQ(DecideEmulation(capabilities, std::nullopt, {}).emulation, Emulation::kNative);
}

TEST(EmulationDecision, feature_without_commands_is_emulated) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.native_shader_enqueue = true;
  EXPECT_EQ(DecideEmulation(capabilities, false, {}).emulation, Emulation::kEmulated);
}

TEST(EmulationDecision, commands_without_feature_are_not_native) {
  EXPECT_EQ(DecideEmulation(CapableDevice(), true, {}).emulation, Emulation::kEmulated);
}

TEST(EmulationDecision, force_emulation_overrides_native) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.native_shader_enqueue = true;
  Settings settings;
  settings.force_emulation = true;
  EXPECT_EQ(DecideEmulation(capabilities, true, settings).emulation, Emulation::kEmulated);
}

TEST(EmulationDecision, without_buffer_device_address_not_offered_and_reason_says_so) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.traits.buffer_device_address = false;
  const EmulationDecision decision = DecideEmulation(capabilities, std::nullopt, {});
  EXPECT_EQ(decision.emulation, Emulation::kImpossible);
  EXPECT_THAT(decision.reason, HasSubstr("bufferDeviceAddress"));
  EXPECT_THAT(decision.reason, Not(HasSubstr("scalarBlockLayout")));
}

TEST(EmulationDecision, without_scalar_block_layout_not_offered_and_reason_says_so) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.traits.scalar_block_layout = false;
  const EmulationDecision decision = DecideEmulation(capabilities, std::nullopt, {});
  EXPECT_EQ(decision.emulation, Emulation::kImpossible);
  EXPECT_THAT(decision.reason, HasSubstr("scalarBlockLayout"));
}

TEST(EmulationDecision, vulkan_1_2_needs_both_extensions_with_their_features) {
  DeviceCapabilities capabilities = CapableDevice(VK_API_VERSION_1_2);
  const EmulationDecision without = DecideEmulation(capabilities, std::nullopt, {});
  EXPECT_EQ(without.emulation, Emulation::kImpossible);
  EXPECT_THAT(without.reason, HasSubstr("VK_KHR_synchronization2"));
  EXPECT_THAT(without.reason, HasSubstr("VK_EXT_extended_dynamic_state"));

  capabilities.extensions[VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME] = 1;
  capabilities.extensions[VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME] = 1;
  EXPECT_EQ(DecideEmulation(capabilities, std::nullopt, {}).emulation, Emulation::kImpossible) << "features are off";

  capabilities.synchronization2 = true;
  capabilities.extended_dynamic_state = true;
  EXPECT_EQ(DecideEmulation(capabilities, std::nullopt, {}).emulation, Emulation::kEmulated);
}

TEST(EmulationDecision, vulkan_1_1_is_not_enough) {
  const EmulationDecision decision = DecideEmulation(CapableDevice(VK_API_VERSION_1_1), std::nullopt, {});
  EXPECT_EQ(decision.emulation, Emulation::kImpossible);
  EXPECT_THAT(decision.reason, HasSubstr("Vulkan 1.2"));
}

TEST(EmulationDecision, missing_maintenance5_is_emulated_too) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.extensions.erase(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  EXPECT_TRUE(DecideEmulation(capabilities, std::nullopt, {}).maintenance5);

  Settings settings;
  settings.maintenance5 = false;
  const EmulationDecision decision = DecideEmulation(capabilities, std::nullopt, settings);
  EXPECT_EQ(decision.emulation, Emulation::kImpossible);
  EXPECT_THAT(decision.reason, HasSubstr("VK_KHR_maintenance5"));
}

TEST(EmulationDecision, vulkan_1_4_has_maintenance5_without_listing_it) {
  DeviceCapabilities capabilities = CapableDevice(VK_API_VERSION_1_4);
  capabilities.extensions.erase(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  EXPECT_FALSE(DecideEmulation(capabilities, std::nullopt, {}).maintenance5);
}

TEST(EmulationDecision, missing_buffer_device_address_is_offered_by_name) {
  DeviceCapabilities capabilities = CapableDevice();
  EXPECT_TRUE(DecideEmulation(capabilities, std::nullopt, {}).buffer_device_address);
  capabilities.extensions[VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME] = 1;
  EXPECT_FALSE(DecideEmulation(capabilities, std::nullopt, {}).buffer_device_address);
}

TEST(EmulationDecision, missing_pipeline_library_is_offered) {
  DeviceCapabilities capabilities = CapableDevice();
  capabilities.extensions.erase(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
  const EmulationDecision decision = DecideEmulation(capabilities, std::nullopt, {});
  EXPECT_TRUE(decision.Emulates());
  EXPECT_TRUE(decision.pipeline_library);
}

}  // namespace
}  // namespace trellis::test
