// SPDX-License-Identifier: Apache-2.0
// Table from a Vulkan handle to the layer's object for it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// A handle as a plain number, whether it is a pointer or a 64-bit integer on this platform.
template <typename Handle>
[[nodiscard]] inline uint64_t HandleToU64(Handle handle) {
  return (uint64_t)(handle);  // C cast: the handle is a pointer on 64-bit platforms and an integer elsewhere
}

template <typename Handle>
[[nodiscard]] inline Handle HandleFromU64(uint64_t bits) {
  return (Handle)(bits);
}

// A non-dispatchable handle for an object that only the layer knows. It is the object's address, so it differs from
// every other live object of ours and from every driver handle that is an address of its own.
template <typename Handle>
[[nodiscard]] inline Handle HandleFromObject(const void* object) {
  return (Handle)(reinterpret_cast<uintptr_t>(object));
}

// Threading: every function may be called from any thread. Ownership: objects are shared, so what Find returned stays
// valid after another thread took the handle out. Take the handle out *before* the driver's object is destroyed: the
// driver may hand the same value out again at once. Sharded, because every recorded command looks its command buffer
// up. Trees, since a tree allocates once for each object, wherever its handle falls, and an empty one holds no memory:
// buckets stay for good in a table that is never destroyed, and whether they are needed depends on addresses.
template <typename Handle, typename Object>
class HandleTable {
 public:
  using Pointer = std::shared_ptr<Object>;

  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  // Replaces an older object of the same handle, which dies after the lock is released: its destructor may call down.
  void Insert(Handle handle, Pointer object) {
    Shard& shard = ShardOf(handle);
    std::unique_lock lock(shard.mutex);
    shard.objects[handle].swap(object);
  }

  // Inserts unless the handle is known; returns the object that is in the table afterwards.
  [[nodiscard]] Pointer InsertIfAbsent(Handle handle, Pointer object) {
    Shard& shard = ShardOf(handle);
    std::unique_lock lock(shard.mutex);
    return shard.objects.try_emplace(handle, std::move(object)).first->second;
  }

  // Null when the handle is not in the table.
  [[nodiscard]] Pointer Find(Handle handle) const {
    const Shard& shard = ShardOf(handle);
    std::shared_lock lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    return found == shard.objects.end() ? nullptr : found->second;
  }

  // Removes and returns; null when the handle was not in the table.
  Pointer Take(Handle handle) {
    Shard& shard = ShardOf(handle);
    std::unique_lock lock(shard.mutex);
    const auto found = shard.objects.find(handle);
    if (found == shard.objects.end()) return nullptr;
    Pointer object = std::move(found->second);
    shard.objects.erase(found);
    return object;
  }

  // Empties the table. Calls visit(const Pointer&) for what was in it, without the lock, before it lets go of that.
  // Needs no memory, so that a device can be destroyed when there is none.
  template <typename Visit>
  void TakeAll(Visit&& visit) {
    for (Shard& shard : shards_) {
      std::map<Handle, Pointer> objects;
      {
        std::unique_lock lock(shard.mutex);
        objects.swap(shard.objects);
      }
      for (const auto& [handle, object] : objects) visit(object);
    }
  }
  void TakeAll() {
    TakeAll([](const Pointer&) {});
  }

  // Calls visit(const Pointer&) for every object, without the lock.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const Shard& shard : shards_) {
      std::vector<Pointer> objects;
      {
        std::shared_lock lock(shard.mutex);
        for (const auto& [handle, object] : shard.objects) objects.push_back(object);
      }
      for (const Pointer& object : objects) visit(object);
    }
  }

  [[nodiscard]] size_t Size() const {
    size_t size = 0;
    for (const Shard& shard : shards_) {
      std::shared_lock lock(shard.mutex);
      size += shard.objects.size();
    }
    return size;
  }

 private:
  static constexpr size_t kShardCount = 16;

  struct Shard {
    mutable std::shared_mutex mutex;  // guards objects
    std::map<Handle, Pointer> objects;
  };

  static size_t ShardIndex(Handle handle) {
    // Handles are mostly addresses: the low bits are alignment, so fold higher ones in.
    const uint64_t bits = HandleToU64(handle);
    return static_cast<size_t>((bits >> 4) ^ (bits >> 12) ^ (bits >> 20)) % kShardCount;
  }
  Shard& ShardOf(Handle handle) { return shards_[ShardIndex(handle)]; }
  const Shard& ShardOf(Handle handle) const { return shards_[ShardIndex(handle)]; }

  std::array<Shard, kShardCount> shards_;
};

}  // namespace trellis
