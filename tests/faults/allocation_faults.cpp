// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/allocation_faults.h"

#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
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

std::mutex g_notes_mutex;  // guards what follows
std::set<CallPath>* g_known = nullptr;
std::vector<int64_t> g_notes;
thread_local bool t_noting = false;  // the notes' own allocations do not count

void Note(int64_t number) {
  t_noting = true;
  CallPath path = {};
  void* frames[path.size()];
  std::copy_n(frames, backtrace(frames, static_cast<int>(path.size())), path.begin());
  {
    const std::lock_guard lock(g_notes_mutex);
    if (g_known->insert(path).second) g_notes.push_back(number);
  }
  t_noting = false;
}

bool MustFail() {
  if (g_scopes == 0 || t_noting || InsideDriver()) return false;
  if (g_known) Note(g_allocations++);
  if (!g_failing) return false;
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

void NoteAllocations(std::set<CallPath>& known) {
  g_allocations = 0;
  g_notes.clear();
  g_known = &known;
}

std::vector<int64_t> NotedAllocations() {
  g_known = nullptr;
  return std::move(g_notes);
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
