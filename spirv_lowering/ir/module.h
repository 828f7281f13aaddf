// SPDX-License-Identifier: Apache-2.0
// A SPIR-V module in memory: one vector of instructions per section of the logical layout (SPIR-V spec 2.4), functions
// as blocks.
//
// Plain data: passes edit it freely. Nothing here is thread-safe; one thread owns a module at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace trellis::spirv {

using Id = uint32_t;
inline constexpr Id kNoId = 0;

// Scope ids are ids of constants with these values.
inline constexpr auto kScopeDevice = static_cast<uint32_t>(spv::Scope::Device);
inline constexpr auto kScopeWorkgroup = static_cast<uint32_t>(spv::Scope::Workgroup);
inline constexpr auto kScopeInvocation = static_cast<uint32_t>(spv::Scope::Invocation);
inline constexpr auto kScopeQueueFamily = static_cast<uint32_t>(spv::Scope::QueueFamily);

[[nodiscard]] constexpr bool IsLine(spv::Op opcode) { return opcode == spv::Op::OpLine || opcode == spv::Op::OpNoLine; }
[[nodiscard]] constexpr bool IsExtInst(spv::Op opcode) {
  return opcode == spv::Op::OpExtInst || opcode == spv::Op::OpExtInstWithForwardRefsKHR;
}

// One instruction. `operands` holds the words after the result type and result id, unparsed; spirv_lowering/grammar
// tells which are ids.
struct Instruction {
  spv::Op opcode = spv::Op::OpNop;
  Id type_id = kNoId;
  Id result_id = kNoId;
  uint32_t case_words = 1;  // OpSwitch: words of each case literal, which is as wide as the selector
  std::vector<uint32_t> operands;

  Instruction() = default;
  Instruction(spv::Op op, Id type, Id result, std::vector<uint32_t> words)
      : opcode(op), type_id(type), result_id(result), operands(std::move(words)) {}

  [[nodiscard]] bool IsVariable(spv::StorageClass storage) const {
    return opcode == spv::Op::OpVariable && operands[0] == static_cast<uint32_t>(storage);
  }
  // Words that it takes in a binary, the first included.
  [[nodiscard]] size_t WordCount() const {
    return 1 + (type_id != kNoId ? 1 : 0) + (result_id != kNoId ? 1 : 0) + operands.size();
  }
};

// From OpLabel (result_id of `label`) to the terminator, which is the last of `body`. OpLine and OpNoLine are ordinary
// members of `body` (lines before the label belong to the preceding block's body or to Function::before_first_block).
struct BasicBlock {
  Id label = kNoId;
  std::vector<Instruction> body;
};

// OpFunction … OpFunctionEnd. A function without blocks is a declaration.
struct Function {
  Instruction definition;               // OpFunction: operands = {function control, function type}
  std::vector<Instruction> parameters;  // OpFunctionParameter, debug lines between them dropped
  std::vector<BasicBlock> blocks;

  [[nodiscard]] Id id() const { return definition.result_id; }
};

// Calls visit(id) for each id that the function defines.
template <typename Visitor>
void ForEachDefined(const Function& function, Visitor&& visit) {
  const auto visit_result = [&](Id id) {
    if (id != kNoId) visit(id);
  };
  visit_result(function.id());
  for (const Instruction& parameter : function.parameters) visit_result(parameter.result_id);
  for (const BasicBlock& block : function.blocks) {
    visit_result(block.label);
    for (const Instruction& instruction : block.body) visit_result(instruction.result_id);
  }
}

struct Module {
  uint32_t version = 0x00010600;  // as in the header word
  uint32_t generator = 0;
  Id bound = 1;  // one above the largest id in use
  std::vector<Instruction> capabilities;
  std::vector<Instruction> extensions;
  std::vector<Instruction> ext_inst_imports;
  std::vector<Instruction> memory_model;  // exactly one in a legal module
  std::vector<Instruction> entry_points;
  std::vector<Instruction> execution_modes;  // OpExecutionMode and OpExecutionModeId
  std::vector<Instruction> debug_sources;    // OpString, OpSource, OpSourceExtension, OpSourceContinued
  std::vector<Instruction> debug_names;      // OpName, OpMemberName
  std::vector<Instruction> debug_processed;  // OpModuleProcessed
  std::vector<Instruction> annotations;
  std::vector<Instruction>
      globals;  // types, constants, global variables, OpUndef, OpLine, non-semantic OpExtInst, in order
  std::vector<Function> functions;

  [[nodiscard]] Id NewId() { return bound++; }
};

// In the order of a binary; functions follow.
inline constexpr std::vector<Instruction> Module::*kSections[] = {
    &Module::capabilities,    &Module::extensions,      &Module::ext_inst_imports, &Module::memory_model,
    &Module::entry_points,    &Module::execution_modes, &Module::debug_sources,    &Module::debug_names,
    &Module::debug_processed, &Module::annotations,     &Module::globals};

// Literal strings: nul-terminated UTF-8, four bytes a word, first byte in the low bits.
// `DecodeString` stops at the nul or at the end of the words; `consumed`, if given, receives the number of words it
// spans.
[[nodiscard]] std::string DecodeString(const uint32_t* words, size_t count, size_t* consumed = nullptr);
[[nodiscard]] std::vector<uint32_t> EncodeString(std::string_view text);

// Number of operands of OpEntryPoint before its interface.
[[nodiscard]] size_t InterfaceStart(const Instruction& entry_point);

}  // namespace trellis::spirv
