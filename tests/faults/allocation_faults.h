// SPDX-License-Identifier: Apache-2.0
// Memory of this process that runs out on demand: operator new is replaced. Inside the fake driver it never fails, for
// a driver throws no exceptions.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/layer/fake_driver/driver_function.h"

namespace trellis::test {

// Lets allocations fail that happen while a ScopedShortage exists: the one with number `number`, counted from 0.
void FailAllocation(int64_t number, Failures failures);
// Stops that. True if an allocation has failed.
[[nodiscard]] bool StopAllocationFailures();

// How an allocation came about: where the innermost functions on the stack were called.
using CallPath = std::array<const void*, 8>;

// Notes the numbers (as for FailAllocation) of allocations that come about in a way which is not in `known`, and adds
// their paths to it.
void NoteAllocations(std::set<CallPath>& known);
// Stops that.
[[nodiscard]] std::vector<int64_t> NotedAllocations();

// Put around the calls of the layer, so that the test's own allocations succeed.
class ScopedShortage {
 public:
  ScopedShortage();
  ~ScopedShortage();
  ScopedShortage(const ScopedShortage&) = delete;
  ScopedShortage& operator=(const ScopedShortage&) = delete;
};

// How many allocations of this process have not been freed.
[[nodiscard]] int64_t LiveAllocations();

}  // namespace trellis::test
