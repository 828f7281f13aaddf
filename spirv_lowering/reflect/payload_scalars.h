// SPDX-License-Identifier: Apache-2.0
// What the payloads of a node are made of, for people who look into them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/reflect/node_info.h"
#include "spirv_lowering/reflect/reflect.h"

namespace trellis::spirv {

// Returns the scalars of the node's input in the order of its members, at most `max_scalars`. Names are those of
// OpMemberName, as "lights[2].color.x"; a member without one is "member" and its number. Empty where the entry point
// has no input, or none that can be laid out.
[[nodiscard]] std::vector<PayloadScalar> ReadInputScalars(const Module& module, std::string_view entry_point,
                                                          const Specialization& specialization,
                                                          ExecutionModel execution_model, size_t max_scalars);

}  // namespace trellis::spirv
