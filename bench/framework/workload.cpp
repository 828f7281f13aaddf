// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/workload.h"

namespace trellis::bench {

std::string CheckWords(const std::vector<uint32_t>& words, size_t count,
                       const std::function<uint32_t(size_t)>& expected) {
  if (words.size() < count) return "too few words";
  for (size_t i = 0; i < count; ++i) {
    const uint32_t right = expected(i);
    if (words[i] != right)
      return "word " + std::to_string(i) + " is " + std::to_string(words[i]) + ", expected " + std::to_string(right);
  }
  return {};
}

}  // namespace trellis::bench
