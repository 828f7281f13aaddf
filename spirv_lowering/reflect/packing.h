// Packing: workgroups of one invocation and one record each, many of which run as one workgroup.
#pragma once

#include <optional>
#include <string>

#include "spirv_lowering/ir/module.h"
#include "spirv_lowering/ir/types.h"

namespace trellis::spirv {

// Why the invocations of a node whose workgroups have one invocation each cannot share a workgroup; nothing if they can
// because no instruction could tell. What is not known to be harmless is an obstacle. `module` is that of the node
// alone (reflect/node_module.h), `types` of it.
[[nodiscard]] std::optional<std::string> FindPackingObstacle(const Module& module, const Types& types);

}  // namespace trellis::spirv
