// SPDX-License-Identifier: Apache-2.0
// trellis doctor: runs trellis-doctor, which needs a Vulkan loader, unlike all other verbs.
#include <cstdio>
#include <filesystem>

#include "tools/trellis/glslang.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHelp =
    "usage: trellis doctor [-o FILE] [--device N] [--no-bench]\n\n"
    "Checks whether work graphs run on this machine and writes what it finds into one file, to be attached to an "
    "issue: drivers, devices and\n"
    "their features, what Trellis decided for each of them and why, a self-test of every kind of launch, a short "
    "bench.\n\n"
    "  -o FILE     the file (default: trellis-doctor.json)\n"
    "  --device N  only device N, counted from 0\n"
    "  --no-bench  no bench\n\n"
    "example: trellis doctor -o report.json\n"
    "exit status: 0 every device that offers graphs passed, 1 a test failed or no device offers graphs, 2 the command "
    "line is wrong\n";

// The program next to this one, else the one in PATH.
std::string FindDoctor() {
  std::error_code ignored;
  fs::path sibling = OwnProgram().parent_path() / "trellis-doctor";
  sibling.replace_extension(OwnProgram().extension());
  return fs::is_regular_file(sibling, ignored) ? sibling.string() : "trellis-doctor";
}

int Run(const std::vector<std::string>& words) {
  std::vector<std::string> command = {FindDoctor()};
  command.insert(command.end(), words.begin(), words.end());
  Expected<ProgramResult> ran = RunProgram(command);
  if (!ran) return Refuse("trellis-doctor cannot be run: " + ran.error().message);
  std::fputs(ran->output.c_str(), stdout);
  if (ran->signal == 0) return ran->exit_code;
  return Refuse("trellis-doctor was ended by signal " + std::to_string(ran->signal) +
                ". Its file names the step that crashed (\"running\"); attach it to an issue");
}

}  // namespace

const Verb kDoctor = {"doctor", "check drivers, devices and graphs, and write a file about them", kHelp, &Run};

}  // namespace trellis::tool
