// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/uniformity.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/rules/entry_divergence.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {
namespace {

// Limit of work for all entry points of a module together.
constexpr size_t kMaxSteps = size_t{1} << 24;

// Returns the constant that gives the workgroup size of all entry points, or null.
const Instruction* FindWorkgroupSize(const RuleContext& context, const std::vector<BuiltInTarget>& built_ins) {
  for (const BuiltInTarget& found : built_ins) {
    if (found.built_in != spv::BuiltIn::WorkgroupSize || found.member) continue;
    const Instruction* size = context.types().Find(found.target);
    if (size != nullptr && size->operands.size() == 3) return size;
  }
  return nullptr;
}

// `constant`: FindWorkgroupSize.
WorkgroupShape ShapeOf(const RuleContext& context, const EntryPointFacts& entry, const Instruction* constant) {
  std::array<std::optional<uint32_t>, 3> sides;
  const Instruction* const literals = entry.Mode(spv::ExecutionMode::LocalSize);
  const Instruction* const ids = entry.Mode(spv::ExecutionMode::LocalSizeId);
  for (size_t i = 0; i < sides.size(); ++i) {
    if (constant != nullptr) {
      sides[i] = context.types().ConstantValue(constant->operands[i]);
    } else if (ids != nullptr) {
      sides[i] = context.types().ConstantValue(ids->operands[2 + i]);
    } else if (literals != nullptr) {
      sides[i] = literals->operands[2 + i];
    }
  }
  WorkgroupShape shape;
  shape.invocations = 1;
  for (size_t i = 0; i < sides.size(); ++i) {
    shape.varies[i] = sides[i] != 1u;
    shape.invocations *= sides[i].value_or(0);
  }
  return shape;
}

class Reporter {
 public:
  // `opcode_of`: of all results in functions. `built_in_of`: of variables.
  Reporter(RuleContext& context, const EntryPointFacts& entry, const std::unordered_map<Id, spv::Op>& opcode_of,
           const std::unordered_map<Id, spv::BuiltIn>& built_in_of)
      : context_(context), entry_(entry), opcode_of_(opcode_of), built_in_of_(built_in_of) {}

  void Report(const DivergentUse& use) {
    const BasicBlock& block = use.function->blocks[use.block];
    const Instruction& instruction = block.body[use.index];
    const std::string opcode = OpcodeName(instruction.opcode);
    std::string rule = opcode + "/uniform-control-flow";
    std::string message;
    switch (use.kind) {
      case DivergentUse::Kind::kControlFlow:
        message = WhatIsReached(instruction) + ", but some of its invocations may not get here: " + Why(use.control);
        break;
      case DivergentUse::Kind::kCount:
        rule = opcode + "/uniform-count";
        message = "the number of payloads of " + Output(instruction) +
                  ", allocated for the workgroup, must be the same in all of its invocations, but depends on " +
                  Cause(use.cause);
        break;
      case DivergentUse::Kind::kIndex:
        rule = opcode + "/uniform-index";
        message = "the index of the node that payloads of " + Output(instruction) +
                  ", allocated for the workgroup, are for must be the same in all of its invocations, but depends on " +
                  Cause(use.cause);
        break;
    }
    context_
        .Report(std::move(rule), instruction.result_id, std::move(message), &entry_,
                context_.lines().At(block, use.index))
        .tolerated = true;
  }

 private:
  [[nodiscard]] std::string WhatIsReached(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case spv::Op::OpAllocateNodePayloadsAMDX:
        return "payloads of " + Output(instruction) + " are allocated for the workgroup";
      case spv::Op::OpEnqueueNodePayloadsAMDX:
        return "payloads that were allocated for the workgroup are enqueued";
      default:
        return "the workgroup finishes writing its input";
    }
  }

  // "'Work' for node 'worker'"
  [[nodiscard]] std::string Output(const Instruction& allocate) const {
    const Id array = context_.PayloadArrayOf(allocate.result_id);
    std::string text = "'" + NameOf(context_.module(), array) + "'";
    const std::optional<uint32_t> name = context_.decorations().Find(array, spv::Decoration::PayloadNodeNameAMDX);
    if (name && context_.IsStringConstant(*name)) {
      const std::vector<uint32_t>& words = context_.types().Find(*name)->operands;
      text += " for node '" + DecodeString(words.data(), words.size()) + "'";
    }
    return text;
  }

  [[nodiscard]] std::string Why(const Control& control) const {
    const SourceLine where = context_.lines().At(*control.branch, control.branch->body.size() - 1);
    const std::string at = where.line == 0 ? " in block %" + std::to_string(control.branch->label)
                                           : " at " + where.file + ":" + std::to_string(where.line);
    switch (control.kind) {
      case Control::Kind::kReturn:
        return "the branch" + at + ", behind which some of them may return, depends on " + Cause(control.cause);
      case Control::Kind::kLoop:
        return "how often the loop" + at + " runs depends on " + Cause(control.cause);
      case Control::Kind::kBranch:
        break;
    }
    return "the branch" + at + " depends on " + Cause(control.cause);
  }

  [[nodiscard]] std::string Cause(Id id) const {
    if (const auto found = built_in_of_.find(id); found != built_in_of_.end())
      return (FindBuiltInName(found->second).empty() ? "the built-in " : "") + BuiltInName(found->second);
    const auto found = opcode_of_.find(id);
    if (found != opcode_of_.end()) return "the result of " + OpcodeName(found->second);
    return context_.Name(id);
  }

  RuleContext& context_;
  const EntryPointFacts& entry_;
  const std::unordered_map<Id, spv::Op>& opcode_of_;
  const std::unordered_map<Id, spv::BuiltIn>& built_in_of_;
};

bool IsForWorkgroup(const RuleContext& context, const Instruction& instruction) {
  if (instruction.opcode == spv::Op::OpFinishWritingNodePayloadAMDX) return true;
  return instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX &&
         context.types().ConstantValue(instruction.operands[0]) == static_cast<uint32_t>(spv::Scope::Workgroup);
}

std::vector<Id> FunctionsForWorkgroup(const RuleContext& context) {
  std::vector<Id> functions;
  for (const Function& function : context.module().functions) {
    const auto is_wanted = [&](const Instruction& instruction) { return IsForWorkgroup(context, instruction); };
    const bool has_some = std::ranges::any_of(
        function.blocks, [&](const BasicBlock& block) { return std::ranges::any_of(block.body, is_wanted); });
    if (has_some) functions.push_back(function.id());
  }
  return functions;
}

}  // namespace

std::vector<RuleViolation> CheckUniformity(const Module& module) {
  RuleContext context(module);
  const std::vector<Id> functions = FunctionsForWorkgroup(context);
  if (functions.empty()) return {};
  std::unordered_map<Id, spv::Op> opcode_of;
  for (const Function& function : module.functions) {
    for (const BasicBlock& block : function.blocks) {
      for (const Instruction& instruction : block.body) opcode_of.emplace(instruction.result_id, instruction.opcode);
    }
  }
  const std::vector<BuiltInTarget> built_ins = FindBuiltIns(module);
  std::unordered_map<Id, spv::BuiltIn> built_in_of;
  for (const BuiltInTarget& found : built_ins) {
    if (!found.member) built_in_of[found.target] = found.built_in;
  }
  const Instruction* const workgroup_size = FindWorkgroupSize(context, built_ins);
  size_t steps_left = kMaxSteps;
  for (const EntryPointFacts& entry : context.entry_points()) {
    const bool has_some = std::ranges::any_of(functions, [&](Id id) { return entry.functions.contains(id); });
    if (entry.model != spv::ExecutionModel::GLCompute || !has_some) continue;
    const WorkgroupShape shape = ShapeOf(context, entry, workgroup_size);
    if (shape.invocations == 1 || steps_left == 0) continue;
    Reporter reporter(context, entry, opcode_of, built_in_of);
    for (const DivergentUse& use : EntryDivergence(context, entry, shape, steps_left).Run()) reporter.Report(use);
  }
  return context.Take();
}

}  // namespace trellis::spirv
