// SPDX-License-Identifier: Apache-2.0
// OpSelect between handles -> a branch.
#pragma once

#include "spirv_lowering/front_end/payload_arrays.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// OpSelect takes scalars, pointers and composites, and a payload array counts as none of them. Each such select becomes
// a conditional branch that stores one of the two handles into a variable. glslang puts none into the header of a loop.
void ExpandHandleSelects(Module& module, Types& types, const PayloadArrays& arrays);

}  // namespace trellis::spirv
