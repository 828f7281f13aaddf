// SPDX-License-Identifier: Apache-2.0
// How deep nodes recurse, and that every chain counts its own levels.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using RecursionDepth = ShapedGpuTest;

constexpr uint32_t kChainWords = 32;

// {chain, step}: words[chain * kChainWords + step] += RemainingRecursionLevelsAMDX + 1, then step + 1 to the node
// itself while OpIsNodePayloadValidAMDX allows.
void AddChainNode(NodeAsm& m, const std::string& name, const Id& words, const Id& record, Value depth) {
  const Payload self = m.Output(name, record);
  m.BeginNode(
      {.name = name, .launch = Launch::kCoalescing, .shader_index = 0, .recursion = depth, .input = m.Input(record)});
  const Id chain = m.Get(m.NodeInput(), 0, 0);
  const Id step = m.Get(m.NodeInput(), 0, 1);
  m.AddWord(words, m.Add(m.Mul(chain, kChainWords), step), m.Add(m.RemainingRecursion(), 1));
  m.If(m.IsValid(self, 0), [&] {
    const Records next = m.Allocate(self, Scope::kInvocation, 1);
    SetLeaf(m, next, 0, chain, m.Add(step, 1));
    m.Enqueue(next);
  });
  m.EndNode();
}

void ExpectChain(std::vector<uint32_t>& words, uint32_t chain, uint32_t depth) {
  for (uint32_t step = 0; step <= depth; ++step) words[chain * kChainWords + step] += depth - step + 1;
}

// As deep as every device must allow: the node itself and 31 more of it.
TEST_P(RecursionDepth, ThirtyOne) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  AddChainNode(m, "Deep", words, record, 31);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Deep"});
  run.Input({.node = "Deep", .count = 3, .payloads = Bytes({0, 0, 2, 0, 0, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(3 * kChainWords);
  for (const uint32_t chain : {0u, 2u, 0u}) ExpectChain(expected, chain, 31);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(RecursionDepth, Zero) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  AddChainNode(m, "Shallow", words, record, 0);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Shallow"});
  run.Input({.node = "Shallow", .count = 2, .payloads = Bytes({1, 0, 1, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kChainWords + 1);
  expected[kChainWords] = 2;
  EXPECT_TRUE(run.Matches(expected));
}

// One module, two nodes of different depth.
TEST_P(RecursionDepth, FromASpecialisationConstant) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  AddChainNode(m, "Special", words, record, m.SpecConstant(7, 2));
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Special"});
  run.Input({.node = "Special", .count = 1, .payloads = Bytes({0, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(2 * kChainWords);
  ExpectChain(expected, 0, 2);
  EXPECT_TRUE(run.Matches(expected));

  GraphRun specialized(context());
  specialized.Node({.text = m.Text(), .entry = "Special", .specialization = {Spec(7, 9)}});
  specialized.Input({.node = "Special", .count = 1, .payloads = Bytes({1, 0}), .stride = 8});
  ASSERT_TRUE(specialized.Execute());
  expected.assign(2 * kChainWords, 0);
  ExpectChain(expected, 1, 9);
  EXPECT_TRUE(specialized.Matches(expected));
}

// Chains that enter the node at five different levels, so that up to five different depths run in one level.
TEST_P(RecursionDepth, EveryChainCountsItsOwn) {
  constexpr uint32_t kEntries = 5, kDepth = 6;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  // "Path<i>" starts chain i and goes on to "Path<i + 1>".
  for (uint32_t i = 0; i < kEntries; ++i) {
    const Payload to_chain = m.Output("Chain", record);
    m.BeginNode({.name = "Path" + std::to_string(i), .launch = Launch::kCoalescing, .input = m.Input(record)});
    const Records chain = m.Allocate(to_chain, Scope::kInvocation, 1);
    SetLeaf(m, chain, 0, i, 0);
    m.Enqueue(chain);
    if (i + 1 < kEntries) {
      const Records next = m.Allocate(m.Output("Path" + std::to_string(i + 1), record), Scope::kInvocation, 1);
      SetLeaf(m, next, 0, 0, 0);
      m.Enqueue(next);
    }
    m.EndNode();
  }
  AddChainNode(m, "Chain", words, record, kDepth);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Path0", "Path1", "Path2", "Path3", "Path4", "Chain"});
  run.Input({.node = "Path0", .count = 4, .payloads = Bytes({0, 0}), .stride = 0});
  run.Input({.node = "Chain", .count = 1, .payloads = Bytes({kEntries, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t n = 0; n < 4; ++n) {
    for (uint32_t i = 0; i < kEntries; ++i) ExpectChain(expected, i, kDepth);
  }
  ExpectChain(expected, kEntries, kDepth);
  EXPECT_TRUE(run.Matches(expected));
}

// Two recursive nodes in a row: every activation of the first starts a chain of the second, which starts with all of
// its own levels.
TEST_P(RecursionDepth, TwoRecursiveNodesInARow) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload self = m.Output("First", record);
  const Payload to_second = m.Output("Second", record);
  m.BeginNode({.name = "First",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(3),
               .input = m.Input(record)});
  const Records second = m.Allocate(to_second, Scope::kInvocation, 1);
  SetLeaf(m, second, 0, m.RemainingRecursion(), 0);
  m.Enqueue(second);
  m.If(m.IsValid(self, 0), [&] {
    const Records next = m.Allocate(self, Scope::kInvocation, 1);
    SetLeaf(m, next, 0, 0, 0);
    m.Enqueue(next);
  });
  m.EndNode();
  AddChainNode(m, "Second", words, record, 5);
  GraphRun run(context());
  run.Nodes(m.Text(), {"First", "Second"});
  run.Input({.node = "First", .count = 2, .payloads = Bytes({0, 0}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(4 * kChainWords);
  for (uint32_t n = 0; n < 2; ++n) {
    for (uint32_t chain = 0; chain < 4; ++chain) ExpectChain(expected, chain, 5);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Nodes "Apart" of several indices: each enqueues its own index, which only the device knows, and counts on its own.
TEST_P(RecursionDepth, IndicesOfOneNameRecurseApart) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id depth = m.SpecConstant(1, 1);
  const Payload self = m.Output("Apart", record, {.array_size = 6, .sparse = true});
  m.BeginNode({.name = "Apart",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(depth),
               .input = m.Input(record)});
  const Id index = m.ShaderIndex();
  const Id step = m.Get(m.NodeInput(), 0, 1);
  m.AddWord(words, m.Add(m.Mul(index, kChainWords), step), m.Add(m.RemainingRecursion(), 1));
  m.If(m.IsValid(self, index), [&] {
    const Records next = m.Allocate(self, Scope::kInvocation, 1, index);
    SetLeaf(m, next, 0, 0, m.Add(step, 1));
    m.Enqueue(next);
  });
  m.EndNode();
  GraphRun run(context());
  const std::vector<std::pair<uint32_t, uint32_t>> nodes = {{0, 2}, {1, 7}, {5, 4}};  // index, depth
  std::vector<uint32_t> expected(6 * kChainWords);
  for (const auto& [node, levels] : nodes) {
    run.Node({.text = m.Text(), .entry = "Apart", .index = node, .specialization = {Spec(1, levels)}});
    run.Input({.node = "Apart", .index = node, .count = 2, .payloads = Bytes({0, 0}), .stride = 0});
    for (uint32_t n = 0; n < 2; ++n) ExpectChain(expected, node, levels);
  }
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// A chain of 32: a path of 24 nodes into a node that recurses seven times.
TEST_P(RecursionDepth, PathAndRecursionOfThirtyTwo) {
  constexpr uint32_t kPath = 24;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  GraphRun run(context());
  for (uint32_t i = 0; i < kPath; ++i) {
    const std::string target = i + 1 < kPath ? "Path" + std::to_string(i + 1) : "Chain";
    const Payload to = m.Output(target, record);
    m.BeginNode({.name = "Path" + std::to_string(i), .launch = Launch::kCoalescing, .input = m.Input(record)});
    m.AddWord(words, m.Add(i, 100), 1);
    const Records next = m.Allocate(to, Scope::kInvocation, 1);
    SetLeaf(m, next, 0, 1, 0);
    m.Enqueue(next);
    m.EndNode();
  }
  AddChainNode(m, "Chain", words, record, 7);
  for (uint32_t i = 0; i < kPath; ++i) run.Node({.text = m.Text(), .entry = "Path" + std::to_string(i)});
  run.Node({.text = m.Text(), .entry = "Chain"});
  run.Input({.node = "Path0", .count = 1, .payloads = Bytes({0, 0}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(100 + kPath);
  ExpectChain(expected, 1, 7);
  for (uint32_t i = 0; i < kPath; ++i) expected[100 + i] = 1;
  EXPECT_TRUE(run.Matches(expected));
}

// Records that a node sends to itself when no level is left vanish (docs/limitations.md).
TEST_P(RecursionDepth, AllocationsAtTheLastLevelAreSwallowed) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload self = m.Output("Node", record);
  m.BeginNode({.name = "Node",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = Value(2),
               .input = m.Input(record)});
  const Id step = m.Get(m.NodeInput(), 0, 1);
  m.AddWord(words, step, 1);
  const Records next = m.Allocate(self, Scope::kInvocation, 1);
  SetLeaf(m, next, 0, 0, m.Add(step, 1));
  m.Enqueue(next);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Node"});
  run.Input({.node = "Node", .count = 5, .payloads = Bytes({0, 0}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({5, 5, 5}));
}

// Broadcasting nodes recurse too: each of `width` workgroups sends one record on, so a level has `width` times the
// workgroups of the one before.
void ExpectBroadcastRecursion(Context& context, Shape shape, Launch launch) {
  constexpr uint32_t kWidth = 3, kDepth = 4;
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, launch == Launch::kDynamicGrid}});
  const Payload self = m.Output("Grid", record);
  m.BeginNode({.name = "Grid",
               .launch = launch,
               .local_size = {4, 1, 1},
               .grid = {kWidth, 1, 1},
               .shader_index = 0,
               .recursion = Value(kDepth),
               .input = m.Input(record)});
  m.AddWord(words, m.RemainingRecursion(), 1);
  const Id valid = m.IsValid(self, 0);
  const Records next = m.Allocate(self, Scope::kWorkgroup, m.Select(valid, 1, 0));
  m.If(m.Op("OpLogicalAnd", m.Bool(), valid, m.Equal(m.LocalIndex(), 0)), [&] { SetLeaf(m, next, 0, 0, kWidth); });
  m.Enqueue(next);
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Grid"});
  run.Input({.node = "Grid", .count = 1, .payloads = Bytes({0, kWidth}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kDepth + 1);
  uint32_t workgroups = 1;
  for (uint32_t level = 0; level <= kDepth; ++level) {
    workgroups *= kWidth;
    expected[kDepth - level] = 4 * workgroups;
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(RecursionDepth, StaticGrid) { ExpectBroadcastRecursion(context(), shape(), Launch::kStaticGrid); }

TEST_P(RecursionDepth, DynamicGrid) { ExpectBroadcastRecursion(context(), shape(), Launch::kDynamicGrid); }

TRELLIS_BOTH_SHAPES(RecursionDepth);

}  // namespace
}  // namespace trellis::test
