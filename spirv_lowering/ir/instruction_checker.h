// SPDX-License-Identifier: Apache-2.0
// The checks of one instruction against the rest of its binary. Used by the reader only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/binary_index.h"

namespace trellis::spirv {

enum class Place : uint8_t {
  kPreamble,  // before types: any id of the module may be named
  kGlobals,
  kFunction,
};

// Give it the instructions in order: it remembers forward declarations and how deep types nest.
class InstructionChecker {
 public:
  explicit InstructionChecker(const BinaryIndex& index) : index_(index) {}

  // Offsets of the function whose instructions come next: of its OpFunction, and the end of its OpFunctionEnd.
  void EnterFunction(size_t begin, size_t end);

  [[nodiscard]] Expected<void> Check(const RawInstruction& instruction, Place place);

 private:
  // Each returns null, or what is wrong.
  [[nodiscard]] const char* CheckResultType(const RawInstruction& instruction) const;
  [[nodiscard]] const char* CheckType(const RawInstruction& instruction);
  [[nodiscard]] const char* CheckTypeNesting(const RawInstruction& instruction);
  [[nodiscard]] const char* CheckPreamble(const RawInstruction& instruction) const;
  [[nodiscard]] const char* CheckConstant(const RawInstruction& instruction) const;
  [[nodiscard]] const char* CheckVariable(const RawInstruction& instruction, Place place) const;
  [[nodiscard]] const char* CheckFunction(const RawInstruction& instruction) const;
  [[nodiscard]] const char* CheckCall(const RawInstruction& instruction) const;
  [[nodiscard]] const char* CheckBody(const RawInstruction& instruction) const;
  [[nodiscard]] Expected<void> CheckIdOperands(const RawInstruction& instruction, Place place) const;
  [[nodiscard]] bool MayRefer(const RawInstruction& user, const RawInstruction& used, Place place) const;

  [[nodiscard]] bool IsVoidExtInst(const RawInstruction& instruction) const;
  [[nodiscard]] bool IsNonSemantic(const RawInstruction& instruction) const;
  [[nodiscard]] bool AllTypes(std::span<const uint32_t> ids) const;
  [[nodiscard]] bool AllLabels(std::initializer_list<Id> ids) const;
  [[nodiscard]] bool HasPointerType(Id value) const;

  const BinaryIndex& index_;
  size_t function_begin_ = 0;
  size_t function_end_ = 0;
  std::unordered_set<Id> forward_pointers_;
  std::unordered_map<Id, uint32_t> type_depth_;
  std::vector<Operand> operands_;  // of the instruction at hand
};

}  // namespace trellis::spirv
