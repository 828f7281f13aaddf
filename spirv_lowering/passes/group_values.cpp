// SPDX-License-Identifier: Apache-2.0
// What an allocation's operands need, computed a second time in front of the first allocation of its group.
#include <algorithm>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/passes/function_grouper.h"

namespace trellis::spirv {
namespace {

// Writes of a variable. Those that compilers make for arguments have a few.
constexpr size_t kMaxWrites = 64;

bool IsAccessChain(spv::Op opcode) {
  return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

}  // namespace

bool IsSpeculatable(spv::Op opcode) {
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

bool FunctionGrouper::IsOld(Id load) {
  const auto defined = defined_at_.find(load);
  if (defined == defined_at_.end()) return true;
  const Id variable = At(defined->second).operands[0];
  if (!IsLocal(variable)) return false;
  const Writes& writes = WritesTo(variable);
  return writes.are_known && std::all_of(writes.positions.begin(), writes.positions.end(),
                                         [&](const Position& write) { return Precedes(write, defined->second); });
}

std::optional<Id> FunctionGrouper::Value(Id id) {
  const auto defined = defined_at_.find(id);
  if (defined == defined_at_.end() || Precedes(defined->second, group_->anchor)) return id;
  if (const auto known = group_->clone_of.find(id); known != group_->clone_of.end()) return known->second;
  if (clones_left_ == 0) return std::nullopt;
  --clones_left_;
  const std::optional<Id> clone = ValueOf(defined->second);
  if (clone) group_->clone_of[id] = *clone;
  return clone;
}

std::optional<Id> FunctionGrouper::ValueOf(const Position& position) {
  const Instruction& instruction = At(position);
  if (IsSpeculatable(instruction.opcode)) return Clone(instruction);
  // A CPU may trap where the divisor is not the one that the division was written for.
  if (IsDivision(instruction.opcode)) {
    const std::optional<uint32_t> divisor = lowering_.types.ConstantValue(instruction.operands[1]);
    return divisor && *divisor != 0 ? Clone(instruction) : std::nullopt;
  }
  if (instruction.opcode == spv::Op::OpLoad && instruction.operands.size() == 1) return ValueOfLoad(position);
  if (instruction.opcode == spv::Op::OpPhi) return ValueOfChoice(position);
  return std::nullopt;
}

std::optional<Id> FunctionGrouper::Clone(Instruction instruction) {
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

std::optional<Id> FunctionGrouper::ValueOfLoad(const Position& position) {
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

const Instruction* FunctionGrouper::StoreOf(Id load) {
  const auto defined = defined_at_.find(load);
  if (defined == defined_at_.end()) return nullptr;
  const auto variable = defined_at_.find(At(defined->second).operands[0]);
  if (variable == defined_at_.end() || At(variable->second).opcode != spv::Op::OpVariable) return nullptr;
  const Writes& writes = WritesTo(variable->first);
  return writes.are_known ? StoreBefore(defined->second, writes) : nullptr;
}

const Instruction* FunctionGrouper::StoreBefore(const Position& position, const Writes& writes) const {
  const Position* last = nullptr;
  for (const Position& write : writes.positions) {
    if (write.block == position.block && write.index < position.index && (last == nullptr || *last < write))
      last = &write;
  }
  if (last == nullptr) return nullptr;
  const Instruction& store = At(*last);
  return store.opcode == spv::Op::OpStore && store.operands[0] == At(position).operands[0] ? &store : nullptr;
}

const FunctionGrouper::Writes& FunctionGrouper::WritesTo(Id variable) {
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

bool FunctionGrouper::IsLocal(Id id) const {
  if (const auto defined = defined_at_.find(id); defined != defined_at_.end())
    return At(defined->second).opcode == spv::Op::OpVariable;
  const auto parameter = std::find_if(function_.parameters.begin(), function_.parameters.end(),
                                      [id](const Instruction& each) { return each.result_id == id; });
  return parameter != function_.parameters.end() && lowering_.types.IsPointer(parameter->type_id) &&
         lowering_.types.PointerClass(parameter->type_id) == spv::StorageClass::Function &&
         !HasDecoration(module_, id, spv::Decoration::Aliased);
}

bool FunctionGrouper::IsReadOnly(Id variable) const {
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

std::optional<Id> FunctionGrouper::ValueOfChoice(const Position& position) {
  const Instruction& phi = At(position);
  const std::optional<Choice> choice = ChoiceOf(phi);
  if (!choice) return std::nullopt;
  return Clone(
      Instruction(spv::Op::OpSelect, phi.type_id, kNoId, {choice->condition, choice->if_true, choice->if_false}));
}

std::optional<FunctionGrouper::Choice> FunctionGrouper::ChoiceOf(const Instruction& phi) const {
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

bool FunctionGrouper::LeadsTo(size_t block, Id merge) const {
  const Instruction& end = function_.blocks[block].body.back();
  return end.opcode == spv::Op::OpBranch && end.operands[0] == merge;
}

std::optional<size_t> FunctionGrouper::HeaderOf(size_t side, size_t other, Id merge) const {
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

}  // namespace trellis::spirv
