// SPDX-License-Identifier: Apache-2.0
// Operands of modes, decorations and allocations that are specialised, and names that the application overrides.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using SpecOperands = ShapedGpuTest;

// A node that enqueues itself as long as it may, once a level: words[remaining levels] += 1.
std::string CountdownModule(Shape shape, const std::string& own_name) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Id levels = m.Type("OpSpecConstantOp " + m.Uint() + " IAdd " + m.SpecConstant(6, 1) + " " + m.Constant(1));
  const Payload self = m.Output("", record, {.name = m.SpecString(7, own_name)});
  m.BeginNode({.name = "main",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(levels),
               .input = m.Input(record)});
  m.AddWord(words, m.RemainingRecursion(), m.Get(m.NodeInput(), 0, 0));
  m.If(m.IsValid(self, 0), [&] {
    const Records records = m.Allocate(self, Scope::kInvocation, 1);
    m.Set(records, 0, 0, m.Add(m.Get(m.NodeInput(), 0, 0), 1));
    m.Enqueue(records);
  });
  m.EndNode();
  return m.Text();
}

std::vector<uint32_t> Countdown(uint32_t levels, uint32_t count) {
  std::vector<uint32_t> expected(levels + 1);
  for (uint32_t left = 0; left <= levels; ++left) expected[left] = count * (10 + levels - left);
  return expected;
}

TEST_P(SpecOperands, RecursionLevels) {
  for (const uint32_t base : {0u, 4u}) {
    GraphRun run(context());
    run.Node({.text = CountdownModule(shape(), "main"), .entry = "main", .specialization = {Spec(6, base)}});
    run.Input({.node = "main", .count = 3, .payloads = Bytes({10})});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(Countdown(base + 1, 3)));
  }
}

// Which node is the node itself: the name that the application gave it, found by the specialised name of its output.
TEST_P(SpecOperands, RecursionUnderAGivenName) {
  GraphRun run(context());
  run.Node({.text = CountdownModule(shape(), "main"),
            .entry = "main",
            .name = "renamed",
            .specialization = {Spec(7, "renamed")}});
  run.Input({.node = "renamed", .count = 2, .payloads = Bytes({10})});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Countdown(2, 2)));
}

// The name ends where the data ends, or at a nul before that; the node called "" is reached by no data at all.
TEST_P(SpecOperands, NamesOfAnyLength) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("", record, {.name = m.SpecString(8, "Nobody")});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, m.Get(m.NodeInput(), 0, 0), 1);
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  const std::vector<Specialization> targets = {{8, {'a', 'b'}}, {8, {'a', 0, 'b'}}, {8, {}}, {8, {0, 'a', 'b'}}};
  GraphRun run(context());
  for (const char* name : {"ab", "a", "", "Nobody"}) run.Node({.text = m.Text(), .entry = "Leaf", .name = name});
  for (uint32_t i = 0; i < 5; ++i) {
    const std::string name = "root" + std::to_string(i);
    GraphNode root = {.text = m.Text(), .entry = "Root", .name = name};
    if (i < targets.size()) root.specialization = {targets[i]};
    run.Node(root);
    run.Input({.node = name, .count = i + 1, .payloads = Bytes({i, 0})});
  }
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({1, 2, 3, 4, 5}));
}

// One array for the workgroup, or one for each invocation.
TEST_P(SpecOperands, ScopeOfAnAllocation) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 16});
  const Id scope = m.SpecConstant(1, 4);
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {3, 1, 1}, .shader_index = 0});
  const Id pointer = m.Pointer("NodePayloadAMDX", to.array);
  const Records records = {m.Op("OpAllocateNodePayloadsAMDX", pointer, scope, 2, 0), "NodePayloadAMDX"};
  const Id lane = m.LocalIndex();
  // With one array for all, eight invocations write the same.
  m.For(2, [&](const Id& i) { SetLeaf(m, records, i, i, 1); });
  m.AddWord(words, m.Add(lane, 8), m.Length(records));
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  for (const bool workgroup : {false, true}) {
    GraphRun run(context());
    run.Node({.text = m.Text(), .entry = "Root", .specialization = {Spec(1, workgroup ? 2 : 4)}});
    run.Nodes(m.Text(), {"Leaf"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    const uint32_t arrays = workgroup ? 3 : 24;
    EXPECT_TRUE(run.Matches({arrays, arrays, 0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6})) << workgroup;
  }
}

TEST_P(SpecOperands, ApiEntry) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id closed = m.Type("OpSpecConstantFalse " + m.Bool());
  m.Decorate("OpDecorate " + closed + " SpecId 9");
  const Id open = m.Type("OpSpecConstantOp " + m.Bool() + " LogicalNot " + closed);
  m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .shader_index = 0});
  m.Mode("OpExecutionModeId " + m.CurrentFunction() + " IsApiEntryAMDX " + open);
  m.AddWord(words, 0, 1);
  m.EndNode();
  context().messages.Expect("TRELLIS-graph-dispatch-input");
  for (const uint32_t is_closed : {0u, 1u}) {
    GraphRun run(context(), {.command = DispatchCommand::kHost});
    run.Node({.text = m.Text(), .entry = "Node", .specialization = {Spec(9, is_closed)}});
    run.Input({.node = "Node", .count = 2});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches({2}));
    // What may not be dispatched is complained about.
    EXPECT_EQ(context().messages.Find("TRELLIS-graph-dispatch-input").size(), is_closed);
  }
}

TRELLIS_BOTH_SHAPES(SpecOperands);

}  // namespace
}  // namespace trellis::test
