// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/entry_divergence.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "spirv_lowering/ir/built_ins.h"
#include "spirv_lowering/ir/debug_references.h"
#include "spirv_lowering/rules/function_divergence.h"

namespace trellis::spirv {
namespace {

constexpr size_t kMaxDepth = 64;
// Number of instructions that count as one step where they are only searched.
constexpr size_t kInstructionsPerStep = 16;
// Memory of an entry of results_ besides its key and its result, in values of Divergence.
constexpr size_t kCellsPerResult = 16;

std::vector<uint32_t> KeyOf(Id function, const CallState& state) {
  std::vector<uint32_t> key = {function, state.control ? 1u : 0u};
  for (const std::vector<Divergence>* part : {&state.arguments, &state.contents}) {
    for (const Divergence& divergence : *part) key.push_back(divergence.parts);
  }
  return key;
}

}  // namespace

EntryDivergence::EntryDivergence(const RuleContext& context, const EntryPointFacts& entry, const WorkgroupShape& shape,
                                 size_t& steps_left)
    : context_(context),
      entry_(entry),
      shape_(shape),
      non_semantic_(NonSemanticImports(context.module())),
      steps_left_(steps_left) {
  for (const Function& function : context.module().functions) functions_.emplace(function.id(), &function);
  ReadGlobals();
  ReadAllocations();
  (void)Spend(context.module().globals.size() + context.module().annotations.size() + functions_.size());
}

void EntryDivergence::ReadGlobals() {
  const Module& module = context_.module();
  for (const Instruction& global : module.globals) {
    if (global.opcode != spv::Op::OpVariable) continue;
    const auto storage = static_cast<spv::StorageClass>(global.operands[0]);
    if (storage == spv::StorageClass::Private) private_[global.result_id] = {};
    if (storage == spv::StorageClass::Input) inputs_[global.result_id] = Divergence{Divergence::kAll, global.result_id};
  }
  for (const Instruction& annotation : module.annotations) {
    if (annotation.opcode != spv::Op::OpDecorate && annotation.opcode != spv::Op::OpDecorateId) continue;
    const auto decoration = static_cast<spv::Decoration>(annotation.operands[1]);
    if (decoration == spv::Decoration::Uniform || decoration == spv::Decoration::UniformId)
      promised_uniform_.insert(annotation.operands[0]);
  }
  for (const BuiltInTarget& built_in : FindBuiltIns(module)) {
    const auto found = inputs_.find(built_in.target);
    if (found != inputs_.end() && !built_in.member)
      found->second = DivergenceOfBuiltIn(built_in.built_in, shape_, built_in.target);
  }
}

void EntryDivergence::ReadAllocations() {
  for (const Id id : entry_.functions) {
    const auto function = functions_.find(id);
    if (function == functions_.end()) continue;
    for (const BasicBlock& block : function->second->blocks) {
      for (const Instruction& instruction : block.body) {
        if (instruction.opcode != spv::Op::OpAllocateNodePayloadsAMDX) continue;
        const Id array = context_.PayloadArrayOf(instruction.result_id);
        const bool per_invocation =
            context_.types().ConstantValue(instruction.operands[0]) == static_cast<uint32_t>(spv::Scope::Invocation);
        (per_invocation ? arrays_per_invocation_ : arrays_of_workgroup_).insert(array);
        if (per_invocation) allocated_per_invocation_.insert(instruction.result_id);
      }
      (void)Spend(block.body.size() / kInstructionsPerStep);
    }
  }
}

bool EntryDivergence::MayBeOfWorkgroup(Id array, const Divergence& handle) const {
  if (!arrays_per_invocation_.contains(array)) return true;
  // Where both kinds are allocated, the cause tells them apart.
  return arrays_of_workgroup_.contains(array) && !allocated_per_invocation_.contains(handle.cause);
}

std::vector<DivergentUse> EntryDivergence::Run() {
  do {
    private_changed_ = false;
    results_.clear();
    ReturnCells(std::exchange(cells_of_results_, 0));
    (void)Call(entry_.function, {});
  } while (private_changed_ && Spend(0));
  // An allocation behind a branch explains the enqueue of its payloads there: one warning serves both.
  std::set<std::pair<const BasicBlock*, Id>> allocated_behind;
  for (const auto& [key, use] : uses_) {
    const Instruction& instruction = *key.first;
    if (instruction.opcode == spv::Op::OpAllocateNodePayloadsAMDX && use.kind == DivergentUse::Kind::kControlFlow)
      allocated_behind.emplace(use.control.branch, context_.PayloadArrayOf(instruction.result_id));
  }
  std::vector<DivergentUse> uses;
  for (const auto& [key, use] : uses_) {
    const Instruction& instruction = *key.first;
    if (instruction.opcode != spv::Op::OpEnqueueNodePayloadsAMDX ||
        !allocated_behind.contains({use.control.branch, context_.PayloadArrayOf(instruction.operands[0])}))
      uses.push_back(use);
  }
  const auto place = [this](const DivergentUse& use) {
    return std::tuple(use.function - context_.module().functions.data(), use.block, use.index, use.kind);
  };
  std::sort(uses.begin(), uses.end(),
            [&](const DivergentUse& a, const DivergentUse& b) { return place(a) < place(b); });
  return uses;
}

CallResult EntryDivergence::Call(Id function, const CallState& called_with) {
  const auto callee = functions_.find(function);
  if (callee == functions_.end() || callee->second->blocks.empty() || depth_ >= kMaxDepth) return {};
  std::vector<uint32_t> key = KeyOf(function, called_with);
  // For a call that is under way, should the function call itself, the result so far.
  if (const auto known = results_.find(key); known != results_.end()) return known->second;
  const size_t cells = kCellsPerResult + 2 * key.size();
  if (!TakeCells(cells)) return {};
  cells_of_results_ += cells;
  CallResult& result = results_[std::move(key)];
  ++depth_;
  BranchRegions& regions = regions_.try_emplace(function, *callee->second).first->second;
  FunctionDivergence(*this, *callee->second, regions, called_with, result).Run();
  --depth_;
  return result;
}

const Divergence* EntryDivergence::FindGlobal(Id variable) const {
  for (const auto* globals : {&private_, &inputs_}) {
    const auto found = globals->find(variable);
    if (found != globals->end()) return &found->second;
  }
  return nullptr;
}

void EntryDivergence::WriteGlobal(Id variable, const Divergence& value) {
  const auto found = private_.find(variable);
  if (found != private_.end()) private_changed_ = found->second.Join(value) || private_changed_;
}

bool EntryDivergence::IsNonSemantic(const Instruction& instruction) const {
  return spirv::IsNonSemantic(instruction, non_semantic_);
}

void EntryDivergence::Note(const DivergentUse& use) {
  uses_.try_emplace({&use.function->blocks[use.block].body[use.index], use.kind}, use);
}

bool EntryDivergence::Spend(size_t steps) {
  steps_left_ -= std::min(steps, steps_left_);
  return steps_left_ > 0;
}

bool EntryDivergence::TakeCells(size_t cells) {
  if (cells > cells_left_) return false;
  cells_left_ -= cells;
  return true;
}

}  // namespace trellis::spirv
