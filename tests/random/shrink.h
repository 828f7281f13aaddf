// SPDX-License-Identifier: Apache-2.0
// Makes a graph that fails smaller.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/random/program.h"

namespace trellis::test::random_graphs {

struct ShrinkResult {
  RandomGraph graph;
  uint32_t tries = 0;
};

// Takes away roots, records, nodes, indices, outputs, recursion, sharing and counts as long as `fails` says that the
// rest still fails, and it has been asked fewer than `max_tries` times. `fails` must be true for `graph`.
[[nodiscard]] ShrinkResult Shrink(const RandomGraph& graph, const std::function<bool(const RandomGraph&)>& fails,
                                  uint32_t max_tries);

}  // namespace trellis::test::random_graphs
