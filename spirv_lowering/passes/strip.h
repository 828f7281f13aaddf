// From a module of the extension to a plain one.
#pragma once

#include "spirv_lowering/passes/lowering.h"

namespace trellis::spirv {

// Removes the extension's capability, name, execution modes and remaining decorations, and declares what buffer device addresses need.
void StripExtension(Lowering& lowering);

}  // namespace trellis::spirv
