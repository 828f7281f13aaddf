// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/run_budget.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <new>

namespace trellis::fuzz {
namespace {

constexpr size_t kTimesInput = 64;
// The layer's own functions as a module, read once and copied for each lowering, with what the passes keep about them:
// 0.83 MB above 64 times the input were the most that any seed took; the rest is room for these functions to grow.
constexpr size_t kFixedBytes = size_t{2} << 20;
// An input that takes longer hangs: under the sanitizers, on a machine that has other things to do, none takes a tenth.
constexpr double kHangsAfterSeconds = 60;

std::atomic<size_t> g_live = 0;
std::atomic<size_t> g_peak = 0;

double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void* CountAllocation(void* memory) {
  if (!memory) throw std::bad_alloc();
  const size_t live = g_live += malloc_usable_size(memory);
  if (live > g_peak) g_peak = live;
  return memory;
}
void CountRelease(void* memory) {
  if (memory) g_live -= malloc_usable_size(memory);
}

}  // namespace

double SecondsOf(Target target, std::span<const uint32_t> words) {
  const double begin = ThreadSeconds();
  target(words);
  return ThreadSeconds() - begin;
}

std::string RunWithinBudget(Target target, std::span<const uint32_t> words, double* seconds_taken) {
  const size_t before = g_live;
  g_peak = before;
  const double seconds = SecondsOf(target, words);
  if (seconds_taken != nullptr) *seconds_taken = seconds;
  const size_t bytes = g_peak - before;
  const size_t budget = kTimesInput * words.size_bytes() + kFixedBytes;
  std::string over;
  if (bytes > budget) over += std::to_string(bytes) + " bytes of memory instead of " + std::to_string(budget) + "; ";
  if (seconds > kHangsAfterSeconds) over += std::to_string(seconds) + " seconds; ";
  if (!over.empty()) over += "the input has " + std::to_string(words.size_bytes()) + " bytes";
  return over;
}

}  // namespace trellis::fuzz

void* operator new(size_t size) { return trellis::fuzz::CountAllocation(std::malloc(std::max<size_t>(size, 1))); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(std::max<size_t>(size, 1));
  return memory ? trellis::fuzz::CountAllocation(memory) : nullptr;
}
void operator delete(void* memory) noexcept {
  trellis::fuzz::CountRelease(memory);
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
