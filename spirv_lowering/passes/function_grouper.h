// SPDX-License-Identifier: Apache-2.0
// The pass behind GroupAllocations, for one function. Internal to group_allocations.cpp and group_values.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spirv_lowering/ir/control_flow.h"
#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/passes/group_allocations.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/reflect/allocations.h"
#include "spirv_lowering/reflect/variable_writes.h"

namespace trellis::spirv {

// Where an instruction stands in its function.
struct Position {
  uint32_t block = 0;
  uint32_t index = 0;
  auto operator<=>(const Position&) const = default;
};

// Whether an instruction on scalars and vectors may run where it would not have: it has no effect, and an undefined
// result is not chosen. Divisions are not among them: see ValueOf.
[[nodiscard]] bool IsSpeculatable(spv::Op opcode);
[[nodiscard]] inline bool IsDivision(spv::Op opcode) { return opcode == spv::Op::OpUDiv || opcode == spv::Op::OpUMod; }

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
  void Plan(const std::vector<Position>& allocations);

  // Puts what was computed a second time in its place.
  void Apply(AllocationGroups& groups);

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

  // An invocation that gets to one of them gets to the other, later in the same iteration.
  [[nodiscard]] bool RunAsOften(const Position& earlier, const Position& later) const;
  [[nodiscard]] bool Precedes(const Position& a, const Position& b) const {
    return a.block == b.block ? a.index < b.index : flow_.Dominates(a.block, b.block);
  }

  // Whether the allocation has become a member.
  bool Join(const Position& allocation, Group& group);

  // What must hold for a number not to be 0, or for a condition.
  void FindNeeds(Id id, std::vector<Equality>& needs, uint32_t depth = 0);

  struct Choice {
    Id condition;
    Id if_true;
    Id if_false;
  };
  void FindNeedsOfChoice(const Choice& choice, std::vector<Equality>& needs, uint32_t depth);
  [[nodiscard]] bool IsZero(Id id) const;

  [[nodiscard]] const Instruction* DefinitionOf(Id id) const;

  // Whether both have the same value at the anchor, where one of them may have been computed a second time.
  bool IsSame(Id a, Id b, uint32_t depth = 0);

  // Whether the load gives what it would give at the anchor: what was computed there does, and what comes after all
  // writes to a variable.
  bool IsOld(Id load);

  // What has the value of `id` at the anchor.
  std::optional<Id> Value(Id id);

  std::optional<Id> ValueOf(const Position& position);

  std::optional<Id> Clone(Instruction instruction);

  // Returns the value that a load of a variable, or of a part of it, gets there.
  std::optional<Id> ValueOfLoad(const Position& position);

  // The same for a load of a whole variable of this function.
  [[nodiscard]] const Instruction* StoreOf(Id load);
  // The store to all of the variable that is its last write before `position`, in the same block.
  [[nodiscard]] const Instruction* StoreBefore(const Position& position, const Writes& writes) const;

  const Writes& WritesTo(Id variable);

  // A variable of the function, or a parameter that points to one: parameters do not alias unless they say so (SPIR-V,
  // 2.18.2).
  [[nodiscard]] bool IsLocal(Id id) const;

  // A variable of the module that is the same all the time: an input, push constants, or one that no function writes.
  [[nodiscard]] bool IsReadOnly(Id variable) const;

  std::optional<Id> ValueOfChoice(const Position& position);

  // A value that depends on which of two ways led to it, as `&&` becomes one.
  [[nodiscard]] std::optional<Choice> ChoiceOf(const Instruction& phi) const;

  [[nodiscard]] bool LeadsTo(size_t block, Id merge) const;
  // The block whose branch chooses between `side` and `other`, or between `side` and `merge` if it is `other` itself.
  [[nodiscard]] std::optional<size_t> HeaderOf(size_t side, size_t other, Id merge) const;

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

  // State of the allocation being looked at.
  Group* group_ = nullptr;
  size_t clones_left_ = 0;
};

}  // namespace trellis::spirv
