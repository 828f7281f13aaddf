#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr size_t kPageSize = 4096;  // or a multiple of it

// Reads past the end of the object, which sanitizers do not like. Within a page that is harmless.
__attribute__((no_sanitize_address, no_sanitize_thread)) void ReadWithinPage(const volatile uint8_t* from, uint8_t* to,
                                                                             size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

// The system reads, and fails where a read by this process would fault.
void TryToRead(const uint8_t* from, uint8_t* to, size_t bytes) {
  const iovec local = {to, bytes};
  const iovec remote = {const_cast<uint8_t*>(from), bytes};
  (void)process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
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
  if (first < kMaxUnknownStructSize) TryToRead(from + first, to + first, kMaxUnknownStructSize - first);
  return reinterpret_cast<VkBaseOutStructure*>(to);
}

}  // namespace trellis
