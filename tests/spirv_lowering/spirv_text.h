// SPDX-License-Identifier: Apache-2.0
// Modules as text: what tests of the SPIR-V library are written in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// spirv-as; a failure fails the test and gives no words.
[[nodiscard]] std::vector<uint32_t> AssembleOrFail(std::string_view text);
// ReadModule; a refusal fails the test and gives an empty module.
[[nodiscard]] Module ReadOrFail(std::span<const uint32_t> words);
[[nodiscard]] Module ReadTextOrFail(std::string_view text);
// spirv-dis of the module's words, one instruction a line, without leading or repeated blanks.
[[nodiscard]] std::string ToText(const Module& module);
// Text in the form of ToText, for comparison: comments, blank lines and indentation taken out.
[[nodiscard]] std::string Normalise(std::string_view text);
// Why the reader refuses the words; empty if it accepts them.
[[nodiscard]] std::string Refusal(std::span<const uint32_t> words);

// The id that OpName gives the name, or 0.
[[nodiscard]] Id FindId(const Module& module, std::string_view name);
[[nodiscard]] bool Contains(std::string_view text, std::string_view part);

// A binary written word by word, for what no assembler would write.
class RawModule {
 public:
  explicit RawModule(uint32_t bound = 100, uint32_t version = 0x00010600);

  // Capability, memory model: what every module starts with.
  RawModule& Start();
  RawModule& Op(spv::Op opcode, std::vector<uint32_t> words);
  RawModule& Raw(std::vector<uint32_t> words);
  [[nodiscard]] const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace trellis::spirv
