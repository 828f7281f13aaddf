// SPDX-License-Identifier: Apache-2.0
// Graphs of two nodes: a root to try things in, and a leaf that shows what arrived.
#pragma once

#include <string>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {

// "Root", static grid, over `body`, then a thread leaf "Leaf" at buffer 0.
struct Program {
  explicit Program(Shape shape) : m(shape), words(m.StorageBuffer(0)), record(LeafRecord(m)) {}

  void Begin(uint32_t local_size, uint32_t workgroups) {
    m.BeginNode({.name = "Root",
                 .launch = Launch::kStaticGrid,
                 .local_size = {local_size, 1, 1},
                 .grid = {workgroups, 1, 1},
                 .shader_index = 0});
  }
  std::string End() {
    m.EndNode();
    AddThreadLeaf(m, "Leaf", words, record);
    return m.Text();
  }

  NodeAsm m;
  Id words, record;
};

inline testing::AssertionResult RunProgram(GraphRun& run, const std::string& text, uint32_t count = 1) {
  run.Nodes(text, {"Root", "Leaf"});
  run.Input({.node = "Root", .count = count});
  return run.Execute();
}

}  // namespace trellis::test
