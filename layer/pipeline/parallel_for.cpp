// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace trellis {
namespace {

class Loop {
 public:
  Loop(size_t count, const std::function<bool(size_t)>& work) : count_(count), work_(work) {}

  // On every thread.
  void Run() {
    try {
      while (!stopped_) {
        const size_t index = next_++;
        if (index >= count_) return;
        if (!work_(index)) stopped_ = true;
      }
    } catch (...) {
      stopped_ = true;
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  }

  // After all threads have ended.
  void Rethrow() {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const size_t count_;
  const std::function<bool(size_t)>& work_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // guards thrown_
  std::exception_ptr thrown_;
};

}  // namespace

void ParallelFor(size_t count, uint32_t threads, const std::function<bool(size_t)>& work) {
  if (count == 0) return;
  Loop loop(count, work);
  {
    const size_t helper_count = std::min<size_t>(std::max(threads, 1u), count) - 1;
    std::vector<std::jthread> helpers;
    try {
      helpers.reserve(helper_count);
      while (helpers.size() < helper_count) helpers.emplace_back([&loop] { loop.Run(); });
    } catch (...) {
      // The system has no more threads, or no memory for them: those that there are do all the work.
    }
    loop.Run();
  }
  loop.Rethrow();
}

uint32_t ThreadCount(uint32_t setting) {
  return setting != 0 ? setting : std::max(std::thread::hardware_concurrency(), 1u);
}

}  // namespace trellis
