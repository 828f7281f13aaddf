// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/passes/group_allocations.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/control_flow.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {
namespace {

constexpr uint32_t kScopeWorkgroup = 2;
constexpr uint32_t kScopeInvocation = 4;

// Of a function; each is compared with each.
constexpr size_t kMaxAllocations = 64;
// Of one allocation's operands: more would cost more than it saves, and recursion stays shallow.
constexpr size_t kMaxClones = 64;
constexpr uint32_t kMaxDepth = 8;
// Of a variable. Those that compilers make for arguments have a few.
constexpr size_t kMaxWrites = 64;

// Where an instruction stands in its function.
struct Position {
  uint32_t block = 0;
  uint32_t index = 0;
  auto operator<=>(const Position&) const = default;
};

// Of scalars and vectors. They may run where they would not have: nothing here has an effect, and what is undefined is
// not chosen. Divisions are not among them: see ValueOf.
bool IsArithmetic(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpCopyObject:
    case spv::Op::OpCompositeConstruct:
    case spv::Op::OpCompositeExtract:
    case spv::Op::OpVectorShuffle:
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
    case spv::Op::OpBitcast:
    case spv::Op::OpSNegate:
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpBitwiseXor:
    case spv::Op::OpNot:
    case spv::Op::OpBitFieldUExtract:
    case spv::Op::OpBitFieldSExtract:
    case spv::Op::OpBitCount:
    case spv::Op::OpSelect:
    case spv::Op::OpLogicalAnd:
    case spv::Op::OpLogicalOr:
    case spv::Op::OpLogicalNot:
    case spv::Op::OpLogicalEqual:
    case spv::Op::OpLogicalNotEqual:
    case spv::Op::OpIEqual:
    case spv::Op::OpINotEqual:
    case spv::Op::OpUGreaterThan:
    case spv::Op::OpUGreaterThanEqual:
    case spv::Op::OpULessThan:
    case spv::Op::OpULessThanEqual:
    case spv::Op::OpSGreaterThan:
    case spv::Op::OpSGreaterThanEqual:
    case spv::Op::OpSLessThan:
    case spv::Op::OpSLessThanEqual:
    case spv::Op::OpFOrdEqual:
    case spv::Op::OpFOrdNotEqual:
    case spv::Op::OpFOrdLessThan:
    case spv::Op::OpFOrdLessThanEqual:
    case spv::Op::OpFOrdGreaterThan:
    case spv::Op::OpFOrdGreaterThanEqual:
      return true;
    default:
      return false;
  }
}

bool IsDivision(spv::Op opcode) { return opcode == spv::Op::OpUDiv || opcode == spv::Op::OpUMod; }
bool IsAccessChain(spv::Op opcode) {
  return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

class FunctionGrouper {
 public:
  FunctionGrouper(Lowering& lowering, const DefUse& def_use, const TypeMap& type_of, Function& function)
      : lowering_(lowering),
        module_(lowering.module),
        def_use_(def_use),
        type_of_(type_of),
        function_(function),
        flow_(function) {
    for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
      for (uint32_t index = 0; index < Body(block).size(); ++index)
        if (const Id result = Body(block)[index].result_id; result != kNoId) defined_at_[result] = {block, index};
      const Instruction& end = Body(block).back();
      if (end.opcode != spv::Op::OpBranchConditional) continue;
      for (const size_t target : {1, 2}) chooser_of_[end.operands[target]] = block;
    }
  }

  // `allocations`: those of one invocation, in the order in which they stand.
  void Plan(const std::vector<Position>& allocations) {
    for (const Position& allocation : allocations) {
      if (std::any_of(groups_.begin(), groups_.end(), [&](Group& group) { return Joins(allocation, group); })) continue;
      if (Group group = {allocation, {}, {}, {}, {}}; Join(allocation, group)) groups_.push_back(std::move(group));
    }
  }

  // Puts what was computed a second time in its place.
  void Apply(AllocationGroups& groups) {
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

 private:
  // A value and the constant that it must be equal to.
  struct Equality {
    Id value;
    uint32_t constant;
  };
  struct Group {
    Position anchor;  // the first allocation
    std::vector<GroupedAllocation> members;
    std::vector<Equality> needs;  // of each member; one value, different constants
    std::vector<Instruction> clones;
    std::unordered_map<Id, Id> clone_of;
  };
  struct Writes {
    std::vector<Position> positions;
    bool are_known = true;
  };

  [[nodiscard]] const std::vector<Instruction>& Body(uint32_t block) const { return function_.blocks[block].body; }
  [[nodiscard]] const Instruction& At(const Position& position) const { return Body(position.block)[position.index]; }

  // Whoever gets to one of them gets to the other, later in the same iteration.
  [[nodiscard]] bool RunAsOften(const Position& earlier, const Position& later) const {
    if (earlier.block == later.block) return true;
    return flow_.Dominates(earlier.block, later.block) && flow_.PostDominatesInIteration(later.block, earlier.block) &&
           flow_.InnermostLoop(earlier.block) == flow_.InnermostLoop(later.block);
  }
  [[nodiscard]] bool Precedes(const Position& a, const Position& b) const {
    return a.block == b.block ? a.index < b.index : flow_.Dominates(a.block, b.block);
  }

  // Whether the allocation has become a member.
  bool Joins(const Position& allocation, Group& group) {
    return group.members.size() < kMaxGroup && RunAsOften(group.anchor, allocation) && Join(allocation, group);
  }

  bool Join(const Position& allocation, Group& group) {
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

  // What must hold for a number not to be 0, or for a condition.
  void FindNeeds(Id id, std::vector<Equality>& needs, uint32_t depth = 0) {
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

  struct Choice {
    Id condition;
    Id if_true;
    Id if_false;
  };
  void FindNeedsOfChoice(const Choice& choice, std::vector<Equality>& needs, uint32_t depth) {
    // What `&&` leaves if its first operand is false is that operand.
    if (!IsZero(choice.if_false) && choice.if_false != choice.condition) return;
    FindNeeds(choice.condition, needs, depth + 1);
    FindNeeds(choice.if_true, needs, depth + 1);
  }
  [[nodiscard]] bool IsZero(Id id) const {
    const Instruction* constant = lowering_.types.Find(id);
    if (constant == nullptr) return false;
    return constant->opcode == spv::Op::OpConstantFalse || constant->opcode == spv::Op::OpConstantNull ||
           lowering_.types.ConstantValue(id) == 0u;
  }

  [[nodiscard]] const Instruction* DefinitionOf(Id id) const {
    if (const auto defined = defined_at_.find(id); defined != defined_at_.end()) return &At(defined->second);
    const auto clone = std::find_if(group_->clones.begin(), group_->clones.end(),
                                    [id](const Instruction& each) { return each.result_id == id; });
    return clone == group_->clones.end() ? nullptr : &*clone;
  }

  // Whether both have the same value at the anchor, where one of them may have been computed a second time.
  bool IsSame(Id a, Id b, uint32_t depth = 0) {
    if (a == b) return true;
    const Instruction* left = DefinitionOf(a);
    const Instruction* right = DefinitionOf(b);
    if (left == nullptr || right == nullptr || depth == kMaxDepth || left->opcode != right->opcode ||
        left->type_id != right->type_id || left->operands.size() != right->operands.size())
      return false;
    if (left->opcode == spv::Op::OpLoad) return left->operands == right->operands && IsOld(a) && IsOld(b);
    if (!IsArithmetic(left->opcode) && !IsDivision(left->opcode)) return false;
    if (left->opcode == spv::Op::OpCompositeExtract) {
      return std::equal(left->operands.begin() + 1, left->operands.end(), right->operands.begin() + 1) &&
             IsSame(left->operands[0], right->operands[0], depth + 1);
    }
    if (left->opcode == spv::Op::OpVectorShuffle) return false;
    for (size_t i = 0; i < left->operands.size(); ++i)
      if (!IsSame(left->operands[i], right->operands[i], depth + 1)) return false;
    return true;
  }

  // Whether the load gives what it would give at the anchor: what was computed there does, and what comes after all
  // writes to a variable.
  bool IsOld(Id load) {
    const auto defined = defined_at_.find(load);
    if (defined == defined_at_.end()) return true;
    const Id variable = At(defined->second).operands[0];
    if (!IsLocal(variable)) return false;
    const Writes& writes = WritesTo(variable);
    return writes.are_known && std::all_of(writes.positions.begin(), writes.positions.end(),
                                           [&](const Position& write) { return Precedes(write, defined->second); });
  }

  // What has the value of `id` at the anchor.
  std::optional<Id> Value(Id id) {
    const auto defined = defined_at_.find(id);
    if (defined == defined_at_.end() || Precedes(defined->second, group_->anchor)) return id;
    if (const auto known = group_->clone_of.find(id); known != group_->clone_of.end()) return known->second;
    if (clones_left_ == 0) return std::nullopt;
    --clones_left_;
    const std::optional<Id> clone = ValueOf(defined->second);
    if (clone) group_->clone_of[id] = *clone;
    return clone;
  }

  std::optional<Id> ValueOf(const Position& position) {
    const Instruction& instruction = At(position);
    if (IsArithmetic(instruction.opcode)) return Clone(instruction);
    // A CPU may trap where the divisor is not the one that the division was written for.
    if (IsDivision(instruction.opcode)) {
      const std::optional<uint32_t> divisor = lowering_.types.ConstantValue(instruction.operands[1]);
      return divisor && *divisor != 0 ? Clone(instruction) : std::nullopt;
    }
    if (instruction.opcode == spv::Op::OpLoad && instruction.operands.size() == 1) return ValueOfLoad(position);
    if (instruction.opcode == spv::Op::OpPhi) return ValueOfChoice(position);
    return std::nullopt;
  }

  std::optional<Id> Clone(Instruction instruction) {
    bool has_all = true;
    ForEachIdOperand(instruction, [&](Id& id) {
      const std::optional<Id> value = has_all ? Value(id) : std::nullopt;
      has_all = value.has_value();
      if (value) id = *value;
    });
    if (!has_all) return std::nullopt;
    instruction.result_id = module_.NewId();
    group_->clones.push_back(std::move(instruction));
    return group_->clones.back().result_id;
  }

  // Of a variable, or of a part of it.
  std::optional<Id> ValueOfLoad(const Position& position) {
    const Instruction& load = At(position);
    Id variable = load.operands[0];
    const Instruction* chain = DefinitionOf(variable);
    if (chain != nullptr && !IsAccessChain(chain->opcode)) chain = nullptr;
    if (chain != nullptr) variable = chain->operands[0];
    if (!IsLocal(variable)) {
      if (!IsReadOnly(variable)) return std::nullopt;
    } else {
      const Writes& writes = WritesTo(variable);
      if (!writes.are_known) return std::nullopt;
      if (chain == nullptr) {
        if (const Instruction* store = StoreBefore(position, writes)) return Value(store->operands[1]);
      }
      const bool changes = std::any_of(writes.positions.begin(), writes.positions.end(), [&](const Position& write) {
        return Precedes(group_->anchor, write) && !Precedes(position, write);
      });
      if (changes) return std::nullopt;
    }
    Instruction clone = load;
    if (chain != nullptr) {
      const std::optional<Id> pointer = Clone(*chain);
      if (!pointer) return std::nullopt;
      clone.operands[0] = *pointer;
    }
    clone.result_id = module_.NewId();
    group_->clones.push_back(std::move(clone));
    return group_->clones.back().result_id;
  }

  // The same for a load of a whole variable of this function.
  [[nodiscard]] const Instruction* StoreOf(Id load) {
    const auto defined = defined_at_.find(load);
    if (defined == defined_at_.end()) return nullptr;
    const auto variable = defined_at_.find(At(defined->second).operands[0]);
    if (variable == defined_at_.end() || At(variable->second).opcode != spv::Op::OpVariable) return nullptr;
    const Writes& writes = WritesTo(variable->first);
    return writes.are_known ? StoreBefore(defined->second, writes) : nullptr;
  }
  // The store to all of the variable that is its last write before `position`, in the same block.
  [[nodiscard]] const Instruction* StoreBefore(const Position& position, const Writes& writes) const {
    const Position* last = nullptr;
    for (const Position& write : writes.positions) {
      if (write.block == position.block && write.index < position.index && (last == nullptr || *last < write))
        last = &write;
    }
    if (last == nullptr) return nullptr;
    const Instruction& store = At(*last);
    return store.opcode == spv::Op::OpStore && store.operands[0] == At(position).operands[0] ? &store : nullptr;
  }

  const Writes& WritesTo(Id variable) {
    const auto [entry, is_new] = writes_to_.try_emplace(variable);
    Writes& writes = entry->second;
    if (!is_new) return writes;
    def_use_.Follow({variable}, [&](const DefUse::Use& use) {
      const Instruction& user = def_use_.UserOf(use);
      switch (def_use_.KindOf(use)) {
        case PointerUse::kWrites:
        case PointerUse::kPasses:
          writes.positions.push_back({use.block, use.index});
          break;
        case PointerUse::kDerives:
          if (IsAccessChain(user.opcode)) return user.result_id;
          writes.are_known = false;
          break;
        case PointerUse::kEscapes:
          writes.are_known = false;
          break;
        case PointerUse::kReads:
        case PointerUse::kInspects:
          break;
      }
      return kNoId;
    });
    if (writes.positions.size() > kMaxWrites) writes = {{}, false};
    return writes;
  }

  // A variable of the function, or a parameter that points to one: parameters do not alias unless they say so (SPIR-V,
  // 2.18.2).
  [[nodiscard]] bool IsLocal(Id id) const {
    if (const auto defined = defined_at_.find(id); defined != defined_at_.end())
      return At(defined->second).opcode == spv::Op::OpVariable;
    const auto parameter = std::find_if(function_.parameters.begin(), function_.parameters.end(),
                                        [id](const Instruction& each) { return each.result_id == id; });
    return parameter != function_.parameters.end() && lowering_.types.IsPointer(parameter->type_id) &&
           lowering_.types.PointerClass(parameter->type_id) == spv::StorageClass::Function &&
           !HasDecoration(module_, id, spv::Decoration::Aliased);
  }

  // A variable of the module that is the same all the time: an input, push constants, or one that no function writes.
  [[nodiscard]] bool IsReadOnly(Id variable) const {
    const Instruction* global = lowering_.types.Find(variable);
    if (global == nullptr || global->opcode != spv::Op::OpVariable) return false;
    switch (static_cast<spv::StorageClass>(global->operands[0])) {
      case spv::StorageClass::Input:
      case spv::StorageClass::PushConstant:
        return true;
      case spv::StorageClass::Private:
        return !WritesVariable(def_use_, lowering_.types, type_of_, variable);
      default:
        return false;
    }
  }

  std::optional<Id> ValueOfChoice(const Position& position) {
    const Instruction& phi = At(position);
    const std::optional<Choice> choice = ChoiceOf(phi);
    if (!choice) return std::nullopt;
    return Clone(
        Instruction(spv::Op::OpSelect, phi.type_id, kNoId, {choice->condition, choice->if_true, choice->if_false}));
  }

  // A value that depends on which of two ways led to it, as `&&` becomes one.
  [[nodiscard]] std::optional<Choice> ChoiceOf(const Instruction& phi) const {
    if (phi.operands.size() != 4) return std::nullopt;
    const Id merge = function_.blocks[defined_at_.at(phi.result_id).block].label;
    for (const size_t first : {size_t{0}, size_t{2}}) {
      // The way of operand `first` is a block of its own, the other one too or the branch itself.
      const size_t second = 2 - first;
      const size_t side = flow_.BlockOf(phi.operands[first + 1]);
      const size_t other = flow_.BlockOf(phi.operands[second + 1]);
      if (side == SIZE_MAX || other == SIZE_MAX || !LeadsTo(side, merge)) continue;
      const std::optional<size_t> header = HeaderOf(side, other, merge);
      if (!header) continue;
      const Instruction& branch = function_.blocks[*header].body.back();
      const bool is_true = branch.operands[1] == function_.blocks[side].label;
      return Choice{branch.operands[0], phi.operands[is_true ? first : second], phi.operands[is_true ? second : first]};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool LeadsTo(size_t block, Id merge) const {
    const Instruction& end = function_.blocks[block].body.back();
    return end.opcode == spv::Op::OpBranch && end.operands[0] == merge;
  }
  // The block whose branch chooses between `side` and `other`, or between `side` and `merge` if it is `other` itself.
  [[nodiscard]] std::optional<size_t> HeaderOf(size_t side, size_t other, Id merge) const {
    const Id side_label = function_.blocks[side].label;
    const auto chooses = [&](size_t header, Id second) {
      const Instruction& end = function_.blocks[header].body.back();
      return end.opcode == spv::Op::OpBranchConditional && flow_.InnermostLoop(header) == flow_.InnermostLoop(side) &&
             ((end.operands[1] == side_label && end.operands[2] == second) ||
              (end.operands[2] == side_label && end.operands[1] == second));
    };
    if (chooses(other, merge)) return other;
    const auto header = chooser_of_.find(side_label);
    if (header == chooser_of_.end() || !LeadsTo(other, merge)) return std::nullopt;
    return chooses(header->second, function_.blocks[other].label) ? std::optional(header->second) : std::nullopt;
  }

  Lowering& lowering_;
  Module& module_;
  const DefUse& def_use_;
  const TypeMap& type_of_;
  Function& function_;
  const ControlFlow flow_;
  std::unordered_map<Id, Position> defined_at_;
  std::vector<Group> groups_;
  std::map<uint32_t, std::map<uint32_t, std::vector<Instruction>>> clones_before_;  // by block and index
  std::unordered_map<Id, size_t> chooser_of_;  // label -> block whose conditional branch leads there
  std::unordered_map<Id, Writes> writes_to_;

  // Of the allocation being looked at.
  Group* group_ = nullptr;
  size_t clones_left_ = 0;
};

}  // namespace

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
