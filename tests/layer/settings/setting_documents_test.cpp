// The manifest (for vkconfig) and docs/settings.md say what the table of settings says, and name all messages.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

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

TEST(SettingDocuments, manifest_lists_the_settings) {
  const auto manifest = nlohmann::json::parse(ReadFile("json/VkLayer_TRELLIS_shader_enqueue.json.in"));
  const auto& listed = manifest.at("layer").at("features").at("settings");
  ASSERT_EQ(listed.size(), SettingTable().size());
  for (size_t i = 0; i < listed.size(); ++i) {
    const SettingRow& row = SettingTable()[i];
    const auto& entry = listed[i];
    EXPECT_EQ(entry.at("key"), row.key);
    EXPECT_EQ(entry.at("env"), EnvironmentName(row.key));
    EXPECT_EQ(entry.at("description"), row.description) << row.key;
    EXPECT_TRUE(TypeFits(entry.at("type"), row.type)) << row.key;
    const auto& value = entry.at("default");
    EXPECT_EQ(value.is_string() ? value.get<std::string>() : value.dump(), row.default_value) << row.key;
    std::string choices;
    for (const auto& flag : entry.value("flags", nlohmann::json::array()))
      choices += (choices.empty() ? "" : "|") + flag.at("key").get<std::string>();
    EXPECT_EQ(choices, row.values) << row.key;
  }
}

TEST(SettingDocuments, docs_table_lists_the_settings) {
  std::string expected;
  for (const SettingRow& row : SettingTable()) {
    std::string type = TypeName(row.type);
    if (!row.values.empty()) {
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
