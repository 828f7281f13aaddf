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
  double total = 0, min = 0, max = 0;

  void Add(const Durations& other) {
    if (other.count == 0) return;
    min = count == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    total += other.total;
    count += other.count;
  }
  void Add(double nanoseconds) { Add({1, nanoseconds, nanoseconds, nanoseconds}); }
};

// The same. Threading: any thread.
class SharedDurations {
 public:
  void Add(double nanoseconds) {
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
  [[nodiscard]] double Nanoseconds() const { return std::chrono::duration<double, std::nano>(Now() - begin_).count(); }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  static TimePoint Now() { return std::chrono::steady_clock::now(); }

  TimePoint begin_;
};

}  // namespace trellis
