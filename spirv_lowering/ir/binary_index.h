// SPDX-License-Identifier: Apache-2.0
// A SPIR-V binary before it is a Module: framing checked, and where every result id is defined. Used by the reader
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "spirv_lowering/grammar/grammar.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// One instruction in place. `operands` points into the binary.
struct RawInstruction {
  uint32_t offset = 0;  // of the first word, from the start of the binary
  uint32_t word_count = 0;
  spv::Op opcode = spv::Op::OpNop;
  const OpcodeInfo* info = nullptr;
  Id type_id = kNoId;
  Id result_id = kNoId;
  std::span<const uint32_t> operands;
};

// "word 17, OpLoad: <what>"
[[nodiscard]] Error ErrorAt(const RawInstruction& instruction, std::string_view what);

class BinaryIndex {
 public:
  // `words` must outlive the index and be in the machine's byte order.
  [[nodiscard]] static Expected<BinaryIndex> Build(std::span<const uint32_t> words);

  static constexpr size_t kFirstOffset = 5;  // behind the header
  [[nodiscard]] size_t EndOffset() const { return words_.size(); }
  // `offset` must be that of an instruction: kFirstOffset, or the end of another one.
  [[nodiscard]] RawInstruction At(size_t offset) const;

  // Nothing if no instruction has that result.
  [[nodiscard]] std::optional<RawInstruction> Definition(Id id) const;
  // True if `id` is the result of an instruction with that opcode.
  [[nodiscard]] bool IsDefinedBy(Id id, spv::Op opcode) const;
  // True if `id` is the result of a type declaration.
  [[nodiscard]] bool IsType(Id id) const;
  // The type instruction of the value `id`; nothing if it has none.
  [[nodiscard]] std::optional<RawInstruction> TypeOf(Id id) const;
  // Width in words of the literals of OpConstant, OpSpecConstant and OpSwitch; 1 for others; 0 if the type is not a
  // number's.
  [[nodiscard]] uint32_t LiteralWords(const RawInstruction& instruction) const;

  [[nodiscard]] uint32_t Bound() const { return words_[3]; }
  // Offset of the first OpFunction, EndOffset if there is none.
  [[nodiscard]] size_t FirstFunction() const { return first_function_; }

 private:
  explicit BinaryIndex(std::span<const uint32_t> words) : words_(words), first_function_(words.size()) {}

  [[nodiscard]] Expected<void> CheckHeader() const;
  [[nodiscard]] Expected<RawInstruction> Decode(size_t offset) const;

  std::span<const uint32_t> words_;
  size_t first_function_;
  std::unordered_map<Id, uint32_t> definitions_;  // result id -> offset
};

}  // namespace trellis::spirv
