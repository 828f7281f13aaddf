// SPDX-License-Identifier: Apache-2.0
// Plan memory: what the host writes while it records, and shaders read at every execution of the recording.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "layer/memory/plan_block_pool.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// A piece of plan memory. `host` stays writable until the arena dies.
struct PlanSpan {
  std::byte* host = nullptr;
  VkDeviceAddress address = 0;  // a multiple of 16
  VkDeviceSize size = 0;        // bytes

  // Stores `values` at a byte offset of the span.
  template <typename T>
  void Store(VkDeviceSize offset, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(host + offset, &value, sizeof(T));
  }
  template <typename T>
  void Store(VkDeviceSize offset, std::span<const T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!values.empty()) std::memcpy(host + offset, values.data(), values.size_bytes());
  }
};

// The plan memory of one dispatch in a recording, or of one placed plan. It is freed with the arena, so the arena must
// outlive every execution that reads it. Threading: one thread at a time.
class PlanArena {
 public:
  PlanArena(std::shared_ptr<PlanBlockPool> pool, PlanLifetime lifetime) : pool_(std::move(pool)), lifetime_(lifetime) {}
  PlanArena(const PlanArena&) = delete;
  PlanArena& operator=(const PlanArena&) = delete;
  ~PlanArena();

  // `bytes` may be 0: the span has an address of its own all the same. Contents are undefined.
  [[nodiscard]] Expected<PlanSpan> Allocate(VkDeviceSize bytes);
  // Lets other arenas use the rest of the block. To be called as soon as the owner needs no more memory; a later
  // Allocate takes a block again.
  void Close() noexcept;

  template <typename T>
  [[nodiscard]] Expected<PlanSpan> Upload(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    Expected<PlanSpan> span = Allocate(values.size_bytes());
    if (span) span->Store(0, values);
    return span;
  }
  template <typename T>
  [[nodiscard]] Expected<PlanSpan> Upload(const T& value) {
    return Upload(std::span<const T>(&value, 1));
  }

 private:
  [[nodiscard]] Expected<PlanBlockPool::BlockRef> TakeBlock(VkDeviceSize bytes);

  const std::shared_ptr<PlanBlockPool> pool_;
  const PlanLifetime lifetime_;
  std::vector<PlanBlockPool::BlockRef> blocks_;     // with one entry for each hold
  std::optional<PlanBlockPool::BlockRef> filling_;  // the shared one that only this arena allocates from
};

}  // namespace trellis
