// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/reflect/records_per_node.h"

#include <charconv>
#include <system_error>

namespace trellis::spirv {
namespace {

constexpr std::string_view kName = "MaxRecordsPerNode";
constexpr std::string_view kPrefix = "MaxRecordsPerNode:";

}  // namespace

std::optional<std::string> RecordsPerNodeText(const Instruction& annotation) {
  if (annotation.opcode != spv::Op::OpDecorateString ||
      annotation.operands[1] != static_cast<uint32_t>(spv::Decoration::UserSemantic))
    return std::nullopt;
  std::string text = DecodeString(annotation.operands.data() + 2, annotation.operands.size() - 2);
  if (!text.starts_with(kName)) return std::nullopt;
  return text;
}

Expected<uint32_t> ParseRecordsPerNode(std::string_view text) {
  uint32_t count = 0;
  const char* const end = text.data() + text.size();
  if (text.starts_with(kPrefix)) {
    const auto [stop, error] = std::from_chars(text.data() + kPrefix.size(), end, count);
    if (error == std::errc() && stop == end) return count;
  }
  return Error{"UserSemantic \"" + std::string(text) +
               "\": it must be \"MaxRecordsPerNode:N\" with a decimal N below 2^32"};
}

std::string FormatRecordsPerNode(uint32_t count) { return std::string(kPrefix) + std::to_string(count); }

Expected<std::optional<uint32_t>> FindRecordsPerNode(const Module& module, Id array_type) {
  std::optional<uint32_t> found;
  for (const Instruction& annotation : module.annotations) {
    if (annotation.operands[0] != array_type) continue;
    const std::optional<std::string> text = RecordsPerNodeText(annotation);
    if (!text) continue;
    if (found) return Error{"MaxRecordsPerNode is given twice"};
    Expected<uint32_t> count = ParseRecordsPerNode(*text);
    if (!count) return count.error();
    found = *count;
  }
  return found;
}

}  // namespace trellis::spirv
