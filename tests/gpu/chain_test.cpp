// SPDX-License-Identifier: Apache-2.0
// Chains and other shapes of graphs: several levels, diamonds, long chains, many nodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Chain = ShapedGpuTest;

TEST_P(Chain, ThreadToBroadcastToCoalescing) {
  GraphRun run(context());
  run.Nodes(ChainModule(shape()), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 3});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(ChainResult(3)));
}

// The middle of a chain is an entry of its own too: everything may be launched by the API.
TEST_P(Chain, EveryNodeIsARoot) {
  GraphRun run(context());
  run.Nodes(ChainModule(shape()), {"Source", "Grid", "Sum"});
  run.Input({.node = "Source", .count = 1});
  run.Input({.node = "Grid", .count = 2, .payloads = Bytes({1, 700, 2, 750}), .stride = 8});
  run.Input({.node = "Sum",
             .count = 11,
             .payloads = Bytes({900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 900}),
             .stride = 4});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = ChainResult();
  expected.resize(1024);
  for (uint32_t i = 0; i < 4; ++i) expected[700 + i] += 1;
  for (uint32_t i = 0; i < 8; ++i) expected[750 + i] += 1;
  for (uint32_t i = 0; i < 10; ++i) expected[900 + i] += 1;
  expected[900] += 1;
  EXPECT_TRUE(run.Matches(expected));
}

// A -> B -> D and A -> D: D is reached at two depths.
TEST_P(Chain, Diamond) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload a_to_b = m.Output("B", record, {.max_payloads = 2});
  const Payload a_to_d = m.Output("D", record, {.max_payloads = 3});
  const Payload b_to_d = m.Output("D", record, {.max_payloads = 1});
  m.BeginNode({.name = "A", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  const Records to_b = m.Allocate(a_to_b, Scope::kInvocation, 2);
  const Records to_d = m.Allocate(a_to_d, Scope::kInvocation, 3);
  m.For(3, [&](const Id& i) { SetLeaf(m, to_d, i, m.Add(index, i), 1); });
  m.For(2, [&](const Id& i) { SetLeaf(m, to_b, i, m.Add(index, i), 100); });
  m.Enqueue(to_b);
  m.Enqueue(to_d);
  m.EndNode();
  m.BeginNode({.name = "B", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records from_b = m.Allocate(b_to_d, Scope::kInvocation, 1);
  const Id value = m.Get(m.NodeInput(), 0, 1);
  SetLeaf(m, from_b, 0, m.Get(m.NodeInput(), 0, 0), m.Mul(value, 10));
  m.Enqueue(from_b);
  m.EndNode();
  AddCoalescingLeaf(m, "D", words, record, 16);

  std::vector<uint32_t> records, expected(1024);
  for (uint32_t r = 0; r < 200; ++r) {
    records.insert(records.end(), {r * 4, 0});
    for (uint32_t i = 0; i < 3; ++i) expected[r * 4 + i] += 1;
    for (uint32_t i = 0; i < 2; ++i) expected[r * 4 + i] += 1000;
  }
  GraphRun run(context(), {.dispatches = 2});
  run.Nodes(m.Text(), {"A", "B", "D"});
  run.Input({.node = "A", .count = 200, .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  for (uint32_t& word : expected) word *= 2;
  EXPECT_TRUE(run.Matches(expected));
}

// 32 nodes one after the other, the least that the limit of depth has to allow.
TEST_P(Chain, ThirtyTwoNodesDeep) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  std::vector<Payload> outputs;
  for (uint32_t i = 1; i < 32; ++i) outputs.push_back(m.Output("N" + std::to_string(i), record));
  for (uint32_t i = 0; i < 32; ++i) {
    m.BeginNode(
        {.name = "N" + std::to_string(i), .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
    const Id index = m.Get(m.NodeInput(), 0, 0);
    const Id value = m.Get(m.NodeInput(), 0, 1);
    m.AddWord(words, m.Add(index, i), value);
    if (i + 1 < 32) {
      const Records next = m.Allocate(outputs[i], Scope::kInvocation, 1);
      SetLeaf(m, next, 0, index, m.Add(value, 1));
      m.Enqueue(next);
    }
    m.EndNode();
  }
  GraphRun run(context());
  for (uint32_t i = 0; i < 32; ++i) run.Node({.text = m.Text(), .entry = "N" + std::to_string(i)});
  run.Input({.node = "N0", .count = 2, .payloads = Bytes({0, 1, 100, 50}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t i = 0; i < 32; ++i) {
    expected[i] = 1 + i;
    expected[100 + i] = 50 + i;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// One module, 300 stages of one array with different specialisation; each gets its own records. The driver compiles
// four of them: the body depends on `weight` alone.
TEST_P(Chain, ThreeHundredNodes) {
  const uint32_t nodes = std::min(300u, context().enqueue_properties.maxExecutionGraphShaderOutputNodes);
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id number = m.SpecConstant(7, 0);
  const Id weight = m.SpecConstant(8, 0);
  const Payload to = m.Output("Many", record, {.max_payloads = 4, .array_size = Value(nodes)});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {4, 1, 1},
               .grid = {Value(nodes), 1, 1},
               .shader_index = 0});
  const Id target = m.GroupId(0);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 4, target);
  const Id lane = m.LocalIndex();
  SetLeaf(m, records, lane, m.Add(target, lane), 1);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Many", .launch = Launch::kCoalescing, .shader_index = number, .input = m.Input(record)});
  // Wrong unless record and node meet.
  const Id index = m.Get(m.NodeInput(), 0, 0);
  const Id self = m.ShaderIndex();
  const Id near = m.Less(m.Sub(index, self), 4);
  m.AddWord(words, m.Select(near, self, 1000), m.Mul(m.Get(m.NodeInput(), 0, 1), weight));
  m.EndNode();

  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 0; i < nodes; ++i)
    run.Node({.text = m.Text(), .entry = "Many", .specialization = {Spec(7, i), Spec(8, 1 + i % 4)}});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < nodes; ++i) expected.push_back(4 * (1 + i % 4));
  EXPECT_TRUE(run.Matches(expected));
  std::set<uint32_t> indices = {run.graph().NodeIndex("Root")};
  for (uint32_t i = 0; i < nodes; ++i) indices.insert(run.graph().NodeIndex("Many", i));
  EXPECT_EQ(indices.size(), nodes + 1);
  EXPECT_EQ(indices.count(~0u), 0u);
}

// A compute shader without the capability is a node too: a leaf with an implicit record.
TEST_P(Chain, PlainComputeShaderAsLeaf) {
  NodeAsm plain(shape(), false);
  const Id words = plain.StorageBuffer(0);
  plain.BeginNode({.name = "main", .local_size = {4, 1, 1}});
  plain.AddWord(words, plain.GlobalId(0), 1);
  plain.EndNode();
  NodeAsm m(shape());
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0}});
  const Payload to = m.Output("Plain", record, {.max_payloads = 3});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 3);
  m.For(3, [&](const Id& i) {
    const Id one = m.Constant(1);
    m.Store(m.Field(records, m.Uint(), i, {0, 0}), m.Add(i, 1));
    m.Store(m.Field(records, m.Uint(), i, {0, 1}), one);
    m.Store(m.Field(records, m.Uint(), i, {0, 2}), one);
  });
  m.Enqueue(records);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  run.Node({.text = plain.Text(), .entry = "main", .name = "Plain"});
  run.Input({.node = "Root", .count = 2});
  run.Input({.node = "Plain", .count = 1, .payloads = Bytes({5, 1, 1}), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(20);
  for (uint32_t grid = 1; grid <= 3; ++grid) {
    for (uint32_t i = 0; i < 4 * grid; ++i) expected[i] += 2;
  }
  for (uint32_t i = 0; i < 20; ++i) expected[i] += 1;
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Chain);

}  // namespace
}  // namespace trellis::test
