// SPDX-License-Identifier: Apache-2.0
// SPIR-V module -> NodeInfo.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// Values for specialisation constants, by SpecId: the bytes of VkSpecializationInfo. Sizes that do not fit the constant
// are refused by Reflect.
using Specialization = std::unordered_map<uint32_t, std::vector<uint8_t>>;

// Reads what the entry point with that name and execution model is as a node. Refuses, naming entry point, instruction
// and id, what breaks the extension's rules where that would make the result meaningless, revision-1 modules, and what
// is not implemented yet.
[[nodiscard]] Expected<NodeInfo> Reflect(const Module& module, std::string_view entry_point,
                                         const Specialization& specialization,
                                         ExecutionModel execution_model = ExecutionModel::kGLCompute);

}  // namespace trellis::spirv
