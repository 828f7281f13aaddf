// SPDX-License-Identifier: Apache-2.0
// One call of a function: what differs between the invocations that execute it.
#pragma once

#include <unordered_map>
#include <vector>

#include "spirv_lowering/rules/entry_divergence.h"

namespace trellis::spirv {

class FunctionDivergence {
 public:
  // `result` is added to.
  FunctionDivergence(EntryDivergence& entry, const Function& function, BranchRegions& regions,
                     const CallState& called_with, CallResult& result);
  ~FunctionDivergence();
  FunctionDivergence(const FunctionDivergence&) = delete;
  FunctionDivergence& operator=(const FunctionDivergence&) = delete;

  // Notes uses in `entry`. Does nothing if there is no memory left for this call.
  void Run();

 private:
  // The per-invocation variable, or the part of one, that a pointer points to.
  struct Place {
    Id variable = kNoId;  // kNoId: memory that invocations share
    uint32_t parts = Divergence::kAll;
    bool whole = true;   // false: only `parts`, or something in them
    bool exact = false;  // one part, all of it
  };
  using State = std::vector<Divergence>;  // what the function's variables hold

  [[nodiscard]] bool TakeCells(size_t cells);
  void InitialiseState();
  void Visit(uint32_t block);

  [[nodiscard]] Divergence ValueOf(Id id) const;
  void SetValue(Id id, const Divergence& value);
  [[nodiscard]] Place PlaceOf(Id pointer) const;
  [[nodiscard]] Divergence ContentOf(const Place& place) const;
  [[nodiscard]] Divergence Read(Id pointer) const;
  void Write(Id pointer, Divergence value);
  // Replaces what `place` holds, where it is known what that is, and adds to it elsewhere.
  void WriteTo(const Place& place, const Divergence& value);
  void Clear(const Place& place);
  void AddTo(const Place& place, const Divergence& value);

  void Transfer(const Instruction& instruction);
  void Chain(const Instruction& chain);
  void Narrow(Place& place, Id index) const;
  void Phi(const Instruction& phi);
  void CallFunction(const Instruction& call);
  void Branch(Id condition);
  void Return();
  void Construct(const Instruction& construct);
  void Extract(const Instruction& extract);
  void Insert(const Instruction& insert);
  void Shuffle(const Instruction& shuffle);
  void Compute(const Instruction& instruction);
  [[nodiscard]] Divergence Componentwise(const Instruction& instruction, const Divergence& operands) const;
  void NoteControl();
  void NoteAllocation(const Instruction& allocate);
  void NoteEnqueue(const Instruction& enqueue);
  void NoteOperand(Id operand, DivergentUse::Kind kind);

  [[nodiscard]] uint32_t VectorSize(Id type) const;
  [[nodiscard]] uint32_t PartCount(Id type) const;

  EntryDivergence& entry_;
  const RuleContext& context_;
  const Function& function_;
  BranchRegions& regions_;
  const CallState& called_with_;
  CallResult& result_;
  std::unordered_map<Id, size_t> variables_;  // the function's own, and parameters that point to the caller's -> State
  std::unordered_map<Id, Divergence> values_;
  std::unordered_map<Id, Place> places_;
  std::vector<State> states_;      // at the start of each block, if they are followed apart
  std::vector<Control> controls_;  // by block: apart from what the call is under
  std::vector<bool> parted_;       // by block: its branch has parted the invocations
  bool follows_flow_ = false;
  bool changed_ = false;
  size_t cells_ = 0;  // taken

  // At the instruction that is looked at.
  uint32_t block_ = 0;
  size_t at_ = 0;
  Control control_;
  State state_;  // of all blocks, if they are not followed apart
};

}  // namespace trellis::spirv
