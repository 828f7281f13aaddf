// SPDX-License-Identifier: Apache-2.0
// Device memory of drivers that execute nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace trellis::test {

// Bytes of zero, aligned to kAlignment. The system gives pages when they are touched, so that rings of hundreds of MiB
// cost nothing until then.
class ZeroedMemory {
 public:
  static constexpr size_t kAlignment = 256;  // what FakeDriver says that buffers must have

  explicit ZeroedMemory(size_t size) : bytes_(std::calloc(size + kAlignment - 1, 1)), size_(size) {
    if (!bytes_) throw std::bad_alloc();
  }

  [[nodiscard]] std::byte* data() const {
    const auto begin = reinterpret_cast<uintptr_t>(bytes_.get());
    return static_cast<std::byte*>(bytes_.get()) + (kAlignment - begin % kAlignment) % kAlignment;
  }
  [[nodiscard]] size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<void, Free> bytes_;
  size_t size_;
};

}  // namespace trellis::test
