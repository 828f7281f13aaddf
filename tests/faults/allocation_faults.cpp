#include "tests/faults/allocation_faults.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace trellis::test {
namespace {

std::atomic<bool> g_failing = false;
std::atomic<int64_t> g_number = 0;
std::atomic<int64_t> g_allocations = 0;  // since FailAllocation
std::atomic<Failures> g_failures = Failures::kOnce;
std::atomic<bool> g_failed = false;
std::atomic<int> g_scopes = 0;
std::atomic<int64_t> g_live = 0;

bool MustFail() {
  if (!g_failing || g_scopes == 0 || InsideDriver()) return false;
  const int64_t number = g_allocations++;
  const bool fails = g_failures == Failures::kOnce ? number == g_number : number >= g_number;
  if (fails) g_failed = true;
  return fails;
}

void* Count(void* memory) {
  if (memory) ++g_live;
  return memory;
}

void Free(void* memory) {
  if (!memory) return;
  --g_live;
  std::free(memory);
}

size_t RoundedUp(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return (size + unit - 1) / unit * unit;
}

}  // namespace

void FailAllocation(int64_t number, Failures failures) {
  g_number = number;
  g_allocations = 0;
  g_failures = failures;
  g_failed = false;
  g_failing = true;
}

bool StopAllocationFailures() {
  g_failing = false;
  return g_failed;
}

ScopedShortage::ScopedShortage() { ++g_scopes; }
ScopedShortage::~ScopedShortage() { --g_scopes; }

int64_t LiveAllocations() { return g_live; }

}  // namespace trellis::test

// operator new[] and the sized forms of operator delete come down to these.
void* operator new(size_t size) {
  if (!trellis::test::MustFail())
    if (void* memory = trellis::test::Count(std::malloc(size == 0 ? 1 : size))) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, std::align_val_t alignment) {
  if (!trellis::test::MustFail())
    if (void* memory = trellis::test::Count(
            std::aligned_alloc(static_cast<size_t>(alignment), trellis::test::RoundedUp(size, alignment))))
      return memory;
  throw std::bad_alloc();
}
// Whoever asks in this way goes on without: nothing fails then, so nothing would be tested.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return trellis::test::Count(std::malloc(size == 0 ? 1 : size));
}
void operator delete(void* memory) noexcept { trellis::test::Free(memory); }
void operator delete(void* memory, size_t) noexcept { trellis::test::Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { trellis::test::Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { trellis::test::Free(memory); }
