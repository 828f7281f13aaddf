// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes come from libraries.
#pragma once

#include <memory>
#include <string>

#include "tests/random/node_shaders.h"
#include "tests/random/random.h"

namespace trellis::test::soak {

// Every node comes from a library of one node, from a library that is a graph, or from the graph's own stages. The
// same libraries are linked twice, and are gone by the time this returns. Null with `error`.
[[nodiscard]] std::unique_ptr<Graph> LinkGraph(const Context& context, random_graphs::NodeShaders& shaders,
                                               const random_graphs::Topology& topology, random_graphs::Random& random,
                                               std::string& error);

}  // namespace trellis::test::soak
