// Workgroup memory beside blocks with an explicit layout (SPV_KHR_workgroup_memory_explicit_layout).
#pragma once

#include "spirv_lowering/passes/lowering.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// In a module whose Workgroup variables are blocks, every Workgroup variable has to be one, and all of them alias: puts
// the runtime's into a block of their own, past the end of the node's largest. Nothing to do in other modules. Comes
// after everything that imports from the runtime.
[[nodiscard]] Expected<void> LayOutSharedMemory(Lowering& lowering);

}  // namespace trellis::spirv
