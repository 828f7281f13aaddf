// SPDX-License-Identifier: Apache-2.0
// Workgroup memory next to blocks with an explicit layout (SPV_KHR_workgroup_memory_explicit_layout).
#pragma once

#include <cstdint>
#include <optional>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// In a module whose Workgroup variables are blocks, every Workgroup variable has to be one, and all of them alias: puts
// the runtime's into a block of their own, past the end of the node's largest. Nothing to do in other modules. Comes
// after everything that imports from the runtime.
[[nodiscard]] Expected<void> LayOutSharedMemory(Lowering& lowering);

// Returns whether lowering has added Workgroup variables.
[[nodiscard]] bool AddsSharedMemory(const Lowering& lowering);

// Returns the bytes that the module's Workgroup variables take at most (VUID-RuntimeSpirv-Workgroup-06530); nothing if
// a specialisation constant decides, or a type has no fixed size.
[[nodiscard]] std::optional<uint64_t> SharedBytes(const Module& module, const Types& types);

}  // namespace trellis::spirv
