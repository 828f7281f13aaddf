// Whether a node changes its own input.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// Stores or atomics through pointers derived from the input variable, in functions that are given them too. What cannot
// be followed (copies of the handle, pointers that are returned or chosen) counts as a write.
[[nodiscard]] bool WritesInput(const Module& module, const Types& types, Id input);

}  // namespace trellis::spirv
