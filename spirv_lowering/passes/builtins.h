// Built-ins that a node must see as the graph defines them, not as the dispatch that carries it out has them.
#pragma once

#include <vector>

#include "spirv_lowering/passes/lowering.h"
#include "spirv_lowering/support/expected.h"

namespace trellis::spirv {

// An Input variable of the node that has become a Private one; the entry point has to fill it before it calls the node.
struct ReplacedBuiltIn {
  spv::BuiltIn built_in;
  Id variable;
  Id value_type;  // the variable's pointee
};

// Replaces WorkgroupId, GlobalInvocationId, ShaderIndexAMDX and RemainingRecursionLevelsAMDX. Runs before anything is
// imported, so that the runtime's own built-ins do not merge with the node's.
[[nodiscard]] Expected<std::vector<ReplacedBuiltIn>> ReplaceBuiltIns(Module& module, Types& types);

}  // namespace trellis::spirv
