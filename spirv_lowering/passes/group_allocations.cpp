// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/group_allocations.h"

#include <algorithm>
#include <iterator>

#include "spirv_lowering/passes/function_grouper.h"

namespace trellis::spirv {
namespace {

// Allocations of a function; each is compared with each.
constexpr size_t kMaxAllocations = 64;
// Depth of one allocation's operands: recursion stays shallow.
constexpr uint32_t kMaxDepth = 8;
// More than that of one allocation's operands would cost more than it saves.
constexpr size_t kMaxClones = 64;

}  // namespace

void FunctionGrouper::Plan(const std::vector<Position>& allocations) {
  for (const Position& allocation : allocations) {
    const bool joined = std::any_of(groups_.begin(), groups_.end(), [&](Group& group) {
      return group.members.size() < kMaxGroup && RunAsOften(group.anchor, allocation) && Join(allocation, group);
    });
    if (joined) continue;
    if (Group group = {allocation, {}, {}, {}, {}}; Join(allocation, group)) groups_.push_back(std::move(group));
  }
}

void FunctionGrouper::Apply(AllocationGroups& groups) {
  for (Group& group : groups_) {
    if (group.members.size() < 2) continue;
    clones_before_[group.anchor.block][group.anchor.index] = std::move(group.clones);
    groups[At(group.anchor).result_id] = std::move(group.members);
  }
  for (auto& [block, clones] : clones_before_) {
    std::vector<Instruction> body;
    for (uint32_t index = 0; index < Body(block).size(); ++index) {
      if (const auto before = clones.find(index); before != clones.end())
        std::move(before->second.begin(), before->second.end(), std::back_inserter(body));
      body.push_back(std::move(function_.blocks[block].body[index]));
    }
    function_.blocks[block].body = std::move(body);
  }
}

bool FunctionGrouper::RunAsOften(const Position& earlier, const Position& later) const {
  if (earlier.block == later.block) return true;
  return flow_.Dominates(earlier.block, later.block) && flow_.PostDominatesInIteration(later.block, earlier.block) &&
         flow_.InnermostLoop(earlier.block) == flow_.InnermostLoop(later.block);
}

bool FunctionGrouper::Join(const Position& allocation, Group& group) {
  Group attempt = group;
  group_ = &attempt;
  clones_left_ = kMaxClones;
  const Instruction& instruction = At(allocation);
  const std::optional<Id> count = Value(instruction.operands[1]);
  const std::optional<Id> index = count ? Value(instruction.operands[2]) : std::nullopt;
  if (!index) return false;
  std::vector<Equality> needs;
  FindNeeds(*count, needs);
  const auto need = std::find_if(needs.begin(), needs.end(), [&](const Equality& one) {
    return std::all_of(group.needs.begin(), group.needs.end(), [&](const Equality& other) {
      return one.constant != other.constant && IsSame(one.value, other.value);
    });
  });
  if (need == needs.end()) return false;
  attempt.needs.push_back(*need);
  attempt.members.push_back({instruction.result_id, *count, *index});
  group = std::move(attempt);
  return true;
}

void FunctionGrouper::FindNeeds(Id id, std::vector<Equality>& needs, uint32_t depth) {
  const Instruction* instruction = DefinitionOf(id);
  if (instruction == nullptr || depth == kMaxDepth) return;
  const std::vector<uint32_t>& operands = instruction->operands;
  switch (instruction->opcode) {
    case spv::Op::OpCopyObject:
    case spv::Op::OpBitcast:
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
      return FindNeeds(operands[0], needs, depth + 1);
    case spv::Op::OpLogicalAnd:
      FindNeeds(operands[0], needs, depth + 1);
      return FindNeeds(operands[1], needs, depth + 1);
    case spv::Op::OpSelect:
      return FindNeedsOfChoice({operands[0], operands[1], operands[2]}, needs, depth);
    case spv::Op::OpPhi:
      if (const std::optional<Choice> choice = ChoiceOf(*instruction)) FindNeedsOfChoice(*choice, needs, depth);
      return;
    case spv::Op::OpIEqual:
      for (const size_t side : {0, 1})
        if (const std::optional<uint32_t> constant = lowering_.types.ConstantValue(operands[1 - side]))
          needs.push_back({operands[side], *constant});
      return;
    case spv::Op::OpLoad:
      if (const Instruction* store = StoreOf(id)) FindNeeds(store->operands[1], needs, depth + 1);
      return;
    default:
      return;
  }
}

void FunctionGrouper::FindNeedsOfChoice(const Choice& choice, std::vector<Equality>& needs, uint32_t depth) {
  // What `&&` leaves if its first operand is false is that operand.
  if (!IsZero(choice.if_false) && choice.if_false != choice.condition) return;
  FindNeeds(choice.condition, needs, depth + 1);
  FindNeeds(choice.if_true, needs, depth + 1);
}

bool FunctionGrouper::IsZero(Id id) const {
  const Instruction* constant = lowering_.types.Find(id);
  if (constant == nullptr) return false;
  return constant->opcode == spv::Op::OpConstantFalse || constant->opcode == spv::Op::OpConstantNull ||
         lowering_.types.ConstantValue(id) == 0u;
}

const Instruction* FunctionGrouper::DefinitionOf(Id id) const {
  if (const auto defined = defined_at_.find(id); defined != defined_at_.end()) return &At(defined->second);
  const auto clone = std::find_if(group_->clones.begin(), group_->clones.end(),
                                  [id](const Instruction& each) { return each.result_id == id; });
  return clone == group_->clones.end() ? nullptr : &*clone;
}

bool FunctionGrouper::IsSame(Id a, Id b, uint32_t depth) {
  if (a == b) return true;
  const Instruction* left = DefinitionOf(a);
  const Instruction* right = DefinitionOf(b);
  if (left == nullptr || right == nullptr || depth == kMaxDepth || left->opcode != right->opcode ||
      left->type_id != right->type_id || left->operands.size() != right->operands.size())
    return false;
  if (left->opcode == spv::Op::OpLoad) return left->operands == right->operands && IsOld(a) && IsOld(b);
  if (!IsSpeculatable(left->opcode) && !IsDivision(left->opcode)) return false;
  if (left->opcode == spv::Op::OpCompositeExtract) {
    return std::equal(left->operands.begin() + 1, left->operands.end(), right->operands.begin() + 1) &&
           IsSame(left->operands[0], right->operands[0], depth + 1);
  }
  if (left->opcode == spv::Op::OpVectorShuffle) return false;
  for (size_t i = 0; i < left->operands.size(); ++i)
    if (!IsSame(left->operands[i], right->operands[i], depth + 1)) return false;
  return true;
}

AllocationGroups GroupAllocations(Lowering& lowering) {
  AllocationGroups groups;
  if (lowering.info.outputs.size() < 2) return groups;
  std::vector<std::vector<Position>> allocations(lowering.module.functions.size());
  bool any = false;
  for (uint32_t number = 0; number < allocations.size(); ++number) {
    const std::vector<BasicBlock>& blocks = lowering.module.functions[number].blocks;
    for (uint32_t block = 0; block < blocks.size(); ++block) {
      for (uint32_t index = 0; index < blocks[block].body.size(); ++index) {
        const Instruction& instruction = blocks[block].body[index];
        if (instruction.opcode != spv::Op::OpAllocateNodePayloadsAMDX) continue;
        const std::optional<uint32_t> scope = lowering.constants.Value(instruction.operands[0]);
        const bool is_single =
            scope == kScopeInvocation || (scope == kScopeWorkgroup && lowering.info.Invocations() == 1);
        if (is_single && allocations[number].size() < kMaxAllocations) allocations[number].push_back({block, index});
      }
    }
    any = any || allocations[number].size() > 1;
  }
  if (!any) return groups;
  const DefUse def_use(lowering.module);
  const TypeMap type_of = TypesOfResults(lowering.module);
  std::vector<FunctionGrouper> groupers;
  groupers.reserve(allocations.size());
  for (uint32_t number = 0; number < allocations.size(); ++number) {
    if (allocations[number].size() < 2) continue;
    groupers.emplace_back(lowering, def_use, type_of, lowering.module.functions[number]).Plan(allocations[number]);
  }
  for (FunctionGrouper& grouper : groupers) grouper.Apply(groups);
  return groups;
}

}  // namespace trellis::spirv
