// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "layer/dispatch/struct_chain.h"
#include "layer/platform/platform.h"

namespace trellis {

namespace {

constexpr size_t kPageSize = 4096;  // or a multiple of it

// Reads past the end of the object, which sanitizers do not like. Within a page that is harmless.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void ReadWithinPage(const volatile uint8_t* from, uint8_t* to,
                                                                          size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

}  // namespace

VkBaseOutStructure* CopyUnknownStruct(const VkBaseInStructure& source, Arena& arena) {
  static_assert(kMaxUnknownStructSize <= kPageSize, "or it may lie in three pages");
  const auto* from = reinterpret_cast<const uint8_t*>(&source);
  auto* to = static_cast<uint8_t*>(arena.Allocate(kMaxUnknownStructSize));
  const size_t left_in_page = kPageSize - reinterpret_cast<uintptr_t>(from) % kPageSize;
  const size_t first = std::min(kMaxUnknownStructSize, left_in_page);
  ReadWithinPage(from, to, first);
  std::fill(to + first, to + kMaxUnknownStructSize, uint8_t{0});
  if (first < kMaxUnknownStructSize && !CopyIfReadable(from + first, to + first, kMaxUnknownStructSize - first))
    ReportCutStruct(source.sType);
  return reinterpret_cast<VkBaseOutStructure*>(to);
}

}  // namespace trellis
