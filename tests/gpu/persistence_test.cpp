// SPDX-License-Identifier: Apache-2.0
// Nothing persists from one graph dispatch to the next (scratch holds no state of the application), and several
// allocations live side by side.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Persistence = ShapedGpuTest;

// "Many" sends 100 records to "Leaf" at once, of which only every second workgroup's are enqueued: the others go
// through the heap and are dropped. "Few" sends one.
std::string ManyAndFewModule(Shape shape) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload many = m.Output("Leaf", record, {.max_payloads = 100});
  const Payload few = m.Output("Leaf", record);
  m.BeginNode(
      {.name = "Many", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {6, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(many, Scope::kWorkgroup, 100);
  m.If(m.Equal(m.LocalIndex(), 0), [&] { m.For(100, [&](const Id& i) { SetLeaf(m, records, i, i, 1); }); });
  m.If(m.Equal(m.And(m.GroupId(0), 1), 0), [&] { m.Enqueue(records); });
  m.EndNode();
  m.BeginNode({.name = "Few", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records one = m.Allocate(few, Scope::kInvocation, 1);
  SetLeaf(m, one, 0, 200, 1);
  m.Enqueue(one);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  return m.Text();
}

void Add(std::vector<uint32_t>& expected, uint32_t many, uint32_t few) {
  for (uint32_t i = 0; i < 100; ++i) expected[i] += 3 * many;
  expected[200] += few;
}

// Dispatches of different inputs, one with none, on one scratch: each launches what it is told and nothing of before.
TEST_P(Persistence, DispatchesAreIndependent) {
  GraphRun run(context());
  run.Nodes(ManyAndFewModule(shape()), {"Many", "Few", "Leaf"});
  ASSERT_TRUE(run.Prepare());
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  std::vector<uint32_t> expected(201);
  // RecordGraph dispatches what is there so far: nothing, then {Many}, then {Many, Few}, then {Many, Few, Few}.
  run.RecordGraph(command_buffer);
  run.Input({.node = "Many", .count = 2});
  run.DispatchGraph(command_buffer);
  Add(expected, 2, 0);
  run.Input({.node = "Few", .count = 5});
  run.DispatchGraph(command_buffer);
  Add(expected, 2, 5);
  run.Input({.node = "Few", .count = 0});
  run.DispatchGraph(command_buffer);
  Add(expected, 2, 5);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  for (uint32_t& word : expected) word *= 3;
  EXPECT_TRUE(run.Matches(expected));
  EXPECT_TRUE(run.GuardsIntact());
}

// A larger dispatch first, a smaller one behind it: counters of the first are gone.
TEST_P(Persistence, SmallAfterLarge) {
  GraphRun run(context());
  run.Nodes(ManyAndFewModule(shape()), {"Many", "Few", "Leaf"});
  run.Input({.node = "Few", .count = 1});
  ASSERT_TRUE(run.Prepare());
  GraphRun large(context());
  large.Nodes(ManyAndFewModule(shape()), {"Many", "Few", "Leaf"});
  large.Input({.node = "Many", .count = 20});
  ASSERT_TRUE(large.Prepare());
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  large.RecordGraph(command_buffer);
  run.RecordGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  std::vector<uint32_t> expected(201);
  Add(expected, 20, 0);
  EXPECT_TRUE(large.Matches(expected));
  expected.assign(201, 0);
  Add(expected, 0, 1);
  EXPECT_TRUE(run.Matches(expected));
}

// Four arrays of one type alive at once, of both scopes, written in turns, enqueued in another order, one never.
TEST_P(Persistence, SeveralAllocationsOfOneType) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {7, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  std::vector<Records> arrays;
  for (int a = 0; a < 4; ++a) {
    arrays.push_back(a % 2 == 0 ? m.Allocate(to, Scope::kWorkgroup, 8) : m.Allocate(to, Scope::kInvocation, 2));
  }
  for (int a = 3; a >= 0; --a) {
    const Id value = m.Add(lane, 10 * (a + 1));
    if (a % 2 == 0) {
      SetLeaf(m, arrays[a], lane, m.Add(lane, 100 * a), value);
    } else {
      for (int i = 0; i < 2; ++i) SetLeaf(m, arrays[a], i, m.Add(lane, 100 * a + 10 * i), value);
    }
  }
  for (const int a : {1, 3, 0}) m.Enqueue(arrays[a]);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(318);
  for (uint32_t i = 0; i < 8; ++i) {
    expected[i] = 7 * (i + 10);
    for (const uint32_t a : {1u, 3u}) expected[100 * a + i] = expected[100 * a + 10 + i] = 7 * (i + 10 * (a + 1));
  }
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Persistence);

}  // namespace
}  // namespace trellis::test
