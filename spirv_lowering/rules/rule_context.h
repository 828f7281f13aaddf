// SPDX-License-Identifier: Apache-2.0
// What every group of rules looks things up in, and where it reports.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/rules/check_rules.h"

namespace trellis::spirv {

// One OpEntryPoint with what belongs to it.
struct EntryPointFacts {
  std::string name;
  spv::ExecutionModel model;
  Id function = kNoId;
  std::vector<Id> interface;
  std::vector<const Instruction*> modes;
  std::unordered_set<Id> functions;  // reachable by calls, its own included
  std::vector<Id> inputs;            // its variables in NodePayloadAMDX: one, if it keeps to the rules

  // The first of them, or kNoId.
  [[nodiscard]] Id input() const { return inputs.empty() ? kNoId : inputs.front(); }
  // The execution mode, or null.
  [[nodiscard]] const Instruction* Mode(spv::ExecutionMode mode) const;
};

class RuleContext {
 public:
  explicit RuleContext(const Module& module);
  RuleContext(const RuleContext&) = delete;
  RuleContext& operator=(const RuleContext&) = delete;

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const Types& types() const { return types_; }
  [[nodiscard]] const SourceLines& lines() const { return lines_; }
  [[nodiscard]] const DefUse& def_use() const { return def_use_; }
  [[nodiscard]] const Decorations& decorations() const { return decorations_; }
  [[nodiscard]] const std::vector<EntryPointFacts>& entry_points() const { return entry_points_; }
  // In NodePayloadAMDX, whatever lists them.
  [[nodiscard]] const std::vector<Id>& input_variables() const { return input_variables_; }
  // One of these, or what functions have that is the same: a copy, a parameter that is given it.
  [[nodiscard]] bool IsInput(Id id) const { return inputs_.contains(id); }
  [[nodiscard]] Id TypeOf(Id id) const { return spirv::TypeOf(type_of_, id); }
  [[nodiscard]] std::string Name(Id id) const;

  // The OpTypeNodePayloadArrayAMDX that `id` is, points to, or is a value of; kNoId if none.
  [[nodiscard]] Id PayloadArrayOf(Id id) const;
  // The structure behind a payload array type, an array of structures or a structure; kNoId if there is none.
  [[nodiscard]] Id PayloadOf(Id type) const;
  [[nodiscard]] bool IsInt32(Id type) const;
  // OpConstant… or OpSpecConstant… of a 32-bit integer type.
  [[nodiscard]] bool IsInt32Constant(Id id) const;
  [[nodiscard]] bool IsBoolConstant(Id id) const;
  [[nodiscard]] bool IsStringConstant(Id id) const;
  // The first entry point that can run the function, or null.
  [[nodiscard]] const EntryPointFacts* EntryOf(Id function) const;
  [[nodiscard]] const EntryPointFacts* EntryWithInput(Id variable) const;

  RuleViolation& Report(std::string rule, Id id, std::string message, const EntryPointFacts* entry = nullptr,
                        SourceLine where = {});
  [[nodiscard]] std::vector<RuleViolation> Take() { return std::move(violations_); }

 private:
  void ReadEntryPoints();

  Module module_;  // Types keeps a reference that could edit
  Types types_;
  SourceLines lines_;
  TypeMap type_of_;
  DefUse def_use_;
  Decorations decorations_;
  std::vector<Id> input_variables_;
  std::unordered_set<Id> inputs_;
  std::vector<EntryPointFacts> entry_points_;
  std::vector<RuleViolation> violations_;
};

// The groups of rules, each in a file of its name.
void CheckModuleRules(RuleContext& context);
void CheckPayloadTypeRules(RuleContext& context);
void CheckDecorationRules(RuleContext& context);
void CheckModeRules(RuleContext& context);
void CheckInstructionRules(RuleContext& context);

}  // namespace trellis::spirv
