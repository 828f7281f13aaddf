// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/layer/fake_driver/messenger.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Diagnostics, messengers_hear_their_severities_and_types) {
  Settings settings;
  settings.log_level = LogLevel::kError;
  settings.log_file = "/dev/null";
  Diagnostics diagnostics(settings);
  std::vector<std::string> heard, wrong_type;
  const Hear collect = CollectIn(heard);
  const Hear collect_wrong_type = CollectIn(wrong_type);
  const auto handle = HandleFromU64<VkDebugUtilsMessengerEXT>(1);
  diagnostics.AddMessenger(handle, MessengerInfo(collect));
  diagnostics.AddMessenger(
      HandleFromU64<VkDebugUtilsMessengerEXT>(2),
      MessengerInfo(collect_wrong_type, kWarningsAndErrors, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT));

  EXPECT_TRUE(diagnostics.Wants(LogLevel::kWarning));
  EXPECT_FALSE(diagnostics.Wants(LogLevel::kInfo));
  diagnostics.Warning("TRELLIS-a", "one");
  diagnostics.Info("TRELLIS-b", "two");
  EXPECT_THAT(heard, ElementsAre("TRELLIS-a: one"));
  EXPECT_THAT(wrong_type, IsEmpty());
  diagnostics.RemoveMessenger(handle);
  diagnostics.Warning("TRELLIS-c", "three");
  EXPECT_EQ(heard.size(), 1u);
}

TEST(Diagnostics, log_goes_to_a_file_up_to_its_level) {
  const std::string path = ::testing::TempDir() + "trellis_log_test.txt";
  std::remove(path.c_str());
  Settings settings;
  settings.log_file = path;
  settings.log_level = LogLevel::kInfo;
  {
    Diagnostics diagnostics(settings);
    diagnostics.Info("TRELLIS-x", "wanted");
    diagnostics.Debug("TRELLIS-y", "not wanted");
  }
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, HasSubstr("wanted [TRELLIS-x]"));
  EXPECT_THAT(text, Not(HasSubstr("not wanted")));
  std::remove(path.c_str());
}

TEST(Diagnostics, nothing_goes_to_standard_output) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Diagnostics diagnostics({});
  diagnostics.Error("TRELLIS-x", "trouble");
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), IsEmpty());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("trouble"));
}

TEST(Diagnostics, why_the_extension_is_not_offered_is_said) {
  DriverOptions options;
  options.buffer_device_address = false;
  FakeDriver driver(options);
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  std::vector<std::string> heard;
  const Messenger messenger(instance, CollectIn(heard));
  instance.DeviceExtensions();
  instance.DeviceExtensions();
  ASSERT_EQ(heard.size(), 1u) << "once for each device";
  EXPECT_THAT(heard[0], HasSubstr("bufferDeviceAddress"));
  EXPECT_THAT(heard[0], HasSubstr("TRELLIS-emulation-decision"));
}

TEST(Diagnostics, messenger_of_the_instance_create_info_hears_creation_only) {
  FakeDriver driver;
  std::vector<std::string> heard;
  const Hear collect = CollectIn(heard);
  const VkDebugUtilsMessengerCreateInfoEXT info = MessengerInfo(collect);
  VkLayerSettingEXT setting = {kLayerName, "no_such_key", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, nullptr};
  const VkBool32 value = VK_TRUE;
  setting.pValues = &value;
  auto settings = MakeStruct<VkLayerSettingsCreateInfoEXT>(&info);
  settings.settingCount = 1;
  settings.pSettings = &setting;
  const TestInstance instance(driver, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &settings);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_THAT(heard[0], HasSubstr("no_such_key"));
  instance.DeviceExtensions();
  EXPECT_EQ(heard.size(), 1u);
}

}  // namespace
}  // namespace trellis::test
