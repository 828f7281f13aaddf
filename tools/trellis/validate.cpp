// SPDX-License-Identifier: Apache-2.0
// trellis validate: the extension's rules, and spirv-val.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/rules/check_rules.h"
#include "spirv_lowering/rules/uniformity.h"
#include "spirv_lowering/rules/validator_view.h"
#include "spirv_lowering/support/utf8_path.h"
#include "tools/trellis/arguments.h"
#include "tools/trellis/files.h"
#include "tools/trellis/verb.h"

namespace trellis::tool {
namespace {

constexpr std::string_view kHelp =
    "usage: trellis validate FILE... [--strict] [--rules-only]\n\n"
    "Checks SPIR-V modules against the rules of SPV_AMDX_shader_enqueue that spirv-val does not know, then with "
    "spirv-val. Each finding is one\n"
    "line with the rule's name, the id and, where debug information tells, the source line. Warnings are rules that "
    "compilers in use break and\n"
    "that have one sensible meaning, rules that are broken only if an instruction executes, and code that not all "
    "invocations of a workgroup\n"
    "may reach though they must.\n\n"
    "  --strict      warnings are errors\n"
    "  --rules-only  without spirv-val\n\n"
    "example: trellis validate --strict worker.spv\n"
    "exit status: 0 valid, 1 refused, 2 the command line is wrong\n";

constexpr uint32_t kSpirv15 = 0x00010500;

int Validate(const std::string& path, bool strict, bool rules_only) {
  Expected<spirv::Module> module = ReadNodes(PathFromUtf8(path));
  if (!module) return Refuse(module.error().message);
  bool refused = false;
  std::vector<spirv::RuleViolation> violations = spirv::CheckRules(*module);
  std::vector<spirv::RuleViolation> warnings = spirv::CheckUniformity(*module);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(violations));
  for (spirv::RuleViolation& violation : violations) {
    violation.tolerated = violation.tolerated && !strict;
    refused = refused || !violation.tolerated;
    std::fprintf(stderr, "%s: %s\n", path.c_str(), Describe(violation).c_str());
  }
  if (!rules_only && !refused) {
    const bool vulkan12 = module->version <= kSpirv15;
    Expected<void> valid = spirv::Validate(WriteModule(spirv::ForValidator(*std::move(module))), vulkan12);
    if (!valid) return Refuse(path + ": " + valid.error().message);
  }
  return refused ? kRefused : kOk;
}

int Run(const std::vector<std::string>& words) {
  Expected<Arguments> arguments = Arguments::Parse(words, {{"--strict"}, {"--rules-only"}});
  if (!arguments) return WrongUsage("validate", arguments.error().message);
  if (arguments->inputs().empty()) return WrongUsage("validate", "no input");
  int exit_code = kOk;
  for (const std::string& input : arguments->inputs()) {
    exit_code = std::max(exit_code, Validate(input, arguments->Has("--strict"), arguments->Has("--rules-only")));
  }
  return exit_code;
}

}  // namespace

const Verb kValidate = {"validate", "check modules against the extension's rules", kHelp, &Run};

}  // namespace trellis::tool
