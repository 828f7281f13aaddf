// SPDX-License-Identifier: Apache-2.0
// Sums of durations, for the setting `report`.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace trellis {

// Nanoseconds.
struct Durations {
  uint64_t count = 0;
  uint64_t total = 0, least = 0, most = 0;

  void Add(const Durations& other) {
    if (other.count == 0) return;
    least = count == 0 ? other.least : std::min(least, other.least);
    most = std::max(most, other.most);
    total += other.total;
    count += other.count;
  }
  void Add(uint64_t nanoseconds) { Add({1, nanoseconds, nanoseconds, nanoseconds}); }
};

// The same. Threading: any thread.
class SharedDurations {
 public:
  void Add(uint64_t nanoseconds) {
    std::lock_guard lock(mutex_);
    sums_.Add(nanoseconds);
  }
  [[nodiscard]] Durations Sums() const {
    std::lock_guard lock(mutex_);
    return sums_;
  }

 private:
  mutable std::mutex mutex_;  // guards sums_
  Durations sums_;
};

// Measures from its construction on. One that is off does not ask for the time.
class CpuClock {
 public:
  explicit CpuClock(bool is_on = false) : begin_(is_on ? Now() : TimePoint()) {}
  [[nodiscard]] uint64_t Nanoseconds() const {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(Now() - begin_).count());
  }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  static TimePoint Now() { return std::chrono::steady_clock::now(); }

  TimePoint begin_;
};

}  // namespace trellis
