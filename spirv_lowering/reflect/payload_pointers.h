// SPDX-License-Identifier: Apache-2.0
// Which pointers of a node point into payloads.
#pragma once

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Compilers give pointers that they derive from a handle variable the variable's class (Function). Gives them, and what
// is derived from them, the class NodePayloadAMDX: afterwards a pointer's type tells where it points. A function that
// some calls give such pointers and others pointers to real variables gets one version for each combination; versions
// that nothing calls any more go.
//
// `entry` is the entry point's function; every other one must be called, and paths must be split
// (reflect/handle_paths.h). Refuses pointers into payloads that meet other pointers, are stored, are returned in
// another class than theirs, or go into instructions that are not known; and pointers to matrices where the decorations
// that say how those lie in memory do not reach: NodePayloadAMDX parameters, results, OpPhi and OpSelect.
[[nodiscard]] Expected<void> TypePayloadPointers(Module& module, Id entry);

}  // namespace trellis::spirv
