// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <type_traits>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Memory for edited copies of create infos: freed all at once with the arena. Only trivially destructible things go in.
// One thread; mostly lives on the stack of the hook that edits.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] void* Allocate(size_t bytes) { return resource_.allocate(bytes, alignof(std::max_align_t)); }

  // Frees everything in it.
  void Clear() { resource_.release(); }

  [[nodiscard]] void* Copy(const void* source, size_t bytes) {
    void* copy = Allocate(bytes);
    if (bytes) std::memcpy(copy, source, bytes);
    return copy;
  }

  template <typename T>
  [[nodiscard]] T* Copy(const T& source) {
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(Copy(&source, sizeof(T)));
  }

  template <typename T>
  [[nodiscard]] T* CopyArray(const T* source, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(Copy(source, sizeof(T) * count));
  }

 private:
  std::byte first_[1024];  // most create infos fit here without an allocation
  std::pmr::monotonic_buffer_resource resource_{first_, sizeof(first_)};
};

}  // namespace trellis
