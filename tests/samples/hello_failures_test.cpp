// SPDX-License-Identifier: Apache-2.0
// What hello_graph says where it cannot run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tools/trellis/glslang.h"

namespace trellis::test {
namespace {

class HelloFailures : public testing::Test {
 protected:
  void SetUp() override {
    setenv("VK_DRIVER_FILES", "/nonexistent/driver.json", 1);
    setenv("VK_ICD_FILENAMES", "/nonexistent/driver.json", 1);
  }
  void TearDown() override {
    unsetenv("VK_DRIVER_FILES");
    unsetenv("VK_ICD_FILENAMES");
  }
  static void ExpectFailure(const std::vector<std::string>& arguments, int exit_code, const std::string& output) {
    std::vector<std::string> command = {TRELLIS_HELLO_GRAPH};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Expected<tool::ProgramResult> result = tool::RunProgram(command);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->exit_code, exit_code);
    EXPECT_EQ(result->output, output);
  }
};

TEST_F(HelloFailures, WithoutADriverTheResultHasItsNameAndAHint) {
  ExpectFailure({}, 1,
                "hello_graph: vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER: the Vulkan loader found no "
                "driver: install a Vulkan driver (the package mesa-vulkan-drivers has lavapipe, which needs no GPU), "
                "or name the manifest of one in VK_DRIVER_FILES; VK_DRIVER_FILES is '/nonexistent/driver.json'; "
                "VK_ICD_FILENAMES is '/nonexistent/driver.json'\n");
}

TEST_F(HelloFailures, WrongOptionsAreNamed) {
  ExpectFailure({"--devcie", "1"}, 2, "hello_graph: there is no option '--devcie' (see --help)\n");
  ExpectFailure({"--device"}, 2, "hello_graph: --device takes a number (see --list-devices), not ''\n");
  ExpectFailure({"--device", "one"}, 2, "hello_graph: --device takes a number (see --list-devices), not 'one'\n");
}

}  // namespace
}  // namespace trellis::test
