// SPDX-License-Identifier: Apache-2.0
// What a node does with a variable as a whole: its input, or one with an initial value.
#pragma once

#include <unordered_set>
#include <vector>

#include "spirv_lowering/ir/def_use.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/allocations.h"

namespace trellis::spirv {

// Returns whether the node changes what the variable holds: stores, atomics or OpFinishWritingNodePayloadAMDX through
// pointers derived from it, in functions that are given them too. What cannot be followed (copies of the handle,
// pointers that are stored or returned) counts as a write.
[[nodiscard]] bool WritesVariable(const DefUse& def_use, const Types& types, const TypeMap& type_of, Id variable);

// Returns pointers to all of what one of `variables` holds: the variables, copies, parameters that are given them.
[[nodiscard]] std::unordered_set<Id> PointersToWhole(const DefUse& def_use, const TypeMap& type_of,
                                                     const std::vector<Id>& variables);

}  // namespace trellis::spirv
