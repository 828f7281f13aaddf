// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

std::string DecodeString(const uint32_t* words, size_t count, size_t* consumed) {
  std::string text;
  for (size_t word = 0; word < count; ++word) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      const char byte = static_cast<char>((words[word] >> shift) & 0xffu);
      if (byte == '\0') {
        if (consumed != nullptr) *consumed = word + 1;
        return text;
      }
      text.push_back(byte);
    }
  }
  if (consumed != nullptr) *consumed = count;
  return text;
}

std::vector<uint32_t> EncodeString(std::string_view text) {
  std::vector<uint32_t> words(text.size() / 4 + 1, 0);
  for (size_t i = 0; i < text.size(); ++i) {
    words[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
  }
  return words;
}

size_t InterfaceStart(const Instruction& entry_point) {
  size_t name_words = 0;
  (void)DecodeString(entry_point.operands.data() + 2, entry_point.operands.size() - 2, &name_words);
  return 2 + name_words;
}

}  // namespace trellis::spirv
