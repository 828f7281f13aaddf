// SPDX-License-Identifier: Apache-2.0
// When an allocation of one function may take its place in the target's region: at once, or only when it is enqueued.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// What becomes of an allocation's handle, as far as it can be followed: through the shapes that compilers emit (used
// directly; or loaded as a value and stored to one Function variable that holds no other handle).
struct HandleFate {
  bool exactly_once = false;  // each run of the allocation is followed by exactly one enqueue of it before the next run
                              // or the function's end
  bool runs_once = false;     // at most, in each call of the function
  bool never_enqueued = false;               // followed to its last use, and no enqueue among them
  std::vector<const Instruction*> enqueues;  // of this handle and no other; only with exactly_once
};

// Fates of all OpAllocateNodePayloadsAMDX of the function, by result id. Pointers are into the function. Takes time
// proportional to allocations times blocks, up to a limit: past it exactly_once is false where that is not known.
// `def_use` is of the function's module.
[[nodiscard]] std::unordered_map<Id, HandleFate> FindHandleFates(const Function& function, const DefUse& def_use);

}  // namespace trellis::spirv
