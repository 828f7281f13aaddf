// SPDX-License-Identifier: Apache-2.0
// What the operand words of each instruction are. The table behind it is generated from SPIRV-Headers'
// spirv.core.grammar.json.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

enum class OperandKind : uint8_t {
  kId,             // a reference to a result id (scope ids and memory-semantics ids included)
  kLiteralWord,    // an enumerant, a mask, a literal integer or one word of a context-dependent literal
  kLiteralString,  // the first word of a string; it spans `word_count` words
};

// One logical operand of Instruction::operands.
struct Operand {
  OperandKind kind;
  uint32_t offset;      // index into Instruction::operands
  uint32_t word_count;  // 1, or more for strings and wide literals
};

enum class OpcodeClass : uint8_t {
  kOther,
  kType,      // OpType…, also OpTypeForwardPointer, which has no result
  kConstant,  // OpConstant…, OpSpecConstant…
  kDebug,     // names, strings, sources, lines
  kAnnotation,
  kInvocation,  // of core SPIR-V: concerns memory and the invocation that executes it, and no other one
};

struct OpcodeInfo {
  std::string_view name;  // "OpTypeVoid"
  bool has_result_type;
  bool has_result;
  OpcodeClass opcode_class;
};

// Null if the grammar does not know the opcode.
[[nodiscard]] const OpcodeInfo* FindOpcode(uint32_t opcode);
// "OpFoo", or "opcode 1234".
[[nodiscard]] std::string OpcodeName(spv::Op opcode);

// Splits operand words that are not in an Instruction yet, parameters of masks and enumerants (decorations, execution
// modes, memory and image operands) included. `literal_width_words` is the width in words of a context-dependent
// literal (OpConstant, OpSpecConstant: of the result type; OpSwitch: of the selector's type). Appends to `operands`,
// which is reusable from call to call. Returns null, or what is wrong (static text).
[[nodiscard]] const char* ParseOperandWords(spv::Op opcode, std::span<const uint32_t> words,
                                            uint32_t literal_width_words, std::vector<Operand>& operands);

using OperandVisitor = void (*)(void* context, const Operand& operand);
// Calls `visit` with `context` for every operand of a well-formed instruction, in order.
void VisitOperands(const Instruction& instruction, void* context, OperandVisitor visit);

// Calls `visit` for every id among the operands of a well-formed instruction (not the result id or type). The id is a
// reference into Instruction::operands, to const where the instruction is.
template <typename AnyInstruction, typename Visitor>
void ForEachIdOperand(AnyInstruction& instruction, Visitor&& visit) {
  const auto visit_id = [&](const Operand& operand) {
    if (operand.kind == OperandKind::kId) visit(instruction.operands[operand.offset]);
  };
  VisitOperands(instruction, const_cast<void*>(static_cast<const void*>(&visit_id)),
                [](void* context, const Operand& operand) { (*static_cast<decltype(visit_id)*>(context))(operand); });
}

}  // namespace trellis::spirv
