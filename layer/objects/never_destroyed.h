// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

namespace trellis {

// A global that is never destroyed, because an application may call Vulkan from its own static destructors. It stands
// in the library's own memory and goes with it when the loader unloads the layer: so T may hold memory only while the
// application has objects.
template <typename T>
class NeverDestroyed {
 public:
  NeverDestroyed() : object_(new (storage_) T) {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  [[nodiscard]] T& operator*() const { return *object_; }

 private:
  alignas(T) std::byte storage_[sizeof(T)];
  T* const object_;
};

}  // namespace trellis
