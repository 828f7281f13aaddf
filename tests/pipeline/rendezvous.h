// SPDX-License-Identifier: Apache-2.0
// A meeting point that shows that threads run at the same time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>

namespace trellis::test {

// Holds callers back until `threads` different threads have arrived, or `kPatience` has passed since construction.
// Bounded, so that code that runs on fewer threads fails its test instead of hanging.
class Rendezvous {
 public:
  explicit Rendezvous(size_t threads) : wanted_(threads) {}

  void Arrive() {
    std::unique_lock lock(mutex_);
    arrived_.insert(std::this_thread::get_id());
    if (arrived_.size() >= wanted_) all_there_.notify_all();
    all_there_.wait_until(lock, deadline_, [this] { return arrived_.size() >= wanted_; });
  }

  // Returns how many threads have arrived.
  [[nodiscard]] size_t Arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_.size();
  }

 private:
  static constexpr std::chrono::seconds kPatience{20};

  const size_t wanted_;
  const std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kPatience;
  std::mutex mutex_;
  std::condition_variable all_there_;
  std::set<std::thread::id> arrived_;
};

}  // namespace trellis::test
