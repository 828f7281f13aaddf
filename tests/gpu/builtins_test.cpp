// SPDX-License-Identifier: Apache-2.0
// Built-ins as a node must see them: positions in its own record's grid, zero in coalescing nodes, the shader index
// after renaming.
#include <gtest/gtest.h>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using BuiltIns = ShapedGpuTest;

// Adds the weighted sum of all positions to words[slot of the record], once an invocation.
void AddPositions(NodeAsm& m, const Id& words, const Id& word) {
  Id sum = m.Add(m.GroupId(0), m.Mul(m.GroupId(1), 10));
  sum = m.Add(sum, m.Mul(m.GroupId(2), 100));
  sum = m.Add(sum, m.Mul(m.GlobalId(0), 1000));
  sum = m.Add(sum, m.Mul(m.GlobalId(1), 3000));
  sum = m.Add(sum, m.Mul(m.GlobalId(2), 7000));
  sum = m.Add(sum, m.Mul(m.LocalId(0), 13));
  sum = m.Add(sum, m.Mul(m.LocalId(1), 17));
  sum = m.Add(sum, m.Mul(m.LocalId(2), 19));
  sum = m.Add(sum, m.Mul(m.LocalIndex(), 23));
  m.AddWord(words, word, sum);
}

uint32_t SumOfPositions(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> local) {
  uint32_t sum = 0;
  for (uint32_t gz = 0; gz < grid[2]; ++gz) {
    for (uint32_t gy = 0; gy < grid[1]; ++gy) {
      for (uint32_t gx = 0; gx < grid[0]; ++gx) {
        for (uint32_t lz = 0; lz < local[2]; ++lz) {
          for (uint32_t ly = 0; ly < local[1]; ++ly) {
            for (uint32_t lx = 0; lx < local[0]; ++lx) {
              const uint32_t x = gx * local[0] + lx, y = gy * local[1] + ly, z = gz * local[2] + lz;
              sum += gx + gy * 10 + gz * 100 + x * 1000 + y * 3000 + z * 7000 + lx * 13 + ly * 17 + lz * 19 +
                     ((lz * local[1] + ly) * local[0] + lx) * 23;
            }
          }
        }
      }
    }
  }
  return sum;
}

TEST_P(BuiltIns, StaticGrid) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Child", record, {.max_payloads = 9});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 9);
  m.For(9, [&](const Id& i) { m.Set(records, i, 0, i); });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Child",
               .launch = Launch::kStaticGrid,
               .local_size = {3, 2, 2},
               .grid = {5, 3, 4},
               .shader_index = 0,
               .input = m.Input(record)});
  AddPositions(m, words, m.Get(m.NodeInput(), 0, 0));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Child"});
  run.Input({.node = "Root", .count = 1});
  run.Input({.node = "Child", .count = 3, .payloads = Bytes({100, 101, 100}), .stride = 4});
  ASSERT_TRUE(run.Execute());
  const uint32_t sum = SumOfPositions({5, 3, 4}, {3, 2, 2});
  std::vector<uint32_t> expected(102);
  for (uint32_t i = 0; i < 9; ++i) expected[i] = sum;
  expected[100] = 2 * sum;
  expected[101] = sum;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(BuiltIns, DynamicGrid) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4, true}});
  const Payload to = m.Output("Child", record, {.max_payloads = 8});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 8);
  m.For(8, [&](const Id& i) {
    m.Set(records, i, 0, i);
    m.Store(m.Field(records, m.Uint(), i, {1, 0}), m.Add(i, 1));
    m.Store(m.Field(records, m.Uint(), i, {1, 1}), m.Mod(i, 3));
    m.Store(m.Field(records, m.Uint(), i, {1, 2}), m.Add(m.Mod(i, 2), 1));
  });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode(
      {.name = "Child", .local_size = {2, 3, 2}, .grid = {16, 16, 16}, .shader_index = 0, .input = m.Input(record)});
  AddPositions(m, words, m.Get(m.NodeInput(), 0, 0));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Child"});
  run.Input({.node = "Root", .count = 1});
  run.Input({.node = "Child", .count = 2, .payloads = Bytes({100, 7, 1, 2, 101, 1, 9, 3}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(102);
  for (uint32_t i = 0; i < 8; ++i) expected[i] = SumOfPositions({i + 1, i % 3, i % 2 + 1}, {2, 3, 2});
  expected[100] = SumOfPositions({7, 1, 2}, {2, 3, 2});
  expected[101] = SumOfPositions({1, 9, 3}, {2, 3, 2});
  EXPECT_TRUE(run.Matches(expected));
}

// WorkgroupId is 0 in every workgroup of a coalescing node, and GlobalInvocationId is LocalInvocationId.
TEST_P(BuiltIns, Coalescing) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  m.BeginNode({.name = "Coalesce",
               .launch = Launch::kCoalescing,
               .local_size = {4, 2, 3},
               .shader_index = 0,
               .input = m.Input(record)});
  AddPositions(m, words, m.Constant(0));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Coalesce"});
  run.Input({.node = "Coalesce", .count = 70});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({70 * SumOfPositions({1, 1, 1}, {4, 2, 3})}));
}

TEST_P(BuiltIns, Thread) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  AddPositions(m, words, m.Get(m.NodeInput(), 0, 0));
  m.AddWord(words, 500, 1);
  m.AddWord(words, 501, m.RemainingRecursion());
  m.AddWord(words, 502, m.Length(m.NodeInput()));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Thread"});
  run.Input({.node = "Thread", .count = 70, .payloads = Bytes({0}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(503);
  expected[500] = expected[502] = 70;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(BuiltIns, ShaderIndex) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .shader_index = 5});
  m.AddWord(words, m.ShaderIndex(), 1);
  m.EndNode();
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Node"});
  run.Node({.text = m.Text(), .entry = "Node", .index = 9});
  run.Node({.text = m.Text(), .entry = "Node", .name = "Other"});
  run.Node({.text = m.Text(), .entry = "Node", .name = "Other", .index = 0});
  run.Input({.node = "Node", .index = 5, .count = 1});
  run.Input({.node = "Node", .index = 9, .count = 2});
  run.Input({.node = "Other", .index = 5, .count = 4});
  run.Input({.node = "Other", .index = 0, .count = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({8, 0, 0, 0, 0, 5, 0, 0, 0, 2}));
}

TRELLIS_BOTH_SHAPES(BuiltIns);

}  // namespace
}  // namespace trellis::test
