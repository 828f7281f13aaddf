// SPDX-License-Identifier: Apache-2.0
// Times work on the device.
#pragma once

#include <functional>
#include <vector>

#include "bench/framework/gpu.h"

namespace trellis::bench {

using RecordCommands = std::function<void(VkCommandBuffer)>;

// Work that is recorded once and run many times, in a command buffer of its own: what the layer does at its end counts.
class TimedWork {
 public:
  // `reset` is run before each run and not timed.
  TimedWork(const Gpu& gpu, const RecordCommands& reset, const RecordCommands& work);
  ~TimedWork();
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

  // Nanoseconds between timestamps around the work or, on queues without timestamps, from its submission to its end.
  [[nodiscard]] double Run() const;

 private:
  void WriteTimestamp(VkCommandBuffer commands, uint32_t number) const;
  [[nodiscard]] double RunWithTimestamps() const;
  [[nodiscard]] double RunWithClock() const;

  const Gpu& gpu_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  VkCommandBuffer reset_ = VK_NULL_HANDLE;
  VkCommandBuffer work_ = VK_NULL_HANDLE;
  VkCommandBuffer end_ = VK_NULL_HANDLE;
};

struct Times {
  double cold = 0;  // the first run
  double median = 0;
  double minimum = 0;
};

// `samples` is not empty.
Times Summarise(double cold, std::vector<double> samples);
double Median(std::vector<double> samples);

// Medians of what two forms take, which are timed in turns so that they meet the same clocks.
struct MedianPair {
  double ours = 0;
  double theirs = 0;
};
// `count` times each, after `warm_up` times that do not count.
MedianPair MediansInTurns(uint32_t count, const std::function<double()>& ours, const std::function<double()>& theirs,
                          uint32_t warm_up = 0);

}  // namespace trellis::bench
