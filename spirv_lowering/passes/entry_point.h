// SPDX-License-Identifier: Apache-2.0
// The new entry point: finds out which record and workgroup of the node this workgroup is, then calls the node's own
// function.
#pragma once

#include <vector>

#include "spirv_lowering/passes/builtins.h"
#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/passes/push_constants.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Adds the function, points OpEntryPoint (renamed to "main") and the execution modes at it and lists every variable in
// the interface; dead code elimination prunes the list afterwards.
[[nodiscard]] Expected<void> AddEntryPoint(Lowering& lowering, const std::vector<ReplacedBuiltIn>& built_ins,
                                           const LaunchMember& launch);

}  // namespace trellis::spirv
