// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/rules/source_lines.h"

namespace trellis::spirv {
namespace {

std::string_view LineOfText(std::string_view text, uint32_t line) {
  for (uint32_t i = 1; i < line; ++i) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string Prefix(const SourceLine& line) {
  return line.line == 0 ? std::string() : line.file + ":" + std::to_string(line.line) + ": ";
}

SourceLines::SourceLines(const Module& module) {
  for (const Instruction& debug : module.debug_sources) {
    if (debug.opcode == spv::Op::OpString)
      strings_[debug.result_id] = DecodeString(debug.operands.data(), debug.operands.size());
    if (debug.opcode == spv::Op::OpSource && debug.operands.size() > 2) {
      Source source{strings_[debug.operands[2]], {}};
      if (debug.operands.size() > 3) source.text = DecodeString(debug.operands.data() + 3, debug.operands.size() - 3);
      sources_.push_back(std::move(source));
    }
    // Sources longer than one instruction can hold.
    if (debug.opcode == spv::Op::OpSourceContinued && !sources_.empty()) {
      sources_.back().text += DecodeString(debug.operands.data(), debug.operands.size());
    }
  }
}

SourceLine SourceLines::At(const BasicBlock& block, size_t index) const {
  for (size_t i = index + 1; i-- > 0;) {
    const Instruction& instruction = block.body[i];
    if (instruction.opcode == spv::Op::OpNoLine) break;
    if (instruction.opcode != spv::Op::OpLine) continue;
    const auto file = strings_.find(instruction.operands[0]);
    return {file == strings_.end() ? std::string() : file->second, instruction.operands[1]};
  }
  return {};
}

SourceLine SourceLines::Declaration(uint32_t line, std::string_view word) const {
  if (line == 0 || sources_.empty()) return {};
  for (const Source& source : sources_) {
    if (LineOfText(source.text, line).find(word) != std::string_view::npos) return {source.file, line};
  }
  return {sources_.front().file, line};
}

}  // namespace trellis::spirv
