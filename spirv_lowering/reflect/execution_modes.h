// SPDX-License-Identifier: Apache-2.0
// What the execution modes of a node's entry point say.
#pragma once

#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/constants.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Launch kind, grid, size of a workgroup, indices and recursion.
[[nodiscard]] Expected<void> ReadExecutionModes(const NodeModule& node, const Types& types,
                                                const ConstantEvaluator& constants, NodeInfo& info);

}  // namespace trellis::spirv
