// SPDX-License-Identifier: Apache-2.0
// Allocations of which an invocation wants one at most, as where a record goes to one of several outputs.
#pragma once

#include <unordered_map>
#include <vector>

#include "spirv_lowering/passes/pass_context.h"

namespace trellis::spirv {

// OpAllocateNodePayloadsAMDX with its count and node index, as they can be had at the first allocation of its group.
struct GroupedAllocation {
  Id allocation;
  Id count;
  Id index;
};

inline constexpr size_t kMaxGroup = 4;

// Groups of two and more, by the allocation that stands first. Who gets to that one gets to the others.
using AllocationGroups = std::unordered_map<Id, std::vector<GroupedAllocation>>;

// Finds groups among the allocations of one invocation: those whose counts are 0 unless one value is equal to a
// constant, another one for each. What their operands need is computed a second time in front of the first one, where
// that is possible: arithmetic, loads of variables that are not written in between, choices between two blocks.
[[nodiscard]] AllocationGroups GroupAllocations(Lowering& lowering);

}  // namespace trellis::spirv
