// SPDX-License-Identifier: Apache-2.0
// Append buffers of the baselines: heads that are VkDispatchIndirectCommands (bench/shaders/shared/append.glsl).
#pragma once

#include <vector>

#include "bench/framework/pipelines.h"

namespace trellis::bench {

// Of baselines/counters.glsl: a counter on a cache line of its own.
inline constexpr uint32_t kCounterBytes = 128;

// How the grid of a list's consumer grows.
struct QueueShape {
  uint32_t records_a_step = 1;
  uint32_t row = 0;  // 0: by workgroups; else by rows of so many

  // For producers and consumers of the list.
  [[nodiscard]] Constants WithConstants(Constants more) const;
};

// Of a list of at most `records`, of which a workgroup of the consumer takes `records_a_workgroup`.
QueueShape ShapeOfQueue(const Gpu& gpu, uint64_t records, uint32_t records_a_workgroup);

class Queues {
 public:
  Queues(const Gpu& gpu, uint32_t count);

  [[nodiscard]] VkDeviceAddress address() const { return buffer_.address(); }
  // Makes all lists empty.
  void Reset(VkCommandBuffer commands, const QueueShape& shape) const;
  // The same, but the first list holds `records` already, for `workgroups` of its consumer.
  void ResetFilled(VkCommandBuffer commands, uint32_t workgroups, uint32_t records) const;
  // Dispatches the consumer of a list.
  void Dispatch(VkCommandBuffer commands, uint32_t queue) const;

 private:
  [[nodiscard]] std::vector<uint32_t> Heads(const QueueShape& shape) const;

  const uint32_t count_;
  Buffer buffer_;
};

// The grid of a dispatch of so many workgroups, which has to be a product that fits: a power of two, or below 65,536.
struct Grid {
  uint32_t x;
  uint32_t y;
};
Grid GridOf(uint32_t workgroups);

}  // namespace trellis::bench
