// SPDX-License-Identifier: Apache-2.0
// The tutorial's code compiles, and what it prints is what the programs print.
#include <gtest/gtest.h>

#include "tests/samples/tutorial.h"
#include "tools/trellis/files.h"
#include "tools/trellis/glslang.h"

namespace trellis::test {
namespace {

class Tutorial : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("TRELLIS_GLSLANG", TRELLIS_GLSLANG, 1), 0);
    ASSERT_TRUE(WriteTutorialFiles(folder_.path()));
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  static tool::ProgramResult Run(const std::vector<std::string>& words) {
    Expected<tool::ProgramResult> result = tool::RunProgram(words);
    EXPECT_TRUE(result);
    return result ? *std::move(result) : tool::ProgramResult();
  }

 private:
  tool::TemporaryFolder folder_;
};

TEST_F(Tutorial, ComputeShaderCompiles) {
  const tool::ProgramResult compiled =
      Run({TRELLIS_GLSLANG, "-V", "--target-env", "vulkan1.3", "-o", Path("primes.spv"), Path("primes.comp")});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
}

TEST_F(Tutorial, NodesAreWhatReflectPrints) {
  const std::vector<uint32_t> module = CompileTutorial();
  ASSERT_FALSE(module.empty());
  ASSERT_TRUE(tool::WriteWords(Path("nodes.spv"), module));
  EXPECT_EQ(Run({TRELLIS_PROGRAM, "reflect", Path("nodes.spv")}).output, TutorialText("text", "launch:"));
}

TEST_F(Tutorial, MistakeGivesTheMessage) {
  Expected<std::string> source = tool::ReadText(Path("sieve.comp"));
  ASSERT_TRUE(source);
  const std::string right = "Candidates_thread(worth_it ? 1 : 0)";
  ASSERT_NE(source->find(right), std::string::npos);
  source->replace(source->find(right), right.size(), "Candidates_thread(65)");
  ASSERT_TRUE(tool::WriteText(Path("sieve.comp"), *source));
  const std::string output =
      Run({TRELLIS_PROGRAM, "compile", Path("sieve.comp"), "-e", "sieve", "-o", Path("sieve.spv")}).output;
  // Ids are up to glslang.
  const std::string message = TutorialText("text", "error:");
  EXPECT_NE(output.find(message.substr(0, message.find(" (%"))), std::string::npos) << output;
}

TEST_F(Tutorial, HostCodeCompiles) {
  const tool::ProgramResult compiled =
      Run({TRELLIS_CXX, "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", "-I" TRELLIS_VULKAN_INCLUDE_DIR,
           "-I" TRELLIS_INCLUDE_DIR, Path("primes.cpp")});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
}

}  // namespace
}  // namespace trellis::test
