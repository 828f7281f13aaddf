// SPDX-License-Identifier: Apache-2.0
// A run under CI must not go on without the validation layer, nor with another one than it was configured for.
#include "tests/support/validation_layer.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <filesystem>
#include <fstream>

namespace trellis::test {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kOld = VK_MAKE_API_VERSION(0, 1, 3, 239);
constexpr uint32_t kNew = VK_MAKE_API_VERSION(0, 1, 4, 309);

class ValidationLayer : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "empty");
    Write("\"api_version\": \"1.4.309\"");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& manifest) const {
    std::ofstream(folder_ / "VkLayer_khronos_validation.json") << "{\"layer\": {" << manifest << "}}";
  }
  // As VK_LAYER_PATH lists them: one folder without the layer, one with it.
  [[nodiscard]] std::string Path() const { return Empty() + ":" + folder_.string(); }
  [[nodiscard]] std::string Empty() const { return (folder_ / "empty").string(); }

  const fs::path folder_ = fs::path(testing::TempDir()) /
                           (std::string("trellis_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string Refusal(bool is_ci, uint32_t found, const char* layer_path) {
  const Expected<void> allowed = RequireValidation(is_ci, found, layer_path);
  return allowed ? "" : allowed.error().message;
}

TEST_F(ValidationLayer, MustBeThereUnderCi) {
  EXPECT_NE(Refusal(true, 0, nullptr).find("was not found"), std::string::npos) << Refusal(true, 0, nullptr);
  EXPECT_NE(Refusal(true, 0, Path().c_str()).find("was not found"), std::string::npos);
  EXPECT_EQ(Refusal(true, kOld, nullptr), "");
  EXPECT_EQ(Refusal(true, kOld, ""), "");
  EXPECT_EQ(Refusal(false, 0, nullptr), "");
}

TEST_F(ValidationLayer, MustBeTheOneThatTheRunIsConfiguredFor) {
  EXPECT_EQ(Refusal(true, kNew, Path().c_str()), "");
  EXPECT_EQ(Refusal(true, kOld, Path().c_str()),
            "VK_LAYER_KHRONOS_validation 1.3.239 was found, but VK_LAYER_PATH=" + Path() + " has version 1.4.309");
  EXPECT_EQ(Refusal(false, kOld, Path().c_str()), "");
}

TEST_F(ValidationLayer, MustBeInTheFolderThatIsNamed) {
  EXPECT_EQ(Refusal(true, kOld, Empty().c_str()),
            "VK_LAYER_PATH=" + Empty() + " has no VkLayer_khronos_validation.json");
  Write("\"name\": \"VK_LAYER_KHRONOS_validation\"");
  EXPECT_NE(Refusal(true, kOld, Path().c_str()).find("has no api_version"), std::string::npos);
}

TEST_F(ValidationLayer, VersionsAreReadFromTheManifest) {
  const Expected<std::optional<uint32_t>> version = ConfiguredValidationVersion(Path().c_str());
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, kNew);
  EXPECT_EQ(VersionText(kNew), "1.4.309");
  EXPECT_EQ(VersionText(0), "none");
}

}  // namespace
}  // namespace trellis::test
