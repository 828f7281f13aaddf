// SPDX-License-Identifier: Apache-2.0
// Who gets a hook and who does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "layer/diagnostics/label.h"
#include "layer/dispatch/device_dispatch.h"
#include "layer/dispatch/extension_names.h"
#include "layer/dispatch/function_lists.h"
#include "layer/objects/registry.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/hooked_names.h"

namespace trellis::test {
namespace {

const std::vector<const char*> kGraphCommands = {
#define NAME(name) "vk" #name,
    TRELLIS_SHADER_ENQUEUE_FUNCTIONS(NAME)
#undef NAME
};

TEST(Interface, negotiates_version_2) {
  const VkNegotiateLayerInterface negotiated = Negotiate();
  EXPECT_EQ(negotiated.loaderLayerInterfaceVersion, 2u);
  EXPECT_NE(negotiated.pfnGetInstanceProcAddr, nullptr);
  EXPECT_NE(negotiated.pfnGetDeviceProcAddr, nullptr);
}

TEST(ProcAddr, application_that_does_not_ask_gets_the_drivers_functions_untouched) {
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device(instance, {});
  ASSERT_EQ(device.result(), VK_SUCCESS);
  size_t compared = 0;
  for (const std::string& name : HookedDeviceCommands()) {
    const PFN_vkVoidFunction below = driver.DeviceFunction(name.c_str());
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>(name.c_str()), below) << name;
    compared += below != nullptr;
  }
  EXPECT_GT(compared, 30u);
  for (const char* name : kGraphCommands) EXPECT_EQ(device.Get<PFN_vkVoidFunction>(name), nullptr) << name;
  EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkDestroyDevice"), driver.DeviceFunction("vkDestroyDevice"))
      << "the one command that has to be hooked";
}

TEST(ProcAddr, application_that_asks_gets_all_seven_commands) {
  FakeDriver driver;
  const TestInstance instance(driver);
  const TestDevice device(instance);
  ASSERT_EQ(device.result(), VK_SUCCESS);
  for (const char* name : kGraphCommands) EXPECT_NE(device.Get<PFN_vkVoidFunction>(name), nullptr) << name;
  for (const char* name : kGraphCommands) EXPECT_NE(instance.Get<PFN_vkVoidFunction>(name), nullptr) << name;
}

// Loaders take these commands from vkGetInstanceProcAddr and call them for every device of the instance.
TEST(ProcAddr, names_and_tags_are_hooked_for_the_instance_too) {
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice with_graphs(instance);
  const TestDevice plain(instance, {});
  const std::vector<uint32_t> words = {0x07230203, 0x00010600, 0, 10, 0, 2u << 16 | 17, 5067};  // ShaderEnqueueAMDX
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = words.size() * sizeof(uint32_t);
  info.pCode = words.data();
  VkShaderModule node = VK_NULL_HANDLE;
  ASSERT_EQ(TRELLIS_CALL(with_graphs, CreateShaderModule)(with_graphs.handle(), &info, nullptr, &node), VK_SUCCESS);

  const auto calls_for = [&](const TestDevice& device) {
    driver.ForgetCalls();
    VkDebugUtilsObjectNameInfoEXT name = {};
    name.objectType = VK_OBJECT_TYPE_SHADER_MODULE;
    name.objectHandle = HandleToU64(node);
    name.pObjectName = "name";
    VkDebugUtilsObjectTagInfoEXT tag = {};
    tag.objectType = name.objectType;
    tag.objectHandle = name.objectHandle;
    EXPECT_EQ(TRELLIS_CALL(instance, SetDebugUtilsObjectNameEXT)(device.handle(), &name), VK_SUCCESS);
    EXPECT_EQ(TRELLIS_CALL(instance, SetDebugUtilsObjectTagEXT)(device.handle(), &tag), VK_SUCCESS);
    return driver.calls().size();
  };
  EXPECT_EQ(calls_for(with_graphs), 0u) << "the driver does not know the handle";
  EXPECT_EQ(calls_for(plain), 2u) << "another device's handle, for all that the layer knows";
  TRELLIS_CALL(with_graphs, DestroyShaderModule)(with_graphs.handle(), node, nullptr);

  DriverOptions options;
  options.missing_commands = {"vkSetDebugUtilsObjectTagEXT"};
  FakeDriver lacking(options);
  const TestInstance other(lacking, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  EXPECT_EQ(other.Get<PFN_vkVoidFunction>("vkSetDebugUtilsObjectTagEXT"), nullptr);
}

TEST(ProcAddr, names_and_tags_are_not_hooked_for_plain_devices_alone) {
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  for (const char* name : {"vkSetDebugUtilsObjectNameEXT", "vkSetDebugUtilsObjectTagEXT"}) {
    const auto hook = instance.Get<PFN_vkVoidFunction>(name);
    {
      const TestDevice plain(instance, {});
      const auto below = instance.Get<PFN_vkVoidFunction>(name);
      EXPECT_NE(below, hook) << name;
      EXPECT_NE(below, nullptr) << name;
      const TestDevice with_graphs(instance);
      EXPECT_EQ(instance.Get<PFN_vkVoidFunction>(name), hook) << name;
    }
    EXPECT_EQ(instance.Get<PFN_vkVoidFunction>(name), hook) << "without any device, for layers that ask early";
  }
}

TEST(ProcAddr, null_from_below_stays_null) {
  FakeDriver driver;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device(instance);
  size_t nulls = 0;
  for (const std::string& name : HookedDeviceCommands()) {
    const bool known_below = driver.DeviceFunction(name.c_str()) != nullptr;
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>(name.c_str()) != nullptr, known_below) << name;
    nulls += !known_below;
  }
  EXPECT_GT(nulls, 10u) << "the fake driver has to lack some hooked commands for this to show anything";
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkNoSuchCommand"), nullptr);
}

// A layer below that knows the extension alone would be passed by under the core name; and drivers may answer with the
// address of something else where the extension is not enabled.
TEST(ProcAddr, names_of_enabled_extensions_are_called) {
  static char extension, core;
  static bool has_core;
  const auto load = [](bool driver_has_core, std::vector<const char*> enabled) {
    has_core = driver_has_core;
    DeviceDispatch dispatch;
    const auto next = [](VkDevice, const char* name) -> PFN_vkVoidFunction {
      if (std::string_view(name).ends_with("KHR")) return reinterpret_cast<PFN_vkVoidFunction>(&extension);
      return reinterpret_cast<PFN_vkVoidFunction>(has_core ? &core : nullptr);
    };
    (void)dispatch.Load(nullptr, next, enabled);
    const auto* create_template = reinterpret_cast<const char*>(dispatch.CreateDescriptorUpdateTemplate);
    EXPECT_EQ(create_template == &extension,
              !driver_has_core || IsNamed(enabled, VK_KHR_DESCRIPTOR_UPDATE_TEMPLATE_EXTENSION_NAME));
    return reinterpret_cast<const char*>(dispatch.CmdPushDescriptorSet);
  };
  EXPECT_EQ(load(true, {}), &core);
  EXPECT_EQ(load(true, {VK_KHR_MAINTENANCE_6_EXTENSION_NAME}), &core);
  EXPECT_EQ(load(true, {VK_KHR_DESCRIPTOR_UPDATE_TEMPLATE_EXTENSION_NAME}), &core);
  EXPECT_EQ(load(true, {VK_KHR_MAINTENANCE_6_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}), &extension);
  EXPECT_EQ(load(false, {}), &extension);
}

TEST(ProcAddr, null_instance_command_from_below_stays_null) {
  DriverOptions options;
  options.missing_commands = {"vkGetPhysicalDeviceExternalBufferProperties"};
  FakeDriver driver(options);
  const TestInstance instance(driver);
  EXPECT_EQ(instance.Get<PFN_vkVoidFunction>("vkGetPhysicalDeviceExternalBufferProperties"), nullptr);
  EXPECT_EQ(instance.Get<PFN_vkVoidFunction>("vkGetPhysicalDeviceFeatures2KHR"), nullptr);
  EXPECT_NE(instance.Get<PFN_vkVoidFunction>("vkGetPhysicalDeviceFeatures2"), nullptr);
}

TEST(ProcAddr, without_an_instance_only_what_needs_none) {
  const auto get = Negotiate().pfnGetInstanceProcAddr;
  EXPECT_NE(get(VK_NULL_HANDLE, "vkCreateInstance"), nullptr);
  EXPECT_EQ(get(VK_NULL_HANDLE, "vkCreateDevice"), nullptr);
}

TEST(ProcAddr, device_with_maintenance5_only_has_its_commands_and_no_graph_commands) {
  FakeDriver driver;
  const TestInstance instance(driver);
  const TestDevice device(instance, {VK_KHR_MAINTENANCE_5_EXTENSION_NAME});
  EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkCmdBindIndexBuffer2KHR"), nullptr);
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdDispatchGraphAMDX"), nullptr);
  EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdBindPipeline"), driver.DeviceFunction("vkCmdBindPipeline"));
}

TEST(ProcAddr, debug_utils_are_the_applications_choice) {
  FakeDriver driver;
  const TestInstance instance(driver);
  const TestDevice device(instance);
  EXPECT_THAT(driver.instance_extensions, ::testing::IsEmpty());
  EXPECT_FALSE(LabelsEnabled(*FindDevice(device.handle())));
  const TestInstance with(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device_with(with);
  EXPECT_TRUE(LabelsEnabled(*FindDevice(device_with.handle())));
}

// The setting enable_debug_utils, as a chain of VkInstanceCreateInfo.
struct EnableDebugUtils {
  EnableDebugUtils() = default;
  EnableDebugUtils(const EnableDebugUtils&) = delete;
  EnableDebugUtils& operator=(const EnableDebugUtils&) = delete;

  const VkBool32 on = VK_TRUE;
  const VkLayerSettingEXT setting = {kLayerName, "enable_debug_utils", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on};
  const VkLayerSettingsCreateInfoEXT chain = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &setting};
};

TEST(ProcAddr, debug_utils_that_the_layer_enabled_stay_hidden) {
  FakeDriver driver;
  const EnableDebugUtils setting;
  {
    const TestInstance instance(driver, {}, &setting.chain);
    const TestDevice device(instance);
    EXPECT_THAT(driver.instance_extensions, ::testing::ElementsAre(VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
    EXPECT_EQ(instance.Get<PFN_vkVoidFunction>("vkCreateDebugUtilsMessengerEXT"), nullptr);
    EXPECT_EQ(device.Get<PFN_vkVoidFunction>("vkCmdBeginDebugUtilsLabelEXT"), nullptr);
    EXPECT_TRUE(LabelsEnabled(*FindDevice(device.handle())));
  }
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  const TestDevice device(instance);
  EXPECT_THAT(driver.instance_extensions, ::testing::ElementsAre(VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
  EXPECT_NE(instance.Get<PFN_vkVoidFunction>("vkCreateDebugUtilsMessengerEXT"), nullptr);
  EXPECT_NE(device.Get<PFN_vkVoidFunction>("vkCmdBeginDebugUtilsLabelEXT"), nullptr);
}

TEST(ProcAddr, instance_without_debug_utils_below_works) {
  DriverOptions options;
  options.debug_utils = false;
  FakeDriver driver(options);
  const EnableDebugUtils setting;
  const TestInstance instance(driver, {}, &setting.chain);
  EXPECT_EQ(instance.result(), VK_SUCCESS);
  EXPECT_THAT(driver.instance_extensions, ::testing::IsEmpty());
}

}  // namespace
}  // namespace trellis::test
