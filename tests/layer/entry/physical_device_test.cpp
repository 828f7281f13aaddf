// SPDX-License-Identifier: Apache-2.0
// What an application sees of a physical device, and the devices it makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layer/device/advertised_properties.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr VkStructureType kEnqueueFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX;

DriverOptions LavapipeLike() {
  DriverOptions options;
  options.extensions = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME,
                        VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
  return options;
}

DriverOptions Native() {
  DriverOptions options = LavapipeLike();
  options.shader_enqueue_feature = true;
  options.shader_enqueue_commands = true;
  return options;
}

VkPhysicalDeviceShaderEnqueueFeaturesAMDX QueryEnqueueFeatures(const TestInstance& instance) {
  auto behind = MakeStruct<VkPhysicalDeviceVulkan12Features>();
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {kEnqueueFeatures, &behind, 7, 7};
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  TRELLIS_CALL(instance, GetPhysicalDeviceFeatures2)(instance.physical_device(), &features);
  EXPECT_EQ(features.pNext, &enqueue) << "the application's chain is as it was";
  EXPECT_EQ(enqueue.pNext, &behind);
  EXPECT_TRUE(behind.bufferDeviceAddress) << "what stands behind is answered by the driver";
  return enqueue;
}

TEST(PhysicalDevice, lavapipe_trap_extension_once_and_feature_on) {
  FakeDriver driver(LavapipeLike());
  const TestInstance instance(driver);
  const auto extensions = instance.DeviceExtensions();
  EXPECT_EQ(std::count(extensions.begin(), extensions.end(), VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME), 1);
  EXPECT_EQ(std::count(extensions.begin(), extensions.end(), VK_KHR_MAINTENANCE_5_EXTENSION_NAME), 1);

  driver.ForgetCalls();
  const auto features = QueryEnqueueFeatures(instance);
  EXPECT_TRUE(features.shaderEnqueue);
  EXPECT_FALSE(features.shaderMeshEnqueue);
  EXPECT_THAT(driver.CallsOf("GetPhysicalDeviceFeatures2").back().chain, Not(Contains(kEnqueueFeatures)))
      << "validation layers report structures of extensions that the device lacks";
}

TEST(PhysicalDevice, mesh_nodes_where_there_are_mesh_shaders) {
  FakeDriver driver(WithMeshShaders());
  const TestInstance instance(driver);
  const auto features = QueryEnqueueFeatures(instance);
  EXPECT_TRUE(features.shaderEnqueue);
  EXPECT_TRUE(features.shaderMeshEnqueue);
}

TEST(PhysicalDevice, spec_version_is_2) {
  FakeDriver driver(LavapipeLike());
  const TestInstance instance(driver);
  uint32_t count = 16;
  std::vector<VkExtensionProperties> properties(count);
  TRELLIS_CALL(instance, EnumerateDeviceExtensionProperties)
  (instance.physical_device(), nullptr, &count, properties.data());
  properties.resize(count);
  const auto ours = std::find_if(properties.begin(), properties.end(), [](const VkExtensionProperties& extension) {
    return std::string(extension.extensionName) == VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME;
  });
  ASSERT_NE(ours, properties.end());
  EXPECT_EQ(ours->specVersion, 2u);
}

TEST(PhysicalDevice, enumeration_follows_the_two_call_idiom) {
  FakeDriver driver;
  const TestInstance instance(driver);
  const auto enumerate = TRELLIS_CALL(instance, EnumerateDeviceExtensionProperties);
  uint32_t all = 0;
  EXPECT_EQ(enumerate(instance.physical_device(), nullptr, &all, nullptr), VK_SUCCESS);
  EXPECT_EQ(all, 4u);
  std::vector<VkExtensionProperties> properties(all + 1);
  uint32_t count = all - 1;
  EXPECT_EQ(enumerate(instance.physical_device(), nullptr, &count, properties.data()), VK_INCOMPLETE);
  EXPECT_EQ(count, all - 1);
  count = all + 1;
  EXPECT_EQ(enumerate(instance.physical_device(), nullptr, &count, properties.data()), VK_SUCCESS);
  EXPECT_EQ(count, all);
}

TEST(PhysicalDevice, layers_own_extensions_by_layer_name) {
  FakeDriver driver;
  const TestInstance instance(driver);
  const auto enumerate = TRELLIS_CALL(instance, EnumerateDeviceExtensionProperties);
  uint32_t count = 8;
  std::vector<VkExtensionProperties> properties(count);
  EXPECT_EQ(enumerate(instance.physical_device(), kLayerName, &count, properties.data()), VK_SUCCESS);
  EXPECT_EQ(count, 3u) << "VK_AMDX_shader_enqueue, VK_KHR_maintenance5 and VK_KHR_buffer_device_address";
  driver.ForgetCalls();
  EXPECT_EQ(enumerate(instance.physical_device(), "another layer", &count, properties.data()), VK_SUCCESS);
  EXPECT_EQ(driver.CallsOf("EnumerateDeviceExtensionProperties").at(0).text, "another layer");
}

TEST(PhysicalDevice, properties_meet_the_required_limits) {
  FakeDriver driver;
  const TestInstance instance(driver);
  auto enqueue = MakeStruct<VkPhysicalDeviceShaderEnqueuePropertiesAMDX>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&enqueue);
  TRELLIS_CALL(instance, GetPhysicalDeviceProperties2)(instance.physical_device(), &properties);
  EXPECT_GE(enqueue.maxExecutionGraphDepth, 32u);
  EXPECT_GE(enqueue.maxExecutionGraphShaderOutputNodes, 256u);
  EXPECT_GE(enqueue.maxExecutionGraphShaderPayloadSize, 32768u);
  EXPECT_GE(enqueue.maxExecutionGraphShaderPayloadCount, 256u);
  EXPECT_LE(enqueue.executionGraphDispatchAddressAlignment, 4u);
  for (const uint32_t count : enqueue.maxExecutionGraphWorkgroupCount) EXPECT_GE(count, 65535u);
  EXPECT_GE(enqueue.maxExecutionGraphWorkgroups, (1u << 24) - 1);
  EXPECT_EQ(properties.pNext, &enqueue);
  EXPECT_EQ(properties.properties.limits.maxComputeSharedMemorySize, 32768u - kReservedSharedMemory);

  VkPhysicalDeviceProperties plain = {};
  TRELLIS_CALL(instance, GetPhysicalDeviceProperties)(instance.physical_device(), &plain);
  EXPECT_EQ(plain.limits.maxComputeSharedMemorySize, 32768u) << "what applications without graphs look at";
  properties.pNext = nullptr;
  TRELLIS_CALL(instance, GetPhysicalDeviceProperties2)(instance.physical_device(), &properties);
  EXPECT_EQ(properties.properties.limits.maxComputeSharedMemorySize, 32768u);
}

// tests/gpu/untouched_queries_test.cpp looks at the answers of real drivers.
TEST(PhysicalDevice, applications_without_graphs_see_the_driver) {
  FakeDriver driver(LavapipeLike());
  const TestInstance instance(driver);
  EXPECT_TRUE(driver.instance_extensions.empty());
  const PFN_vkGetInstanceProcAddr below = driver.MakeCurrent();
  for (const char* name : {"vkGetPhysicalDeviceProperties", "vkGetPhysicalDeviceFeatures",
                           "vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceQueueFamilyProperties"}) {
    EXPECT_NE(instance.Get<PFN_vkVoidFunction>(name), nullptr) << name;
    EXPECT_EQ(instance.Get<PFN_vkVoidFunction>(name), below(instance.handle(), name)) << name;
  }

  auto subgroups = MakeStruct<VkPhysicalDeviceSubgroupProperties>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&subgroups);
  TRELLIS_CALL(instance, GetPhysicalDeviceProperties2)(instance.physical_device(), &properties);
  EXPECT_EQ(properties.properties.limits.maxComputeSharedMemorySize, 32768u);
  EXPECT_EQ(subgroups.subgroupSize, 4u);

  const TestDevice device(instance, {});
  EXPECT_TRUE(driver.device_extensions.empty());
  EXPECT_TRUE(driver.device_chain.empty());
  EXPECT_FALSE(driver.enabled_features.has_value());
}

// Applications of Vulkan 1.2 ask for the extension by its name, which drivers need not list that have it in core.
TEST(PhysicalDevice, buffer_device_address_can_be_enabled_by_name) {
  FakeDriver driver;
  const TestInstance instance(driver);
  EXPECT_THAT(instance.DeviceExtensions(), Contains(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME));
  for (const bool graphs : {false, true}) {
    std::vector<const char*> extensions = {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME};
    if (graphs) extensions.push_back(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME);
    const TestDevice device(instance, extensions);
    ASSERT_EQ(device.result(), VK_SUCCESS);
    EXPECT_THAT(driver.device_extensions, Not(Contains(VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)));
    EXPECT_EQ(driver.DeviceFunction("vkGetBufferDeviceAddressKHR"), nullptr);
    EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkGetBufferDeviceAddressKHR"), nullptr);
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkGetBufferDeviceAddressKHR"),
              device.Get<PFN_vkVoidFunction>("vkGetBufferDeviceAddress"));
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkGetBufferOpaqueCaptureAddressKHR"),
              driver.DeviceFunction("vkGetBufferOpaqueCaptureAddress"));
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkGetDeviceMemoryOpaqueCaptureAddressKHR"),
              driver.DeviceFunction("vkGetDeviceMemoryOpaqueCaptureAddress"));
  }
}

constexpr VkDeviceAddress kPoison = 0xdead;
VKAPI_ATTR VkDeviceAddress VKAPI_CALL PoisonedAddress(VkDevice, const VkBufferDeviceAddressInfo*) { return kPoison; }
VKAPI_ATTR uint64_t VKAPI_CALL PoisonedMemoryAddress(VkDevice, const VkDeviceMemoryOpaqueCaptureAddressInfo*) {
  return kPoison;
}

// Drivers may answer names of extensions that are not enabled with functions that must not be called.
TEST(PhysicalDevice, buffer_device_address_by_name_calls_the_core_commands) {
  DriverOptions options;
  const auto poisoned = reinterpret_cast<PFN_vkVoidFunction>(&PoisonedAddress);
  options.stray_commands = {
      {"vkGetBufferDeviceAddressKHR", poisoned},
      {"vkGetBufferOpaqueCaptureAddressKHR", poisoned},
      {"vkGetDeviceMemoryOpaqueCaptureAddressKHR", reinterpret_cast<PFN_vkVoidFunction>(&PoisonedMemoryAddress)}};
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const TestDevice device(instance,
                          {VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME});
  ASSERT_EQ(device.result(), VK_SUCCESS);
  auto info = MakeStruct<VkBufferDeviceAddressInfo>();
  auto memory_info = MakeStruct<VkDeviceMemoryOpaqueCaptureAddressInfo>();
  const VkDevice handle = device.handle();
  EXPECT_EQ(TRELLIS_CALL(device, GetBufferDeviceAddress)(handle, &info), 0u) << "no such buffer";
  EXPECT_EQ(TRELLIS_CALL(device, GetBufferDeviceAddressKHR)(handle, &info), 0u);
  EXPECT_EQ(TRELLIS_CALL(device, GetBufferOpaqueCaptureAddressKHR)(handle, &info), 0u);
  EXPECT_EQ(TRELLIS_CALL(device, GetDeviceMemoryOpaqueCaptureAddressKHR)(handle, &memory_info), 0u);
}

TEST(PhysicalDevice, limits_of_buffers_and_of_allocations_are_told_apart) {
  DriverOptions options;
  options.max_buffer_size = 8 * kMiB;
  options.max_memory_allocation_size = 2 * kMiB;
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const TestDevice device(instance);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  const DeviceTraits& traits = FindDevice(device.handle())->traits;
  EXPECT_EQ(traits.max_buffer_bytes, 8 * kMiB);
  EXPECT_EQ(traits.max_allocation_bytes, 2 * kMiB);
}

TEST(PhysicalDevice, ring_budget_beyond_a_buffer_is_cut_with_a_warning) {
  const auto messages = [](uint32_t ring_budget, const std::vector<const char*>& extensions) {
    DriverOptions options;
    options.max_buffer_size = 8 * kMiB;
    options.max_memory_allocation_size = 2 * kMiB;
    FakeDriver driver(options);
    const VkLayerSettingEXT setting = {kLayerName, "ring_budget", VK_LAYER_SETTING_TYPE_UINT32_EXT, 1, &ring_budget};
    const VkLayerSettingsCreateInfoEXT chain = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &setting};
    const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &chain);
    std::vector<std::string> heard;
    const Messenger messenger(instance, CollectIn(heard));
    const TestDevice device(instance, extensions);
    EXPECT_EQ(device.result(), VK_SUCCESS);
    return heard;
  };
  EXPECT_THAT(
      messages(8, kGraphExtensions),
      ElementsAre("TRELLIS-setting-ignored: the setting ring_budget is 8 MiB, more than fits into a buffer of this "
                  "device: rings get at most 8388352 bytes"));
  EXPECT_THAT(messages(7, kGraphExtensions), IsEmpty()) << "beyond maxMemoryAllocationSize allocations may succeed";
  EXPECT_THAT(messages(0, kGraphExtensions), IsEmpty());
  EXPECT_THAT(messages(8, {}), IsEmpty()) << "without graphs there are no rings";
}

TEST(PhysicalDevice, the_layer_is_listed_among_the_tools) {
  FakeDriver driver;
  const TestInstance instance(driver);
  for (const char* name : {"vkGetPhysicalDeviceToolProperties", "vkGetPhysicalDeviceToolPropertiesEXT"}) {
    const auto get = instance.Get<PFN_vkGetPhysicalDeviceToolProperties>(name);
    ASSERT_TRUE(get) << name;
    uint32_t count = 0;
    EXPECT_EQ(get(instance.physical_device(), &count, nullptr), VK_SUCCESS);
    EXPECT_EQ(count, 2u) << "with that of the driver";
    std::vector<VkPhysicalDeviceToolProperties> tools(2);
    EXPECT_EQ(get(instance.physical_device(), &count, tools.data()), VK_SUCCESS);
    EXPECT_STREQ(tools[0].name, "Trellis");
    EXPECT_STREQ(tools[0].layer, "VK_LAYER_TRELLIS_shader_enqueue");
    EXPECT_EQ(tools[0].purposes, VkToolPurposeFlags{VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT});
    EXPECT_STREQ(tools[1].name, "a tool below");
    count = 1;
    EXPECT_EQ(get(instance.physical_device(), &count, tools.data()), VK_INCOMPLETE);
    EXPECT_EQ(count, 1u);
    count = 0;
    EXPECT_EQ(get(instance.physical_device(), &count, tools.data()), VK_INCOMPLETE);
    EXPECT_EQ(count, 0u);
  }
}

TEST(PhysicalDevice, native_driver_is_left_alone) {
  FakeDriver driver(Native());
  const TestInstance instance(driver);
  QueryEnqueueFeatures(instance);
  EXPECT_THAT(driver.CallsOf("GetPhysicalDeviceFeatures2").back().chain, Contains(kEnqueueFeatures));
  VkPhysicalDeviceProperties plain = {};
  TRELLIS_CALL(instance, GetPhysicalDeviceProperties)(instance.physical_device(), &plain);
  EXPECT_EQ(plain.limits.maxComputeSharedMemorySize, 32768u);

  const TestDevice device(instance);
  EXPECT_THAT(driver.device_extensions, Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME));
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdDispatchGraphAMDX"), driver.DeviceFunction("vkCmdDispatchGraphAMDX"));
}

TEST(PhysicalDevice, incapable_device_hides_the_drivers_entry) {
  DriverOptions options = LavapipeLike();
  options.buffer_device_address = false;
  FakeDriver driver(options);
  const TestInstance instance(driver);
  EXPECT_THAT(instance.DeviceExtensions(), Not(Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)));
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {kEnqueueFeatures, nullptr, VK_TRUE, VK_TRUE};
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&enqueue);
  TRELLIS_CALL(instance, GetPhysicalDeviceFeatures2)(instance.physical_device(), &features);
  EXPECT_FALSE(enqueue.shaderEnqueue || enqueue.shaderMeshEnqueue);
  EXPECT_THAT(driver.CallsOf("GetPhysicalDeviceFeatures2").back().chain, Not(Contains(kEnqueueFeatures)));
}

TEST(PhysicalDevice, vulkan_1_1_application_does_not_get_it) {
  FakeDriver driver;
  const TestInstance instance(driver, {}, nullptr, VK_API_VERSION_1_1);
  EXPECT_THAT(instance.DeviceExtensions(), Not(Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)));
}

TEST(PhysicalDevice, external_buffer_query_does_not_carry_the_scratch_bit) {
  FakeDriver driver;
  const TestInstance instance(driver);
  auto info = MakeStruct<VkPhysicalDeviceExternalBufferInfo>();
  info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  VkExternalBufferProperties properties = {};
  TRELLIS_CALL(instance, GetPhysicalDeviceExternalBufferProperties)(instance.physical_device(), &info, &properties);
  const DriverCall call = driver.CallsOf("GetPhysicalDeviceExternalBufferProperties").at(0);
  EXPECT_FALSE(call.flags & VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  EXPECT_TRUE(call.flags & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
}

TEST(Device, extension_and_structure_do_not_go_down) {
  FakeDriver driver(LavapipeLike());
  const TestInstance instance(driver);
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {kEnqueueFeatures, nullptr, VK_TRUE, VK_FALSE};
  const TestDevice device(instance, kGraphExtensions, &enqueue);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  EXPECT_THAT(driver.device_extensions, Not(Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)));
  EXPECT_THAT(driver.device_extensions, Contains(VK_KHR_MAINTENANCE_5_EXTENSION_NAME));
  EXPECT_THAT(driver.device_chain, Not(Contains(kEnqueueFeatures)));
  EXPECT_EQ(driver.device_features.at(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES).at(0),
            static_cast<VkBool32>(VK_TRUE));
}

TEST(Device, false_claim_is_found_out_and_the_device_emulated) {
  DriverOptions options = Native();
  options.shader_enqueue_commands = false;
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const TestDevice device(instance);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  EXPECT_EQ(driver.CountOf("CreateDevice"), 2u);
  EXPECT_EQ(driver.CountOf("DestroyDevice"), 1u);
  EXPECT_THAT(driver.device_extensions, Not(Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)));
  EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkCmdDispatchGraphAMDX"), nullptr);
}

TEST(Device, missing_required_command_fails_clearly) {
  DriverOptions options;
  options.missing_commands = {"vkCmdDispatchIndirect"};
  FakeDriver driver(options);
  const TestInstance instance(driver);
  const TestDevice device(instance);
  EXPECT_EQ(device.result(), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_EQ(driver.CountOf("DestroyDevice"), 1u);
}

TEST(Device, two_instances_and_devices_do_not_mix) {
  FakeDriver first_driver;
  DriverOptions options;
  options.buffer_device_address = false;
  FakeDriver second_driver(options);
  const TestInstance first(first_driver);
  const TestInstance second(second_driver);
  EXPECT_THAT(first.DeviceExtensions(), Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME));
  EXPECT_THAT(second.DeviceExtensions(), Not(Contains(VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)));
  const TestInstance third(first_driver);
  const TestDevice graphs(first);
  const TestDevice plain(third, {});
  const TestDevice other(second, {});
  EXPECT_NE(graphs.Get<PFN_vkVoidFunction>("vkCmdDispatchGraphAMDX"), nullptr);
  EXPECT_EQ(plain.Get<PFN_vkVoidFunction>("vkCmdDispatchGraphAMDX"), nullptr);
  TRELLIS_CALL(graphs, DeviceWaitIdle)(graphs.handle());
  EXPECT_EQ(TRELLIS_CALL(other, DeviceWaitIdle),
            reinterpret_cast<PFN_vkDeviceWaitIdle>(second_driver.DeviceFunction("vkDeviceWaitIdle")));
}

}  // namespace
}  // namespace trellis::test
