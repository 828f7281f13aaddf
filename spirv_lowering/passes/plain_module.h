// SPDX-License-Identifier: Apache-2.0
// From a module of the extension to a plain one.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// Removes the extension's capability, name, execution modes and decorations. Before dead code is eliminated, so that
// what they refer to goes too.
void StripExtension(Module& module);

// Declares what buffer device addresses need. `types` must be those of the module without its dead code.
void DeclareAddresses(Module& module, const Types& types);

}  // namespace trellis::spirv
