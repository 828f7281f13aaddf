// Plan memory: what the host writes while it records, and shaders read at every execution of the recording.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include "layer/memory/device_buffer.h"
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

// Blocks of plan memory that no arena uses at the moment. One per device. Threading: any thread.
class PlanBlockPool {
 public:
  static constexpr VkDeviceSize kBlockBytes = 256 * 1024;
  // Blocks above this many are given back to the driver instead of being kept.
  static constexpr size_t kMostKept = 16;

  explicit PlanBlockPool(const Device& device) : device_(device) { free_.reserve(kMostKept); }

  // A block of at least `bytes`.
  [[nodiscard]] Expected<DeviceBuffer> Take(VkDeviceSize bytes);
  void Give(std::vector<DeviceBuffer> blocks);
  // How many blocks wait for their next use.
  [[nodiscard]] size_t Kept() const;

  // The pool of a device.
  [[nodiscard]] static std::shared_ptr<PlanBlockPool> Of(Device& device);

 private:
  const Device& device_;
  mutable std::mutex mutex_;  // guards free_
  std::vector<DeviceBuffer> free_;
};

// Hands out pieces of blocks one after the other. Nothing is freed before the arena is, which gives the blocks back:
// the arena must therefore outlive every execution of what was recorded with it. Threading: one thread at a time.
class PlanArena {
 public:
  explicit PlanArena(std::shared_ptr<PlanBlockPool> pool) : pool_(std::move(pool)) {}
  PlanArena(const PlanArena&) = delete;
  PlanArena& operator=(const PlanArena&) = delete;
  ~PlanArena();

  // `bytes` may be 0: then the span has an address of its own all the same. Contents are undefined.
  [[nodiscard]] Expected<PlanSpan> Allocate(VkDeviceSize bytes);

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

  // Nothing that was allocated so far needed a second block.
  [[nodiscard]] bool FitsOneBlock() const { return blocks_.size() <= 1; }

 private:
  std::shared_ptr<PlanBlockPool> pool_;
  std::vector<DeviceBuffer> blocks_;  // the last one is being filled
  VkDeviceSize used_ = 0;             // bytes of the last block
};

// Arenas for what several recordings use: small pieces of different owners share a block, which is given back when the
// last of the owners has let go of its arena. One per device. Threading: any thread.
class SharedArenas {
 public:
  explicit SharedArenas(std::shared_ptr<PlanBlockPool> pool) : pool_(std::move(pool)) {}

  // An arena that nobody else allocates from until it is given back; what is not is used by nobody else.
  [[nodiscard]] std::shared_ptr<PlanArena> Take();
  void Give(std::shared_ptr<PlanArena> arena);

  [[nodiscard]] static std::shared_ptr<SharedArenas> Of(Device& device);

 private:
  const std::shared_ptr<PlanBlockPool> pool_;
  std::mutex mutex_;                              // guards open_
  std::vector<std::shared_ptr<PlanArena>> open_;  // as many as threads have allocated at a time
};

struct CommandBuffer;

// The arena of what is being recorded into a command buffer: lives until that recording can no longer execute.
[[nodiscard]] std::shared_ptr<PlanArena> ArenaOf(CommandBuffer& command_buffer);

}  // namespace trellis
