// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "layer/diagnostics/log.h"
#include "layer/platform/platform.h"

namespace trellis::test {
namespace {

using ::testing::HasSubstr;

// A folder with a file that nobody named, and a link to it under a name that somebody will.
class OutputFiles : public ::testing::Test {
 protected:
  OutputFiles() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Write(victim_, "precious");
    std::filesystem::create_symlink(victim_, link_);
  }
  ~OutputFiles() override { std::filesystem::remove_all(folder_); }

  static void Write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string Read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  // Tests run side by side, a process each.
  const std::filesystem::path folder_ = ::testing::TempDir() + "trellis_output_files_" + std::to_string(getpid());
  const std::filesystem::path victim_ = folder_ / "victim";
  const std::filesystem::path link_ = folder_ / "link";
  const std::filesystem::path plain_ = folder_ / "plain";
};

TEST_F(OutputFiles, appending_goes_on_behind_what_is_there) {
  Write(plain_, "one ");
  std::fputs("two", OpenForAppending(plain_).get());
  EXPECT_EQ(Read(plain_), "one two");
}

TEST_F(OutputFiles, appending_follows_no_link) {
  EXPECT_FALSE(OpenForAppending(link_));
  std::filesystem::remove(victim_);
  EXPECT_FALSE(OpenForAppending(link_)) << "nor one that leads nowhere";
  EXPECT_FALSE(std::filesystem::exists(victim_));
}

TEST_F(OutputFiles, replacing_replaces_a_link_and_not_its_target) {
  std::fputs("new", ReplaceFile(link_).get());
  EXPECT_EQ(Read(victim_), "precious");
  EXPECT_EQ(Read(link_), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(link_));
}

TEST_F(OutputFiles, replacing_leaves_other_names_of_a_file_alone) {
  std::filesystem::create_hard_link(victim_, plain_);
  std::fputs("new", ReplaceFile(plain_).get());
  EXPECT_EQ(Read(victim_), "precious");
  EXPECT_EQ(Read(plain_), "new");
}

TEST_F(OutputFiles, what_is_no_file_is_not_replaced) {
  EXPECT_FALSE(ReplaceFile(folder_));
  EXPECT_TRUE(std::filesystem::is_directory(folder_));
  EXPECT_FALSE(ReplaceFile(folder_ / "no folder" / "file"));
}

TEST_F(OutputFiles, a_log_file_that_is_a_link_is_refused_with_a_message) {
  ::testing::internal::CaptureStderr();
  Log log(LogLevel::kWarning, link_.string());
  log.Write(LogLevel::kWarning, "TRELLIS-x", "trouble");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("log_file: cannot open " + link_.string()));
  EXPECT_THAT(text, HasSubstr("trouble [TRELLIS-x]"));
  EXPECT_EQ(Read(victim_), "precious");
}

}  // namespace
}  // namespace trellis::test
