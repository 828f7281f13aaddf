// SPDX-License-Identifier: Apache-2.0
// Where functions use ids, and which pointers derive from which.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

[[nodiscard]] bool IsAtomic(spv::Op opcode);

// What an instruction does with a pointer that it has as an operand.
enum class PointerUse : uint8_t {
  kInspects,  // looks at neither memory nor address: lengths of arrays, validity
  kReads,
  kWrites,   // or reads and writes: atomics
  kDerives,  // the result points to the same object or to a part of it
  kPasses,   // an argument of OpFunctionCall
  kEscapes,  // stored, returned, or an operand of an instruction that is not known
};

// `operand` is an index into user.operands.
[[nodiscard]] PointerUse UseOfPointer(const Instruction& user, size_t operand);

// An index of a module's functions. Edits of the functions make it stale. Non-semantic instructions count as no use.
// O(n log n) time, O(n) memory.
class DefUse {
 public:
  struct Use {
    Id id = kNoId;
    uint32_t function = 0, block = 0, index = 0;  // position of the user: functions[].blocks[].body[]
    uint32_t operand = 0;                         // index into the user's operands
    auto operator<=>(const Use&) const = default;
  };

  explicit DefUse(const Module& module);
  // Indexes some functions. `debug_imports`: NonSemanticImports of their module.
  DefUse(std::span<const Function> functions, const std::unordered_set<Id>& debug_imports);

  // Returns the uses of `id` in the order of the functions. An instruction that names it twice is there twice.
  [[nodiscard]] std::span<const Use> Of(Id id) const;
  // All uses, sorted by id.
  [[nodiscard]] std::span<const Use> All() const { return uses_; }
  [[nodiscard]] const Instruction& UserOf(const Use& use) const {
    return functions_[use.function].blocks[use.block].body[use.index];
  }
  [[nodiscard]] PointerUse KindOf(const Use& use) const { return UseOfPointer(UserOf(use), use.operand); }

  // Returns the pointer that a use leads to: the result of an instruction that derives one, or the parameter of the
  // function that is given one. kNoId for other uses, and for functions that are not in the index.
  [[nodiscard]] Id Successor(const Use& use) const;

  // Calls visit(use) for each use of each id in `open`, and goes on with the id that it returns; kNoId ends the path.
  // The visitor ends the walk: it must not return the same id over and over.
  template <typename Visitor>
  void Follow(std::vector<Id> open, Visitor&& visit) const {
    while (!open.empty()) {
      const Id pointer = open.back();
      open.pop_back();
      for (const Use& use : Of(pointer)) {
        if (const Id next = visit(use); next != kNoId) open.push_back(next);
      }
    }
  }

  // Returns `roots` and all pointers that derive from them, also in the functions that are given them.
  [[nodiscard]] std::unordered_set<Id> DerivedFrom(std::vector<Id> roots) const;

  // Returns whether `matches(use)` holds for a use of one of those pointers.
  template <typename Predicate>
  [[nodiscard]] bool AnyDerivedUse(std::vector<Id> roots, Predicate&& matches) const {
    for (const Id pointer : DerivedFrom(std::move(roots))) {
      for (const Use& use : Of(pointer)) {
        if (matches(use)) return true;
      }
    }
    return false;
  }

 private:
  std::span<const Function> functions_;
  std::vector<Use> uses_;  // sorted
  std::unordered_map<Id, const Function*> functions_by_id_;
};

}  // namespace trellis::spirv
