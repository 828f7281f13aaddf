// SPDX-License-Identifier: Apache-2.0
// What differs between the invocations of a workgroup that runs an entry point, function by function and call by call.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "spirv_lowering/rules/branch_regions.h"
#include "spirv_lowering/rules/divergence.h"
#include "spirv_lowering/rules/rule_context.h"

namespace trellis::spirv {

// Why only some invocations of the workgroup may be at a place.
struct Control {
  enum class Kind : uint8_t { kBranch, kLoop, kReturn };

  const BasicBlock* branch = nullptr;  // ends in the branch that parts them; null: all invocations are there
  Id cause = kNoId;                    // as in Divergence
  Kind kind = Kind::kBranch;

  explicit operator bool() const { return branch != nullptr; }
};

// What a function is called with, one for each parameter.
struct CallState {
  std::vector<Divergence> arguments;  // values, and where pointers point to
  std::vector<Divergence> contents;   // the caller's variables behind pointers
  Control control;
};
struct CallResult {
  Divergence value;
  std::vector<Divergence> contents;  // the caller's variables, afterwards
};

// An instruction that the whole workgroup has to execute alike, and may not.
struct DivergentUse {
  enum class Kind : uint8_t { kControlFlow, kCount, kIndex };

  const Function* function = nullptr;
  size_t block = 0;
  size_t index = 0;
  Kind kind = Kind::kControlFlow;
  Control control;   // kControlFlow
  Id cause = kNoId;  // of the others
};

// Calls with different states are analysed separately. Variables of functions are followed along the
// control flow; of variables in Private it is known whether anything that differs is ever stored to them.
// Time and memory are bounded: where either runs out, what was found by then is returned.
class EntryDivergence {
 public:
  // `steps_left` bounds the work; an instruction of few operands is about one step.
  EntryDivergence(const RuleContext& context, const EntryPointFacts& entry, const WorkgroupShape& shape,
                  size_t& steps_left);
  EntryDivergence(const EntryDivergence&) = delete;
  EntryDivergence& operator=(const EntryDivergence&) = delete;

  // In the order of the module.
  [[nodiscard]] std::vector<DivergentUse> Run();

  // For FunctionDivergence.
  [[nodiscard]] const RuleContext& context() const { return context_; }
  [[nodiscard]] const WorkgroupShape& shape() const { return shape_; }
  [[nodiscard]] CallResult Call(Id function, const CallState& called_with);
  // Returns the content of a variable in Private or Input, or null for any other id.
  [[nodiscard]] const Divergence* FindGlobal(Id variable) const;
  // Inputs stay what they are.
  void WriteGlobal(Id variable, const Divergence& value);
  [[nodiscard]] bool IsNonSemantic(const Instruction& instruction) const;
  [[nodiscard]] bool IsPromisedUniform(Id id) const { return promised_uniform_.contains(id); }
  // Returns whether a handle of `array` (OpTypeNodePayloadArrayAMDX) that differs as `handle` does may be of payloads
  // that were allocated for the workgroup.
  [[nodiscard]] bool MayBeOfWorkgroup(Id array, const Divergence& handle) const;
  void Note(const DivergentUse& use);
  // Counts work. Returns false once the limit is reached.
  [[nodiscard]] bool Spend(size_t steps);
  // Takes memory for that many values of Divergence, to be given back with ReturnCells. Returns false, and takes none,
  // if there is not so much left for all calls under way.
  [[nodiscard]] bool TakeCells(size_t cells);
  void ReturnCells(size_t cells) { cells_left_ += cells; }

 private:
  static constexpr size_t kMaxCells = size_t{1} << 22;

  void ReadGlobals();
  void ReadAllocations();

  const RuleContext& context_;
  const EntryPointFacts& entry_;
  const WorkgroupShape shape_;
  const std::unordered_set<Id> non_semantic_;
  std::unordered_map<Id, const Function*> functions_;
  std::unordered_map<Id, BranchRegions> regions_;
  std::unordered_set<Id> allocated_per_invocation_;                     // results of allocations
  std::unordered_set<Id> arrays_per_invocation_, arrays_of_workgroup_;  // types that are allocated in that scope
  std::unordered_map<Id, Divergence> private_, inputs_;                 // variables, with what they hold
  std::unordered_set<Id> promised_uniform_;                             // decorated Uniform
  std::map<std::vector<uint32_t>, CallResult> results_;  // function, parts of arguments and contents, control
  std::map<std::pair<const Instruction*, DivergentUse::Kind>, DivergentUse> uses_;
  bool private_changed_ = false;
  size_t depth_ = 0;
  size_t cells_left_ = kMaxCells;
  size_t cells_of_results_ = 0;  // taken by results_
  size_t& steps_left_;
};

}  // namespace trellis::spirv
