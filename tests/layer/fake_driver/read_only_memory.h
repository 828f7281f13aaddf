// SPDX-License-Identifier: Apache-2.0
// Structures of an application in constant memory, with nothing readable behind the last one.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trellis::test {

// One page. Structures are stored first, then the page is sealed: writing to it ends the program.
class ReadOnlyMemory {
 public:
  ReadOnlyMemory() {
    void* pages = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    base_ = static_cast<std::byte*>(pages);
    mprotect(base_ + kPage, kPage, PROT_NONE);
  }
  ~ReadOnlyMemory() {
    if (base_) munmap(base_, 2 * kPage);
  }
  ReadOnlyMemory(const ReadOnlyMemory&) = delete;
  ReadOnlyMemory& operator=(const ReadOnlyMemory&) = delete;

  // From the end of the page downwards: the first structure ends where the page does.
  template <typename Struct>
  [[nodiscard]] const Struct* Store(const Struct& structure) {
    end_ -= (sizeof(Struct) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    std::memcpy(base_ + end_, &structure, sizeof(Struct));
    return reinterpret_cast<const Struct*>(base_ + end_);
  }

  void Seal() { mprotect(base_, kPage, PROT_READ); }

 private:
  static constexpr size_t kPage = 4096;

  std::byte* base_ = nullptr;
  size_t end_ = kPage;
};

}  // namespace trellis::test
