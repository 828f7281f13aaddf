// SPDX-License-Identifier: Apache-2.0
// trellis: nodes of VK_AMDX_shader_enqueue, offline.
#include <algorithm>
#include <array>
#include <cstdio>

#include "spirv_lowering/support/nearest_word.h"
#include "tools/platform/platform.h"
#include "tools/trellis/node_reports.h"
#include "tools/trellis/verb.h"
#include "trellis_version.h"

namespace trellis::tool {
namespace {

constexpr std::array<const Verb*, 7> kVerbs = {&kCompile,     &kValidate, &kReflect, &kLower,
                                               &kDisassemble, &kDoctor,   &kReport};

void PrintHelp() {
  std::puts("usage: trellis VERB ...\n\nTools for VK_AMDX_shader_enqueue, revision 2 (work graphs).\n");
  for (const Verb* verb : kVerbs)
    std::printf("  %-12s %s\n", std::string(verb->name).c_str(), std::string(verb->summary).c_str());
  std::puts(
      "\n'trellis VERB --help' describes a verb. Example:\n"
      "  trellis compile node.comp -o node.spv && trellis reflect node.spv\n\n"
      "exit status: 0 done, 1 the input was refused, 2 the command line is wrong");
}

int RefuseVerb(const std::string& name) {
  std::vector<std::string> verbs;
  for (const Verb* verb : kVerbs) verbs.emplace_back(verb->name);
  const std::string_view nearest = NearestWord(name, verbs);
  return WrongUsage("", "there is no verb '" + name + "'" +
                            (nearest.empty() ? "; the verbs are " + Listed(verbs, "and")
                                             : ": did you mean '" + std::string(nearest) + "'?"));
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    PrintHelp();
    return arguments.empty() ? kUsage : kOk;
  }
  if (arguments[0] == "--version") {
    std::puts("trellis " TRELLIS_VERSION);
    return kOk;
  }
  const auto verb =
      std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb* each) { return each->name == arguments[0]; });
  if (verb == kVerbs.end()) return RefuseVerb(arguments[0]);
  if (std::find_if(arguments.begin() + 1, arguments.end(),
                   [](const std::string& each) { return each == "--help" || each == "-h"; }) != arguments.end()) {
    std::fputs(std::string((*verb)->help).c_str(), stdout);
    return kOk;
  }
  return (*verb)->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace

int Refuse(std::string_view message) {
  std::fprintf(stderr, "trellis: %.*s\n", static_cast<int>(message.size()), message.data());
  return kRefused;
}

int WrongUsage(std::string_view verb, std::string_view message) {
  const std::string about = verb.empty() ? "trellis" : "trellis " + std::string(verb);
  std::fprintf(stderr, "%s: %.*s (see '%s --help')\n", about.c_str(), static_cast<int>(message.size()), message.data(),
               about.c_str());
  return kUsage;
}

}  // namespace trellis::tool

int main(int argc, char** argv) { return trellis::tool::Main(trellis::tool::CommandLine(argc, argv)); }
