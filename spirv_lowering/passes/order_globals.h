// SPDX-License-Identifier: Apache-2.0
// Definition before use among the globals.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// Passes append types at the end of Module::globals and retype earlier variables with them. This moves each global
// behind what it refers to and keeps the order otherwise. Pointers announced by OpTypeForwardPointer are left where
// they are relative to their pointees.
void OrderGlobals(Module& module);

}  // namespace trellis::spirv
