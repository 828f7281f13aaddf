// SPDX-License-Identifier: Apache-2.0
// Device memory of drivers that execute nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace trellis::test {

// Bytes of zero. The system gives pages when they are touched, so that rings of hundreds of MiB cost nothing until
// then. Without an alignment of its own, sanitizers see the first byte behind its end.
class ZeroedMemory {
 public:
  static constexpr size_t kMinAlignment = alignof(std::max_align_t);

  explicit ZeroedMemory(size_t size, size_t alignment = kMinAlignment)
      : bytes_(std::calloc(size + alignment - kMinAlignment, 1)), alignment_(alignment), size_(size) {
    if (!bytes_) throw std::bad_alloc();
  }

  [[nodiscard]] std::byte* data() const {
    const auto begin = reinterpret_cast<uintptr_t>(bytes_.get());
    return static_cast<std::byte*>(bytes_.get()) + (alignment_ - begin % alignment_) % alignment_;
  }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<void, Free> bytes_;
  size_t alignment_;
  size_t size_;
};

}  // namespace trellis::test
