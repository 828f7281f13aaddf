// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/grammar/grammar.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace trellis::spirv {
namespace {

// What one operand of the grammar consumes. From kFirstEnum on: an enumeration whose values bring parameters.
enum class Kind : uint8_t {
  kIdRef,
  kWord,
  kString,
  kContextNumber,   // as many words as the instruction's type says
  kSpecConstantOp,  // an opcode and that opcode's operands
  kPairLiteralId,   // OpSwitch: a literal of the selector's width and a label
  kPairIdWord,
  kPairIdId,
  kFirstEnum,
};

enum class Quantifier : uint8_t { kOnce, kOptional, kAny };

constexpr Kind EnumKind(unsigned index) { return static_cast<Kind>(static_cast<unsigned>(Kind::kFirstEnum) + index); }

struct Token {
  Kind kind;
  Quantifier quantifier;
};

struct OpcodeRow {
  OpcodeInfo info;
  uint16_t opcode;
  uint16_t first_token;
  uint16_t token_count;
};

struct EnumKindRow {
  bool is_mask;
  uint16_t first_enumerant;
  uint16_t enumerant_count;
};

struct EnumerantRow {
  uint32_t value;
  uint16_t first_token;
  uint16_t token_count;
};

#include "spirv_lowering/grammar/grammar_table.inc"

// One above the row of each opcode, 0 for numbers that are none. The rows are sorted.
constexpr auto kRowNumbers = [] {
  std::array<uint16_t, std::end(kOpcodeRows)[-1].opcode + 1> numbers = {};
  for (uint16_t i = 0; i < std::size(kOpcodeRows); ++i) numbers[kOpcodeRows[i].opcode] = i + 1;
  return numbers;
}();

const OpcodeRow* FindRow(uint32_t opcode) {
  const uint16_t number = opcode < kRowNumbers.size() ? kRowNumbers[opcode] : 0;
  return number != 0 ? &kOpcodeRows[number - 1] : nullptr;
}

const EnumerantRow* FindEnumerant(const EnumKindRow& kind, uint32_t value) {
  const EnumerantRow* first = kEnumerantRows + kind.first_enumerant;
  const EnumerantRow* last = first + kind.enumerant_count;
  const EnumerantRow* row = std::lower_bound(
      first, last, value, [](const EnumerantRow& candidate, uint32_t wanted) { return candidate.value < wanted; });
  return row != last && row->value == value ? row : nullptr;
}

bool HasZeroByte(uint32_t word) {
  return (word & 0xffu) == 0 || (word & 0xff00u) == 0 || (word & 0xff0000u) == 0 || (word & 0xff000000u) == 0;
}

// Walks operand words along a token list. Recursion ends: enumerants' parameters have no parameters of their own but
// one level of enumerations, and OpSpecConstantOp refuses itself as the embedded opcode.
class OperandParser {
 public:
  OperandParser(std::span<const uint32_t> words, uint32_t literal_width, void* context, OperandVisitor visit)
      : words_(words), literal_width_(literal_width), context_(context), visit_(visit) {}

  const char* Parse(spv::Op opcode) {
    const OpcodeRow* row = FindRow(static_cast<uint32_t>(opcode));
    if (row == nullptr) return "unknown opcode";
    if (const char* problem = ParseTokens(row->first_token, row->token_count)) return problem;
    return at_ == words_.size() ? nullptr : "too many operand words";
  }

 private:
  const char* ParseTokens(size_t first, size_t count) {
    for (const Token& token : std::span<const Token>(kTokens).subspan(first, count)) {
      do {
        if (token.quantifier != Quantifier::kOnce && at_ == words_.size()) break;
        if (const char* problem = ParseOne(token.kind)) return problem;
      } while (token.quantifier == Quantifier::kAny);
    }
    return nullptr;
  }

  const char* ParseOne(Kind kind) {
    switch (kind) {
      case Kind::kIdRef:
        return Take(OperandKind::kId, 1);
      case Kind::kWord:
        return Take(OperandKind::kLiteralWord, 1);
      case Kind::kString:
        return ParseString();
      case Kind::kContextNumber:
        return Take(OperandKind::kLiteralWord, literal_width_);
      case Kind::kSpecConstantOp:
        return ParseEmbedded();
      case Kind::kPairLiteralId:
        return ParsePair(OperandKind::kLiteralWord, literal_width_, OperandKind::kId);
      case Kind::kPairIdWord:
        return ParsePair(OperandKind::kId, 1, OperandKind::kLiteralWord);
      case Kind::kPairIdId:
        return ParsePair(OperandKind::kId, 1, OperandKind::kId);
      default:
        return ParseEnum(kEnumKindRows[static_cast<size_t>(kind) - static_cast<size_t>(Kind::kFirstEnum)]);
    }
  }

  const char* Take(OperandKind kind, uint32_t count) {
    if (words_.size() - at_ < count) return "too few operand words";
    const auto offset = static_cast<uint32_t>(at_);
    at_ += count;
    visit_(context_, {kind, offset, count});
    return nullptr;
  }

  const char* ParsePair(OperandKind first, uint32_t first_width, OperandKind second) {
    if (const char* problem = Take(first, first_width)) return problem;
    return Take(second, 1);
  }

  const char* ParseString() {
    if (at_ == words_.size()) return "too few operand words";
    const auto rest = words_.subspan(at_);
    const auto last = std::find_if(rest.begin(), rest.end(), HasZeroByte);
    if (last == rest.end()) return "unterminated string";
    return Take(OperandKind::kLiteralString, static_cast<uint32_t>(last - rest.begin()) + 1);
  }

  const char* ParseEmbedded() {
    if (const char* problem = Take(OperandKind::kLiteralWord, 1)) return problem;
    const uint32_t opcode = words_[at_ - 1];
    const OpcodeRow* row = FindRow(opcode);
    if (row == nullptr || !row->info.has_result_type || opcode == static_cast<uint32_t>(spv::Op::OpSpecConstantOp)) {
      return "the embedded opcode makes no value";
    }
    return ParseTokens(row->first_token, row->token_count);
  }

  const char* ParseEnum(const EnumKindRow& kind) {
    if (const char* problem = Take(OperandKind::kLiteralWord, 1)) return problem;
    const uint32_t value = words_[at_ - 1];
    if (!kind.is_mask) return ParseParameters(FindEnumerant(kind, value));
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
      if ((value & bit) == 0) continue;
      if (const char* problem = ParseParameters(FindEnumerant(kind, bit))) return problem;
    }
    return nullptr;
  }

  const char* ParseParameters(const EnumerantRow* enumerant) {
    if (enumerant == nullptr) return "unknown enumerant, so its parameters are unknown too";
    return ParseTokens(enumerant->first_token, enumerant->token_count);
  }

  std::span<const uint32_t> words_;
  size_t at_ = 0;
  uint32_t literal_width_;
  void* context_;
  OperandVisitor visit_;
};

}  // namespace

const OpcodeInfo* FindOpcode(uint32_t opcode) {
  const OpcodeRow* row = FindRow(opcode);
  return row != nullptr ? &row->info : nullptr;
}

std::string OpcodeName(spv::Op opcode) {
  const OpcodeInfo* info = FindOpcode(static_cast<uint32_t>(opcode));
  return info != nullptr ? std::string(info->name) : "opcode " + std::to_string(static_cast<uint32_t>(opcode));
}

const char* ParseOperandWords(spv::Op opcode, std::span<const uint32_t> words, uint32_t literal_width_words,
                              std::vector<Operand>& operands) {
  const auto append = [](void* context, const Operand& operand) {
    static_cast<std::vector<Operand>*>(context)->push_back(operand);
  };
  return OperandParser(words, literal_width_words, &operands, append).Parse(opcode);
}

void VisitOperands(const Instruction& instruction, void* context, OperandVisitor visit) {
  // A constant is nothing but its literal.
  const size_t literal_words = instruction.opcode == spv::Op::OpSwitch
                                   ? instruction.case_words
                                   : std::max<size_t>(instruction.operands.size(), 1);
  (void)OperandParser(instruction.operands, static_cast<uint32_t>(literal_words), context, visit)
      .Parse(instruction.opcode);
}

}  // namespace trellis::spirv
