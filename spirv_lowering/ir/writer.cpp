// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/writer.h"

#include <array>
#include <cassert>

namespace trellis::spirv {
namespace {

// SPIR-V 2.3: the word count shares its word with the opcode.
constexpr size_t kMaxWordCount = 0xffff;

void Append(std::vector<uint32_t>& words, const Instruction& instruction) {
  const size_t count = instruction.WordCount();
  assert(count <= kMaxWordCount);
  words.push_back(static_cast<uint32_t>(count << 16) | static_cast<uint32_t>(instruction.opcode));
  if (instruction.type_id != kNoId) words.push_back(instruction.type_id);
  if (instruction.result_id != kNoId) words.push_back(instruction.result_id);
  words.insert(words.end(), instruction.operands.begin(), instruction.operands.end());
}

void Append(std::vector<uint32_t>& words, const std::vector<Instruction>& instructions) {
  for (const Instruction& instruction : instructions) Append(words, instruction);
}

void Append(std::vector<uint32_t>& words, const Function& function) {
  Append(words, function.definition);
  Append(words, function.parameters);
  for (const BasicBlock& block : function.blocks) {
    Append(words, Instruction(spv::Op::OpLabel, kNoId, block.label, {}));
    Append(words, block.body);
  }
  Append(words, Instruction(spv::Op::OpFunctionEnd, kNoId, kNoId, {}));
}

size_t WordCount(const std::vector<Instruction>& instructions) {
  size_t words = 0;
  for (const Instruction& instruction : instructions) words += instruction.WordCount();
  return words;
}

}  // namespace

size_t WordCount(const Function& function) {
  size_t words = function.definition.WordCount() + WordCount(function.parameters) + 1;  // OpFunctionEnd
  for (const BasicBlock& block : function.blocks) words += 2 + WordCount(block.body);   // OpLabel
  return words;
}

std::vector<uint32_t> WriteModule(const Module& module) {
  const std::array<uint32_t, 5> header = {spv::MagicNumber, module.version, module.generator, module.bound, 0};
  size_t count = header.size();
  for (const auto section : kSections) count += WordCount(module.*section);
  for (const Function& function : module.functions) count += WordCount(function);
  std::vector<uint32_t> words;
  // Growing vectors have up to three times the memory: the old elements, the new ones and as much room.
  words.reserve(count);
  words.insert(words.end(), header.begin(), header.end());
  for (const auto section : kSections) Append(words, module.*section);
  for (const Function& function : module.functions) Append(words, function);
  assert(words.size() == count);
  return words;
}

}  // namespace trellis::spirv
