// SPDX-License-Identifier: Apache-2.0
// The sentences of SPV_AMDX_shader_enqueue (revision 2) and of the Vulkan environment for it that SPIRV-Tools'
// validator does not check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/rules/source_lines.h"

namespace trellis::spirv {

struct RuleViolation {
  std::string rule;         // a VUID, or "<SPIR-V name>/<what>"; docs/glsl.md lists them
  std::string entry_point;  // empty: of the whole module
  Id id = kNoId;            // the offending result or operand
  SourceLine where;         // as far as debug information tells
  std::string message;
  // A warning: the text demands it, but compilers in use break it and it has one sensible meaning, or
  // `depends_on_execution`. Pipelines are created all the same.
  bool tolerated = false;
  // Broken only if the instruction executes, which its module does not tell.
  bool depends_on_execution = false;
  std::optional<spv::ExecutionModel> execution_model = {};  // of the entry point
};

// All violations, in the order of the module. `module` comes from ReadModule; pure, safe to call from many threads.
// Dynamic rules (uniformity, of which rules/uniformity.h warns; counts known at run time) and rules between modules
// (payload sizes, names that must exist) are not checked here.
[[nodiscard]] std::vector<RuleViolation> CheckRules(const Module& module);

// Returns whether the node with that entry point breaks the rule, by itself or as a part of its module.
[[nodiscard]] bool Concerns(const RuleViolation& violation, std::string_view entry_point,
                            ExecutionModel execution_model);

// One line: "node.comp:12: error: [rule] message (entry point 'main', %42)"; "warning" for what is tolerated.
[[nodiscard]] std::string Describe(const RuleViolation& violation);

}  // namespace trellis::spirv
