// SPDX-License-Identifier: Apache-2.0
// Nodes -> graph: resolves every output to the slots it can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "layer/graph/graph.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

// Whether more nodes may join later.
enum class LinkScope : uint8_t { kGraph, kLibrary };

// `max_depth` is maxExecutionGraphDepth. Refuses, naming the nodes: duplicates (VUID 09134), disagreement within a name
// on static grids (09138) or coalescing (09137), sharing the input of a node that shares itself, more than 256 nodes on
// one input, cycles other than direct self recursion (through shared inputs too), self recursion without
// MaxNodeRecursionAMDX, and chains deeper than `max_depth`.
//
// Targets without a node are legal here: what is sent to them is swallowed, and sharing an input with them changes
// nothing. Payload sizes need not agree; a record has room for the larger. What is refused in a library is refused in
// every graph that has it.
[[nodiscard]] Expected<Graph> LinkGraph(std::vector<NodeSource> sources, uint32_t max_depth,
                                        LinkScope scope = LinkScope::kGraph);

}  // namespace trellis
