// Nodes -> graph: resolves every output to the slots it can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "layer/graph/graph.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// `max_depth` is maxExecutionGraphDepth. Refuses, naming the nodes: duplicates (VUID 09134), disagreement within a name
// on static grids (09138) or coalescing (09137), cycles other than direct self recursion, self recursion without
// MaxNodeRecursionAMDX, chains deeper than `max_depth`, and SharesInputWithAMDX, which is not implemented.
//
// Targets without a node are legal here: what is sent to them is swallowed. Payload sizes need not agree; a record has
// room for the larger.
[[nodiscard]] Expected<Graph> LinkGraph(std::vector<NodeSource> sources, uint32_t max_depth);

}  // namespace trellis
