// SPDX-License-Identifier: Apache-2.0
#include "tests/spirv_lowering/spirv_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"

namespace trellis::spirv {

std::vector<uint32_t> AssembleOrFail(std::string_view text) {
  Expected<std::vector<uint32_t>> words = Assemble(text);
  if (words) return *words;
  ADD_FAILURE() << words.error().message;
  return {};
}

Module ReadOrFail(std::span<const uint32_t> words) {
  Expected<Module> module = ReadModule(words);
  if (module) return std::move(*module);
  ADD_FAILURE() << module.error().message;
  return {};
}

Module ReadTextOrFail(std::string_view text) { return ReadOrFail(AssembleOrFail(text)); }

std::string ToText(const Module& module) {
  Expected<std::string> text = Disassemble(WriteModule(module));
  if (text) return Normalise(*text);
  ADD_FAILURE() << text.error().message;
  return {};
}

std::string Normalise(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream tokens(line.substr(0, line.find(';')));
    std::string normal;
    for (std::string token; tokens >> token;) normal += (normal.empty() ? "" : " ") + token;
    if (!normal.empty()) result += normal + "\n";
  }
  return result;
}

std::string Refusal(std::span<const uint32_t> words) {
  const Expected<Module> module = ReadModule(words);
  return module ? std::string() : module.error().message;
}

Id FindId(const Module& module, std::string_view name) {
  for (const Instruction& instruction : module.debug_names) {
    if (instruction.opcode != spv::Op::OpName) continue;
    if (DecodeString(instruction.operands.data() + 1, instruction.operands.size() - 1) == name)
      return instruction.operands[0];
  }
  return kNoId;
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

RawModule::RawModule(uint32_t bound, uint32_t version) : words_{spv::MagicNumber, version, 0, bound, 0} {}

RawModule& RawModule::Start() {
  Op(spv::Op::OpCapability, {static_cast<uint32_t>(spv::Capability::Shader)});
  return Op(spv::Op::OpMemoryModel, {0, 1});
}

RawModule& RawModule::Op(spv::Op opcode, std::vector<uint32_t> words) {
  words_.push_back(static_cast<uint32_t>((words.size() + 1) << 16) | static_cast<uint32_t>(opcode));
  return Raw(std::move(words));
}

RawModule& RawModule::Raw(std::vector<uint32_t> words) {
  words_.insert(words_.end(), words.begin(), words.end());
  return *this;
}

}  // namespace trellis::spirv
