// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/binary_index.h"

#include <limits>

namespace trellis::spirv {
namespace {

constexpr uint32_t kMinVersion = 0x00010000;
constexpr uint32_t kMaxVersion = 0x00010600;
// SPIR-V 2.17, universal limits: largest id plus one.
constexpr uint32_t kMaxBound = 4'194'303;

}  // namespace

Error ErrorAt(const RawInstruction& instruction, std::string_view what) {
  std::string message = "word " + std::to_string(instruction.offset) + ", " + OpcodeName(instruction.opcode);
  if (instruction.result_id != kNoId) message += " %" + std::to_string(instruction.result_id);
  message += ": ";
  message += what;
  return Error{std::move(message)};
}

Expected<void> BinaryIndex::CheckHeader() const {
  if (words_.size() < kFirstOffset) return Error{"truncated: a SPIR-V module has a header of five words"};
  if (words_.size() > std::numeric_limits<uint32_t>::max()) return Error{"too large for a SPIR-V module"};
  if (words_[0] != spv::MagicNumber) return Error{"word 0: not the SPIR-V magic number"};
  if (words_[1] < kMinVersion || words_[1] > kMaxVersion || (words_[1] & 0xffu) != 0) {
    return Error{"word 1: only SPIR-V versions 1.0 to 1.6 are known"};
  }
  if (words_[3] == 0 || words_[3] > kMaxBound) {
    return Error{"word 3: the id bound " + std::to_string(words_[3]) +
                 " is not between 1 and the universal limit of 4194303"};
  }
  return {};
}

Expected<BinaryIndex> BinaryIndex::Build(std::span<const uint32_t> words) {
  BinaryIndex index(words);
  if (Expected<void> header = index.CheckHeader(); !header) return header.error();
  for (size_t offset = kFirstOffset; offset < words.size();) {
    Expected<RawInstruction> instruction = index.Decode(offset);
    if (!instruction) return instruction.error();
    if (instruction->opcode == spv::Op::OpFunction && index.first_function_ == words.size())
      index.first_function_ = offset;
    if (instruction->info->has_result) {
      const Id id = instruction->result_id;
      if (id == kNoId) return ErrorAt(*instruction, "an id of zero");
      if (id >= index.Bound()) return ErrorAt(*instruction, "%" + std::to_string(id) + " is not below the id bound");
      if (!index.definitions_.try_emplace(id, instruction->offset).second) {
        return ErrorAt(*instruction, "the result id is defined twice");
      }
    }
    offset += instruction->word_count;
  }
  return index;
}

Expected<RawInstruction> BinaryIndex::Decode(size_t offset) const {
  const uint32_t word = words_[offset];
  const auto refuse = [&](std::string_view what) {
    RawInstruction here;
    here.offset = static_cast<uint32_t>(offset);
    here.opcode = static_cast<spv::Op>(word & 0xffffu);
    return ErrorAt(here, what);
  };
  if ((word >> 16) == 0) return refuse("a word count of zero");
  if ((word >> 16) > words_.size() - offset)
    return refuse("truncated, the instruction runs past the end of the module");
  const OpcodeInfo* info = FindOpcode(word & 0xffffu);
  if (info == nullptr) return refuse("the opcode is unknown");
  if ((word >> 16) < 1u + (info->has_result_type ? 1 : 0) + (info->has_result ? 1 : 0)) {
    return refuse("too few words for result type and result");
  }
  return At(offset);
}

RawInstruction BinaryIndex::At(size_t offset) const {
  RawInstruction instruction;
  instruction.offset = static_cast<uint32_t>(offset);
  instruction.word_count = words_[offset] >> 16;
  instruction.opcode = static_cast<spv::Op>(words_[offset] & 0xffffu);
  instruction.info = FindOpcode(words_[offset] & 0xffffu);
  size_t at = offset + 1;
  if (instruction.info->has_result_type) instruction.type_id = words_[at++];
  if (instruction.info->has_result) instruction.result_id = words_[at++];
  instruction.operands = words_.subspan(at, offset + instruction.word_count - at);
  return instruction;
}

std::optional<RawInstruction> BinaryIndex::Definition(Id id) const {
  const auto definition = definitions_.find(id);
  if (definition == definitions_.end()) return std::nullopt;
  return At(definition->second);
}

bool BinaryIndex::IsDefinedBy(Id id, spv::Op opcode) const {
  const std::optional<RawInstruction> definition = Definition(id);
  return definition && definition->opcode == opcode;
}

bool BinaryIndex::IsType(Id id) const {
  const std::optional<RawInstruction> definition = Definition(id);
  return definition && definition->info->opcode_class == OpcodeClass::kType;
}

std::optional<RawInstruction> BinaryIndex::TypeOf(Id id) const {
  const std::optional<RawInstruction> definition = Definition(id);
  if (!definition || definition->type_id == kNoId) return std::nullopt;
  return Definition(definition->type_id);
}

uint32_t BinaryIndex::LiteralWords(const RawInstruction& instruction) const {
  std::optional<RawInstruction> type;
  switch (instruction.opcode) {
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      type = Definition(instruction.type_id);
      break;
    case spv::Op::OpSwitch:
      if (!instruction.operands.empty()) type = TypeOf(instruction.operands[0]);
      if (type && type->opcode != spv::Op::OpTypeInt) return 0;
      break;
    default:
      return 1;
  }
  if (!type || (type->opcode != spv::Op::OpTypeInt && type->opcode != spv::Op::OpTypeFloat)) return 0;
  // A width beyond 64 bits is refused where the type is declared; saying "not a number" here keeps the product small.
  if (type->operands.empty() || type->operands[0] == 0 || type->operands[0] > 64) return 0;
  return (type->operands[0] + 31) / 32;
}

}  // namespace trellis::spirv
