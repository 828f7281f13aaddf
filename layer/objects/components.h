// SPDX-License-Identifier: Apache-2.0
// State that other directories keep with an object, without the object knowing them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace trellis {

// One slot per type T. Threading: any thread. Ownership: components are destroyed in reverse order of
// creation, while the owner's dispatch table is still usable.
class Components {
 public:
  Components() = default;
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;
  ~Components() { Clear(); }

  // The object of type T; made by `make()` (returns std::shared_ptr<T>) when there is none. `make` runs under the lock,
  // so it must not use them, and must not call down with the application's allocator. A null from `make` is returned
  // and not kept.
  template <typename T, typename Make>
  [[nodiscard]] std::shared_ptr<T> GetOrCreate(Make&& make) {
    std::lock_guard lock(mutex_);
    for (const Slot& slot : slots_)
      if (slot.key == KeyOf<T>()) return std::static_pointer_cast<T>(slot.object);
    std::shared_ptr<T> object = make();
    if (object) slots_.push_back({KeyOf<T>(), object});
    return object;
  }

  // Null when there is none.
  template <typename T>
  [[nodiscard]] std::shared_ptr<T> Get() {
    return GetOrCreate<T>([] { return nullptr; });
  }

  void Clear() {
    std::vector<Slot> slots;
    {
      std::lock_guard lock(mutex_);
      slots.swap(slots_);
    }
    while (!slots.empty()) slots.pop_back();
  }

 private:
  struct Slot {
    const void* key;
    std::shared_ptr<void> object;
  };

  template <typename T>
  static const void* KeyOf() {
    static const char key = 0;
    return &key;
  }

  std::mutex mutex_;  // guards slots_
  std::vector<Slot> slots_;
};

}  // namespace trellis
