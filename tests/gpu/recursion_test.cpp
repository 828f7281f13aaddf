// SPDX-License-Identifier: Apache-2.0
// Nodes that enqueue themselves.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Recursion = ShapedGpuTest;

// "Recursive", thread, up to `depth` times: words[offset] += remaining + 1, then two records offset + 1 and offset + 2
// to itself while it may.
void AddRecursive(NodeAsm& m, const Id& words, const Id& record, uint32_t depth) {
  const Payload self = m.Output("Recursive", record, {.max_payloads = 2});
  m.BeginNode({.name = "Recursive",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(depth),
               .input = m.Input(record)});
  const Id offset = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, offset, m.Add(m.RemainingRecursion(), 1));
  m.If(m.IsValid(self, 0), [&] {
    const Records records = m.Allocate(self, Scope::kInvocation, 2);
    m.For(2, [&](const Id& i) { m.Set(records, i, 0, m.Add(m.Add(offset, i), 1)); });
    m.Enqueue(records);
  });
  m.EndNode();
}

// The same on the CPU.
void Recurse(std::vector<uint32_t>& words, uint32_t offset, uint32_t remaining) {
  words[offset] += remaining + 1;
  if (remaining == 0) return;
  Recurse(words, offset + 1, remaining - 1);
  Recurse(words, offset + 2, remaining - 1);
}

TEST_P(Recursion, SixLevels) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Recursive", record, {.max_payloads = 2});
  m.BeginNode({.name = "Entry", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  m.For(2, [&](const Id& i) { m.Set(records, i, 0, m.Add(i, 1)); });
  m.Enqueue(records);
  m.EndNode();
  AddRecursive(m, words, record, 6);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Recursive"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 7, 13, 17, 25, 34, 46, 59, 71, 76, 68, 47, 23, 7, 1}));
}

TEST_P(Recursion, LaunchedByTheApplication) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  AddRecursive(m, words, record, 4);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Recursive"});
  run.Input({.node = "Recursive", .count = 2, .payloads = Bytes({5, 100}), .stride = 4});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  Recurse(expected, 5, 4);
  Recurse(expected, 100, 4);
  EXPECT_TRUE(run.Matches(expected));
}

// Entry sends to the recursive node directly and through another node: two chains of different depth are in flight at
// once.
TEST_P(Recursion, ReachedAtTwoDepths) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to_recursive = m.Output("Recursive", record);
  const Payload to_middle = m.Output("Middle", record);
  m.BeginNode({.name = "Entry", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records direct = m.Allocate(to_recursive, Scope::kInvocation, 1);
  m.Set(direct, 0, 0, 10);
  m.Enqueue(direct);
  const Records detour = m.Allocate(to_middle, Scope::kInvocation, 1);
  m.Set(detour, 0, 0, 200);
  m.Enqueue(detour);
  m.EndNode();
  m.BeginNode({.name = "Middle", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records on = m.Allocate(to_recursive, Scope::kInvocation, 1);
  m.Set(on, 0, 0, m.Get(m.NodeInput(), 0, 0));
  m.Enqueue(on);
  m.EndNode();
  AddRecursive(m, words, record, 3);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Middle", "Recursive"});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  Recurse(expected, 10, 3);
  Recurse(expected, 200, 3);
  EXPECT_TRUE(run.Matches(expected));
}

// Every activation also sends a record to a leaf.
TEST_P(Recursion, WithANodeBehindIt) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Id leaf_record = LeafRecord(m);
  const Payload self = m.Output("Recursive", record);
  const Payload to_leaf = m.Output("Leaf", leaf_record);
  m.BeginNode({.name = "Recursive",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(5),
               .input = m.Input(record)});
  const Id offset = m.Get(m.NodeInput(), 0, 0);
  const Records leaf = m.Allocate(to_leaf, Scope::kInvocation, 1);
  SetLeaf(m, leaf, 0, offset, m.RemainingRecursion());
  m.Enqueue(leaf);
  m.If(m.NotEqual(m.RemainingRecursion(), 0), [&] {
    const Records next = m.Allocate(self, Scope::kInvocation, 1);
    m.Set(next, 0, 0, m.Add(offset, 1));
    m.Enqueue(next);
  });
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf_record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Recursive", "Leaf"});
  run.Input({.node = "Recursive", .count = 100, .payloads = Bytes({50}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t level = 0; level <= 5; ++level) expected[50 + level] = 100 * (5 - level);
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Recursion);

}  // namespace
}  // namespace trellis::test
