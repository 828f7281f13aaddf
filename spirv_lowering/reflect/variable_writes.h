// Whether a node changes what a variable holds: its input, or one with an initial value.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// Stores or atomics through pointers derived from the variable, in functions that are given them too. What cannot
// be followed (copies of the handle, pointers that are returned or chosen) counts as a write.
[[nodiscard]] bool WritesVariable(const Module& module, const Types& types, Id variable);

}  // namespace trellis::spirv
