// SPDX-License-Identifier: Apache-2.0
// The nodes of ChainModule as stages.
#pragma once

#include <vector>

#include "tests/support/basic_modules.h"
#include "tests/support/graph.h"

namespace trellis::test {

inline std::vector<GraphNode> ChainNodes() {
  std::vector<GraphNode> nodes;
  for (const char* entry : {"Source", "Grid", "Sum"})
    nodes.push_back({.text = ChainModule(Shape::kDxc), .entry = entry});
  return nodes;
}

}  // namespace trellis::test
