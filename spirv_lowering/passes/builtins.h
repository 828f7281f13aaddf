// SPDX-License-Identifier: Apache-2.0
// Built-ins that a node must see as the graph defines them, not as the dispatch that carries it out has them.
#pragma once

#include <vector>

#include "spirv_lowering/passes/pass_context.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// An Input variable of the node that has become a Private one; the entry point has to fill it before it calls the node.
struct ReplacedBuiltIn {
  spv::BuiltIn built_in;
  Id variable;
  Id value_type;  // the variable's pointee
};

// Replaces the built-ins that are of the graph (ir/built_ins.h), for a packed node all places, and LocalInvocationId
// where the driver's may be wrong (NodeInfo::DistrustsLocalId). Runs before anything is imported, so that the runtime's
// own built-ins do not merge with the node's.
[[nodiscard]] Expected<std::vector<ReplacedBuiltIn>> ReplaceBuiltIns(Module& module, Types& types,
                                                                     const NodeInfo& info);

}  // namespace trellis::spirv
