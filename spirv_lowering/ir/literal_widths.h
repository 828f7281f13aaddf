// How wide the literals of OpConstant, OpSpecConstant and OpSwitch are: the one thing that an instruction's words do
// not tell by themselves.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// A snapshot of a module. Later edits keep it right unless they add numeric types or switches on new 64-bit selectors.
class LiteralWidths {
 public:
  explicit LiteralWidths(const Module& module);

  // In words; 1 for instructions without context-dependent literals.
  [[nodiscard]] uint32_t Words(const Instruction& instruction) const;

 private:
  // Only widths other than one word are kept: of types, and of the selectors of switches.
  std::unordered_map<Id, uint32_t> wide_types_;
  std::unordered_map<Id, uint32_t> wide_selectors_;
};

template <typename Visitor>
void ForEachIdOperand(Instruction& instruction, const LiteralWidths& widths, Visitor&& visit) {
  ForEachIdOperand(instruction, widths.Words(instruction), std::forward<Visitor>(visit));
}

template <typename Visitor>
void ForEachIdOperand(const Instruction& instruction, const LiteralWidths& widths, Visitor&& visit) {
  ForEachIdOperand(instruction, widths.Words(instruction), std::forward<Visitor>(visit));
}

// Words a literal of an OpTypeInt or OpTypeFloat of that many bits takes.
[[nodiscard]] constexpr uint32_t WordsOfWidth(uint32_t bits) { return bits / 32 + (bits % 32 != 0 ? 1 : 0); }

}  // namespace trellis::spirv
