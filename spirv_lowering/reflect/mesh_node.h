// SPDX-License-Identifier: Apache-2.0
// What mesh nodes must not have.
#pragma once

#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Refuses, naming the instruction or execution mode and its id, what only compute nodes have: outputs, coalescing and
// recursion; and payloads of task shaders. `node` comes from ExtractNode for ExecutionModel::kMeshEXT.
[[nodiscard]] Expected<void> CheckMeshNode(const NodeModule& node);

}  // namespace trellis::spirv
