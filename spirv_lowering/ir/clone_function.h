// Copies of functions within a module.
#pragma once

#include "spirv_lowering/ir/module.h"

namespace trellis::spirv {

// The function under new ids: every id that it defines, its own included, gets one, and takes the names and decorations
// of the old one with it. The copy is not in the module yet.
[[nodiscard]] Function CloneFunction(Module& module, const Function& function);

}  // namespace trellis::spirv
