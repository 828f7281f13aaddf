// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/check_rules.h"

#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {

std::vector<RuleViolation> CheckRules(const Module& module) {
  RuleContext context(module);
  CheckModuleRules(context);
  CheckModeRules(context);
  CheckPayloadTypeRules(context);
  CheckDecorationRules(context);
  CheckInstructionRules(context);
  return context.Take();
}

bool Concerns(const RuleViolation& violation, std::string_view entry_point, ExecutionModel execution_model) {
  if (violation.entry_point.empty()) return true;
  return violation.entry_point == entry_point &&
         violation.execution_model.value_or(ModelInModules(execution_model)) == ModelInModules(execution_model);
}

std::string Describe(const RuleViolation& violation) {
  std::string line = Prefix(violation.where) + (violation.tolerated ? "warning: [" : "error: [") + violation.rule +
                     "] " + violation.message;
  std::string about;
  if (!violation.entry_point.empty()) about = "entry point '" + violation.entry_point + "'";
  if (violation.id != kNoId) about += (about.empty() ? "%" : ", %") + std::to_string(violation.id);
  return about.empty() ? line : line + " (" + about + ")";
}

}  // namespace trellis::spirv
