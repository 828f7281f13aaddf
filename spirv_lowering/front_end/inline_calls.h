// SPDX-License-Identifier: Apache-2.0
// Calls of the small functions that the header declares per output.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Replaces calls of functions that allocate payloads or ask validity, and are one block without variables, by their
// bodies: T_group, T_thread and T_valid of the header, and user functions as small. A body may have 80 words, each
// instruction counted as one more; where copies together take too many words, calls stay. Handles that stay in one
// function let a driver place payloads at allocation.
void InlineAllocationCalls(Module& module);

}  // namespace trellis::spirv
