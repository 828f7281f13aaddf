// SPDX-License-Identifier: Apache-2.0
// The manifest (for vkconfig) and docs/settings.md say what the table of settings says, and name all messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "layer/settings/load_settings.h"
#include "layer/settings/setting_table.h"

namespace trellis::test {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(std::string(TRELLIS_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string EnvironmentName(std::string_view key) {
  std::string name = "TRELLIS_";
  for (char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

bool TypeFits(const std::string& manifest_type, SettingType type) {
  switch (type) {
    case SettingType::kBool:
      return manifest_type == "BOOL";
    case SettingType::kUint:
      return manifest_type == "INT";
    case SettingType::kEnum:
      return manifest_type == "ENUM";
    case SettingType::kString:
      return manifest_type == "STRING" || manifest_type == "SAVE_FILE" || manifest_type == "SAVE_FOLDER" ||
             manifest_type == "LOAD_FILE";
  }
  return false;
}

const char* TypeName(SettingType type) {
  switch (type) {
    case SettingType::kBool:
      return "bool";
    case SettingType::kUint:
      return "integer";
    case SettingType::kEnum:
      return "choice";
    case SettingType::kString:
      return "text";
  }
  return "";
}

nlohmann::json Manifest() { return nlohmann::json::parse(ReadFile("json/VkLayer_TRELLIS_shader_enqueue.json.in")); }

// The settings of the manifest by key; groups hold them, one level deep.
std::map<std::string, nlohmann::json> ListedSettings() {
  std::map<std::string, nlohmann::json> settings;
  const nlohmann::json manifest = Manifest();
  for (const auto& group : manifest.at("layer").at("features").at("settings")) {
    EXPECT_EQ(group.at("type"), "GROUP");
    for (const char* key : {"key", "label", "description"}) EXPECT_FALSE(group.at(key).get<std::string>().empty());
    for (const auto& entry : group.at("settings"))
      EXPECT_TRUE(settings.emplace(entry.at("key"), entry).second) << entry.at("key") << " is listed twice";
  }
  return settings;
}

std::string AsText(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Members that vkconfig knows; it refuses a manifest with others.
void ExpectKnownMembers(const nlohmann::json& entry) {
  const std::set<std::string> known = {"key",   "env",   "label", "description", "type",   "default",
                                       "flags", "range", "unit",  "view",        "status", "url"};
  for (const auto& member : entry.items()) EXPECT_EQ(known.count(member.key()), 1u) << member.key();
  const nlohmann::json& value = entry.at("default");
  const std::string type = entry.at("type");
  EXPECT_EQ(value.is_boolean(), type == "BOOL") << entry;
  EXPECT_EQ(value.is_number_integer(), type == "INT") << entry;
  EXPECT_EQ(entry.contains("flags"), type == "ENUM") << entry;
  // Without a range vkconfig takes and writes negative numbers.
  EXPECT_EQ(entry.contains("range"), type == "INT") << entry;
  if (entry.contains("range")) {
    EXPECT_EQ(entry.at("range").dump(), R"({"min":0})") << entry;
  }
  if (entry.contains("view")) {
    EXPECT_EQ(entry.at("view"), "ADVANCED");
  }
}

TEST(SettingDocuments, manifest_lists_the_settings) {
  const std::map<std::string, nlohmann::json> listed = ListedSettings();
  EXPECT_EQ(listed.size(), SettingTable().size());
  for (const SettingRow& row : SettingTable()) {
    ASSERT_EQ(listed.count(std::string(row.key)), 1u) << row.key;
    const nlohmann::json& entry = listed.at(std::string(row.key));
    ExpectKnownMembers(entry);
    EXPECT_EQ(entry.at("env"), EnvironmentName(row.key));
    EXPECT_EQ(entry.at("description"), row.description) << row.key;
    EXPECT_TRUE(TypeFits(entry.at("type"), row.type)) << row.key;
    EXPECT_EQ(AsText(entry.at("default")), row.default_value) << row.key;
    std::string choices;
    for (const auto& flag : entry.value("flags", nlohmann::json::array()))
      choices += (choices.empty() ? "" : "|") + flag.at("key").get<std::string>();
    EXPECT_EQ(choices, row.type == SettingType::kEnum ? row.values : "") << row.key;
  }
}

// Each preset sets the same settings, so that choosing one undoes another; the first one has the defaults.
TEST(SettingDocuments, manifest_has_presets) {
  const nlohmann::json presets = Manifest().at("layer").at("features").at("presets");
  std::vector<std::string> labels;
  for (const auto& preset : presets) {
    labels.push_back(preset.at("label"));
    EXPECT_FALSE(preset.at("description").get<std::string>().empty());
    ASSERT_EQ(preset.at("settings").size(), presets[0].at("settings").size());
    for (size_t i = 0; i < preset.at("settings").size(); ++i) {
      const nlohmann::json& setting = preset.at("settings")[i];
      EXPECT_EQ(setting.at("key"), presets[0].at("settings")[i].at("key"));
      const SettingRow* row = FindSetting(setting.at("key").get<std::string>());
      ASSERT_NE(row, nullptr) << setting;
      Settings settings;
      EXPECT_TRUE(row->set(settings, *row, AsText(setting.at("value")))) << setting;
      if (labels.size() == 1) {
        EXPECT_EQ(AsText(setting.at("value")), row->default_value) << setting;
      }
    }
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"Standard", "Debug", "Profile", "Validate"}));
}

// The line that vkconfig writes for a setting: booleans in capitals.
std::string LineOfVkconfig(const std::string& key, const nlohmann::json& value) {
  const std::string text = value.is_boolean() ? (value.get<bool>() ? "TRUE" : "FALSE") : AsText(value);
  return "trellis_shader_enqueue." + key + " = " + text + "\n";
}

TEST(SettingDocuments, file_that_vkconfig_writes_is_read) {
  const nlohmann::json features = Manifest().at("layer").at("features");
  std::string text;
  for (const auto& group : features.at("settings")) {
    EXPECT_TRUE(IsSettingGroup(group.at("key").get<std::string>())) << group.at("key");
    EXPECT_EQ(FindSetting(group.at("key").get<std::string>()), nullptr) << group.at("key");
    text += LineOfVkconfig(group.at("key"), "");
    for (const auto& entry : group.at("settings")) text += LineOfVkconfig(entry.at("key"), entry.at("default"));
  }
  SettingSources sources;
  sources.file_text = text;
  EXPECT_THAT(LoadSettings(sources).problems, testing::IsEmpty());
  for (const auto& preset : features.at("presets")) {
    std::string lines;
    for (const auto& setting : preset.at("settings")) lines += LineOfVkconfig(setting.at("key"), setting.at("value"));
    sources.file_text = text + lines;
    const LoadedSettings loaded = LoadSettings(sources);
    EXPECT_THAT(loaded.problems, testing::IsEmpty());
    EXPECT_EQ(loaded.settings.timing, preset.at("label") == "Profile");
  }
}

// vkconfig hides a layer where its platforms lack the system.
TEST(SettingDocuments, manifest_names_the_platforms) {
  EXPECT_EQ(Manifest().at("layer").at("platforms").dump(), R"(["LINUX","WINDOWS"])");
}

TEST(SettingDocuments, manifest_names_the_extension) {
  const nlohmann::json layer = Manifest().at("layer");
  EXPECT_EQ(layer.at("status"), "BETA");
  const nlohmann::json& extension = layer.at("device_extensions").at(0);
  EXPECT_EQ(extension.at("name"), "VK_AMDX_shader_enqueue");
  EXPECT_EQ(extension.at("spec_version"), "2");
  EXPECT_EQ(extension.at("entrypoints").size(), 7u);
  // Loaders list an instance extension of an implicit layer, and then refuse applications that enable it (vulkaninfo
  // does).
  EXPECT_FALSE(layer.contains("instance_extensions"));
}

TEST(SettingDocuments, docs_table_lists_the_settings) {
  std::string expected;
  for (const SettingRow& row : SettingTable()) {
    std::string type = TypeName(row.type);
    if (row.type == SettingType::kEnum) {
      type = row.values;
      for (size_t at = 0; (at = type.find('|', at)) != std::string::npos; at += 2) type.replace(at, 1, ", ");
    }
    const std::string value = row.default_value.empty() ? "empty" : "`" + std::string(row.default_value) + "`";
    expected +=
        "| `" + std::string(row.key) + "` | " + type + " | " + value + " | " + std::string(row.description) + " |\n";
  }
  const std::string text = ReadFile("docs/settings.md");
  EXPECT_NE(text.find(expected), std::string::npos) << "docs/settings.md should have these rows:\n" << expected;
}

TEST(SettingDocuments, page_lists_the_messages) {
  const std::string page = ReadFile("docs/settings.md");
  const std::filesystem::path root = TRELLIS_SOURCE_DIR;
  const std::regex name("\"(TRELLIS-[a-z0-9-]+)\"");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "layer")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = ReadFile(entry.path().lexically_relative(root).string());
    for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
      names.insert((*found)[1].str());
  }
  EXPECT_GE(names.size(), 26u) << "there are at least those";
  for (const std::string& each : names) EXPECT_NE(page.find("`" + each + "`"), std::string::npos) << each;
}

}  // namespace
}  // namespace trellis::test
