// SPDX-License-Identifier: Apache-2.0
// Which invocations of a subgroup execute an instruction together.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// The execution mode MaximallyReconvergesKHR for the module's one entry point, which may have it already.
void DemandReconvergence(Module& module);

}  // namespace trellis::spirv
