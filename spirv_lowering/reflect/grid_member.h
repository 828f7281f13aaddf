// SPDX-License-Identifier: Apache-2.0
// Where a payload holds the grid of its launch.
#pragma once

#include <optional>

#include "spirv_lowering/ir/layout.h"
#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// The member with PayloadDispatchIndirectAMDX, in `payload` or a struct nested in it; nothing if there is none.
// Scalars, 2- and 3-vectors and (as compilers emit) arrays of 8-, 16- or 32-bit integers; others are refused. `lengths`
// knows the lengths of arrays.
[[nodiscard]] Expected<std::optional<GridMember>> FindGridMember(const Module& module, const Decorations& decorations,
                                                                 const Types& types, const ConstantValues& lengths,
                                                                 Id payload);

}  // namespace trellis::spirv
