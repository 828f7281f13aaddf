// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "layer/dispatch/struct_type.h"
#include "layer/dispatch/vulkan.h"
#include "layer/settings/load_settings.h"
#include "layer/settings/setting_table.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SettingsTest : public ::testing::Test {
 protected:
  void SetApi(const char* key, VkLayerSettingTypeEXT type, const void* value, const char* layer = kLayerName) {
    setting_ = {layer, key, type, 1, value};
    info_.settingCount = 1;
    info_.pSettings = &setting_;
    sources_.api_chain = &info_;
  }
  void SetEnvironment(const char* name, const char* value) {
    sources_.environment = [name, value](const std::string& asked) {
      return asked == name ? std::optional<std::string>(value) : std::nullopt;
    };
  }

  VkLayerSettingEXT setting_ = {};
  VkLayerSettingsCreateInfoEXT info_ = MakeStruct<VkLayerSettingsCreateInfoEXT>();
  SettingSources sources_;
};

TEST_F(SettingsTest, defaults_are_those_of_the_table) {
  Settings from_table;
  for (const SettingRow& row : SettingTable()) EXPECT_TRUE(row.set(from_table, row, row.default_value)) << row.key;
  const Settings loaded = LoadSettings(sources_).settings;
  EXPECT_EQ(loaded.log_level, from_table.log_level);
  EXPECT_EQ(loaded.log_file, from_table.log_file);
  EXPECT_EQ(loaded.labels, from_table.labels);
  EXPECT_EQ(loaded.maintenance5, from_table.maintenance5);
  EXPECT_EQ(loaded.ring_budget, from_table.ring_budget);
  EXPECT_EQ(loaded.optimize, from_table.optimize);
  EXPECT_EQ(loaded.validate_lowered, from_table.validate_lowered);
  EXPECT_EQ(loaded.dump_dir, from_table.dump_dir);
  EXPECT_EQ(loaded.force_emulation, from_table.force_emulation);
  EXPECT_EQ(loaded.size_every_level, from_table.size_every_level);
  EXPECT_EQ(loaded.launch_batches, from_table.launch_batches);
}

TEST_F(SettingsTest, payload_dumps_are_a_list) {
  SetEnvironment("TRELLIS_DUMP_PAYLOADS", "cull:8, draw[3], ns::sort[0]:4096,a:b");
  const std::vector<PayloadDumpSetting> dumps = LoadSettings(sources_).settings.dump_payloads;
  ASSERT_EQ(dumps.size(), 4u);
  EXPECT_TRUE(dumps[0].Names("cull", 5));
  EXPECT_FALSE(dumps[0].Names("draw", 5));
  EXPECT_EQ(dumps[0].count, 8u);
  EXPECT_TRUE(dumps[1].Names("draw", 3));
  EXPECT_FALSE(dumps[1].Names("draw", 2));
  EXPECT_EQ(dumps[1].count, 64u);
  EXPECT_TRUE(dumps[2].Names("ns::sort", 0));
  EXPECT_EQ(dumps[2].count, 4096u);
  EXPECT_TRUE(dumps[3].Names("a:b", 0));
}

TEST_F(SettingsTest, payload_dumps_of_another_form_are_told_of) {
  for (const char* text : {"cull:0", "cull:4097", "cull[x]", "[3]", "cull,,draw", ":8"}) {
    SetEnvironment("TRELLIS_DUMP_PAYLOADS", text);
    const LoadedSettings loaded = LoadSettings(sources_);
    EXPECT_TRUE(loaded.settings.dump_payloads.empty()) << text;
    EXPECT_THAT(loaded.problems, ElementsAre(HasSubstr("NAME[INDEX]"))) << text;
  }
}

TEST_F(SettingsTest, environment_over_file_over_api) {
  const uint32_t api_value = 1;
  SetApi("ring_budget", VK_LAYER_SETTING_TYPE_UINT32_EXT, &api_value);
  EXPECT_EQ(LoadSettings(sources_).settings.ring_budget, 1u);
  sources_.file_text = "trellis_shader_enqueue.ring_budget = 2\n";
  EXPECT_EQ(LoadSettings(sources_).settings.ring_budget, 2u);
  SetEnvironment("TRELLIS_RING_BUDGET", "3");
  EXPECT_EQ(LoadSettings(sources_).settings.ring_budget, 3u);
}

TEST_F(SettingsTest, file_syntax) {
  sources_.file_text =
      "# a comment\r\n"
      "khronos_validation.log_level = error\n"
      "  trellis_shader_enqueue.labels=FALSE  # why not\r\n"
      "trellis_shader_enqueue.log_level =\tdebug\n"
      "trellis_shader_enqueue.dump_dir = /some/where\n"
      "no equals sign\n"
      "trellis_shader_enqueue.optimize = 1";
  const LoadedSettings loaded = LoadSettings(sources_);
  EXPECT_THAT(loaded.problems, IsEmpty());
  EXPECT_FALSE(loaded.settings.labels);
  EXPECT_EQ(loaded.settings.log_level, LogLevel::kDebug);
  EXPECT_EQ(loaded.settings.dump_dir, "/some/where");
  EXPECT_TRUE(loaded.settings.optimize);
}

TEST_F(SettingsTest, unknown_keys_and_bad_values_are_named_and_ignored) {
  sources_.file_name = "the file";
  sources_.file_text = "trellis_shader_enqueue.labels = perhaps\ntrellis_shader_enqueue.lables = true\n";
  SetEnvironment("TRELLIS_RING_BUDGET", "-1");
  const LoadedSettings loaded = LoadSettings(sources_);
  EXPECT_THAT(loaded.problems,
              ElementsAre(HasSubstr("perhaps"), HasSubstr("lables"), HasSubstr("TRELLIS_RING_BUDGET")));
  EXPECT_TRUE(loaded.settings.labels);
  EXPECT_EQ(loaded.settings.ring_budget, 0u);
}

TEST_F(SettingsTest, groups_have_no_value) {
  sources_.file_name = "f";
  sources_.file_text = "trellis_shader_enqueue.memory =\ntrellis_shader_enqueue.tuning = 1\n";
  EXPECT_THAT(LoadSettings(sources_).problems, ElementsAre(HasSubstr("there is no setting 'tuning'")));
}

TEST_F(SettingsTest, values_that_do_not_fit_are_told_what_fits) {
  sources_.file_name = "f";
  sources_.file_text =
      "trellis_shader_enqueue.log_level = loud\n"
      "trellis_shader_enqueue.size_levels = never\n"
      "trellis_shader_enqueue.labels = perhaps\n"
      "trellis_shader_enqueue.ring_budget = 1G\n"
      "trellis_shader_enqueue.optimize\n";
  EXPECT_THAT(
      LoadSettings(sources_).problems,
      ElementsAre("f: 'loud' is no value of the setting 'log_level', which takes error, warning, info or debug",
                  "f: 'never' is no value of the setting 'size_levels', which takes auto or always",
                  "f: 'perhaps' is no value of the setting 'labels', which takes true, false, 1 or 0",
                  "f: '1G' is no value of the setting 'ring_budget', which takes an integer from 0 to 4294967295",
                  "f: 'trellis_shader_enqueue.optimize' has no value: write 'key = value'"));
}

TEST_F(SettingsTest, misspelt_keys_are_told_the_nearest) {
  sources_.file_name = "f";
  sources_.file_text = "trellis_shader_enqueue.lables = 1\ntrellis_shader_enqueue.quux = 1\n";
  EXPECT_THAT(LoadSettings(sources_).problems,
              ElementsAre("f: there is no setting 'lables'; did you mean 'labels'?",
                          "f: there is no setting 'quux'; docs/settings.md lists them"));
}

TEST_F(SettingsTest, misspelt_environment_variables_are_named) {
  SetEnvironment("TRELLIS_LABELS", "1");
  sources_.environment_names = {"HOME",           "TRELLIS_LOG_LVEL",  "TRELLIS_LABELS",      "TRELLIS_ENABLE",
                                "TRELLIS_ENABEL", "TRELLIS_QUUX",      "TRELLIS_GLSLANG",     "TRELLIS_DISABLE",
                                "TRELLIS",        "TRELLIS_ICD_OTHER", "TRELLIS_TEST_DEVICE", "NOT_TRELLIS_LOG"};
  const LoadedSettings loaded = LoadSettings(sources_);
  EXPECT_THAT(loaded.problems,
              ElementsAre("the environment variable TRELLIS_LOG_LVEL is no setting; did you mean 'TRELLIS_LOG_LEVEL'?",
                          "the environment variable TRELLIS_ENABEL is no setting; did you mean 'TRELLIS_ENABLE'?"));
  EXPECT_THAT(loaded.notes,
              ElementsAre("the environment variable TRELLIS_QUUX is no setting; docs/settings.md lists them"))
      << "maybe of another program: no reason to warn";
}

// The variables of this process, as the layer reads them.
TEST_F(SettingsTest, names_of_the_environment_are_read) {
  ASSERT_EQ(setenv("TRELLIS_OPTIMISE", "1", 1), 0);
  const LoadedSettings loaded = LoadSettings(ProcessSettingSources(nullptr));
  ASSERT_EQ(unsetenv("TRELLIS_OPTIMISE"), 0);
  EXPECT_THAT(loaded.problems, ::testing::Contains("the environment variable TRELLIS_OPTIMISE is no setting; did you "
                                                   "mean 'TRELLIS_OPTIMIZE'?"));
}

TEST_F(SettingsTest, api_types) {
  const VkBool32 off = VK_FALSE;
  SetApi("labels", VK_LAYER_SETTING_TYPE_BOOL32_EXT, &off);
  EXPECT_FALSE(LoadSettings(sources_).settings.labels);
  const char* level = "info";
  SetApi("log_level", VK_LAYER_SETTING_TYPE_STRING_EXT, &level);
  EXPECT_EQ(LoadSettings(sources_).settings.log_level, LogLevel::kInfo);
  const int32_t budget = 64;
  SetApi("ring_budget", VK_LAYER_SETTING_TYPE_INT32_EXT, &budget);
  EXPECT_EQ(LoadSettings(sources_).settings.ring_budget, 64u);
  const float wrong = 1;
  SetApi("ring_budget", VK_LAYER_SETTING_TYPE_FLOAT32_EXT, &wrong);
  EXPECT_THAT(LoadSettings(sources_).problems,
              ElementsAre("VK_EXT_layer_settings: the setting 'ring_budget' has no value, or one of a type that no "
                          "setting has; it takes an integer from 0 to 4294967295"));
}

TEST_F(SettingsTest, other_layers_settings_are_not_ours) {
  const VkBool32 off = VK_FALSE;
  SetApi("labels", VK_LAYER_SETTING_TYPE_BOOL32_EXT, &off, "VK_LAYER_KHRONOS_validation");
  const LoadedSettings loaded = LoadSettings(sources_);
  EXPECT_TRUE(loaded.settings.labels);
  EXPECT_THAT(loaded.problems, IsEmpty());
}

}  // namespace
}  // namespace trellis::test
