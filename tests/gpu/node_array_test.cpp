// SPDX-License-Identifier: Apache-2.0
// Node arrays: empty outputs, base indices, holes, indices that differ between invocations, validity.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using EmptyNodes = ShapedGpuTest;
using NodeArrays = ShapedGpuTest;

TEST_P(EmptyNodes, CountsReachEveryKindOfTarget) {
  struct Target {
    const char* name;
    uint32_t index;
    uint32_t count;
    bool thread;
  };
  const std::vector<Target> targets = {{"A", 0, 5, true},  {"B", 0, 5, false}, {"C", 0, 4, true}, {"C", 1, 6, true},
                                       {"D", 0, 4, false}, {"D", 1, 6, false}, {"E", 1, 3, true}, {"E", 3, 2, true},
                                       {"F", 1, 3, false}, {"F", 3, 2, false}, {"G", 7, 9, true}, {"G", 8, 7, true},
                                       {"H", 7, 9, false}, {"H", 8, 7, false}};
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  std::map<std::string, Payload> outputs;
  for (const char* name : {"A", "B"}) outputs[name] = m.Output(name, record, {.max_payloads = 16});
  for (const char* name : {"C", "D"}) outputs[name] = m.Output(name, record, {.max_payloads = 16, .array_size = 2});
  for (const char* name : {"E", "F"})
    outputs[name] = m.Output(name, record, {.max_payloads = 16, .array_size = 4, .sparse = true});
  for (const char* name : {"G", "H"}) outputs[name] = m.Output(name, record, {.max_payloads = 16, .sparse = true});
  m.BeginNode({.name = "Entry", .launch = Launch::kCoalescing, .shader_index = 0});
  for (const Target& target : targets)
    m.Increment(outputs[target.name], Scope::kInvocation, target.count, target.index);
  m.EndNode();
  for (uint32_t i = 0; i < targets.size(); ++i) {
    const uint32_t size = targets[i].thread ? 1 : 4;
    m.BeginNode({.name = "n" + std::to_string(i),
                 .launch = Launch::kCoalescing,
                 .local_size = {size, 1, 1},
                 .shader_index = targets[i].index,
                 .input = m.Input(record)});
    const Id lane = m.LocalIndex();
    m.If(m.Less(lane, m.Length(m.NodeInput())), [&] { m.AddWord(words, i, 1); });
    m.EndNode();
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry"});
  for (uint32_t i = 0; i < targets.size(); ++i)
    run.Node({.text = m.Text(), .entry = "n" + std::to_string(i), .name = targets[i].name});
  run.Input({.node = "Entry", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({5, 5, 4, 6, 4, 6, 3, 2, 3, 2, 9, 7, 9, 7}));
}

// Workgroup scope, counts that differ between workgroups, zero among them.
TEST_P(EmptyNodes, WorkgroupScope) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 16});
  m.BeginNode(
      {.name = "Entry", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {10, 1, 1}, .shader_index = 0});
  m.Increment(to, Scope::kWorkgroup, m.GroupId(0));
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, 0, 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Entry", "Leaf"});
  run.Input({.node = "Entry", .count = 3});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({3 * 45}));
}

TRELLIS_BOTH_SHAPES(EmptyNodes);

// Leaves T[index], each counting in the word of its index; ShaderIndexAMDX says which it is.
void AddIndexedLeaf(NodeAsm& m, const Id& words, const Id& record) {
  m.BeginNode({.name = "T", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.ShaderIndex(), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
}

// The node index of an Invocation-scope allocation differs between the invocations of a workgroup, as do the counts.
TEST_P(NodeArrays, IndexDiffersPerInvocation) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = 256, .array_size = 7});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {32, 1, 1}, .grid = {9, 1, 1}, .shader_index = 0});
  const Id lane = m.GlobalId(0);
  const Id count = m.Mod(lane, 4);
  const Records records = m.Allocate(to, Scope::kInvocation, count, m.Mod(m.Mul(lane, 5), 7));
  m.For(count, [&](const Id& i) { SetLeaf(m, records, i, 0, m.Add(i, 1)); });
  m.Enqueue(records);
  m.EndNode();
  AddIndexedLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 0; i < 7; ++i) run.Node({.text = m.Text(), .entry = "T", .index = i});
  run.Input({.node = "Root", .count = 2});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(7);
  for (uint32_t lane = 0; lane < 32 * 9; ++lane) {
    for (uint32_t i = 0; i < lane % 4; ++i) expected[lane * 5 % 7] += 2 * (i + 1);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Each of a row of nodes sends to any later one of its own name, which array sizes tell from the earlier ones.
TEST_P(NodeArrays, ARowSendsToLaterNodesOfItsName) {
  constexpr uint32_t kNodes = 8;
  GraphRun run(context());
  for (uint32_t index = 0; index < kNodes; ++index) {
    const uint32_t later = kNodes - 1 - index;
    NodeAsm m(shape());
    const Id words = m.StorageBuffer(0);
    const Id record = LeafRecord(m);
    Payload to;
    if (later != 0) to = m.Output("Row", record, {.max_payloads = 8, .base_index = index + 1, .array_size = later});
    m.BeginNode({.name = "Node", .launch = Launch::kCoalescing, .shader_index = index, .input = m.Input(record)});
    const Id value = m.Get(m.NodeInput(), 0, 1);
    m.AddWord(words, index, value);
    if (later != 0) {
      const Records records = m.Allocate(to, Scope::kWorkgroup, 1, m.Mod(value, later));
      SetLeaf(m, records, 0, 0, m.Add(m.Mul(value, 3), 1));
      m.Enqueue(records);
    }
    m.EndNode();
    run.Node({.text = m.Text(), .entry = "Node", .name = "Row", .index = index});
  }
  std::vector<uint32_t> expected(kNodes);
  std::vector<uint32_t> payload;
  for (uint32_t i = 0; i < 100; ++i) {
    payload.insert(payload.end(), {0, i});
    for (uint32_t index = 0, value = i; index < kNodes; value = value * 3 + 1) {
      expected[index] += value;
      const uint32_t later = kNodes - 1 - index;
      if (later == 0) break;
      index += 1 + value % later;
    }
  }
  run.Input({.node = "Row", .count = 100, .payloads = Bytes(payload), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// Indices 2, 3, 60000 exist; what goes to holes, below, between and beyond them is swallowed.
TEST_P(NodeArrays, HolesSwallowPayloads) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = 16, .sparse = true});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 2, m.Get(m.NodeInput(), 0, 0));
  m.For(2, [&](const Id& i) { SetLeaf(m, records, i, 0, m.Get(m.NodeInput(), 0, 1)); });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "T", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Mod(m.ShaderIndex(), 1000), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (const uint32_t index : {60000u, 2u, 3u}) run.Node({.text = m.Text(), .entry = "T", .index = index});
  run.Input({.node = "Root",
             .count = 10,
             .payloads = Bytes(
                 {2, 1, 0, 10, 3, 100, 4, 7, 59999, 9, 60000, 1000, 60001, 5, 0xffffffff, 5, 0x80000000, 5, 2, 10000}),
             .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({2000, 0, 20002, 200}));
}

// Nodes of one name have grids of their own.
TEST_P(NodeArrays, GridsOfOneName) {
  constexpr uint32_t kNodes = 3;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = kNodes, .array_size = kNodes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kNodes, 1, 1},
               .grid = {1, 1, 1},
               .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1, m.LocalIndex());
  SetLeaf(m, records, 0, m.Mul(m.LocalIndex(), 20), m.Add(m.LocalIndex(), 1));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "T",
               .launch = Launch::kStaticGrid,
               .grid = {m.SpecConstant(1, 1), 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), m.GroupId(0)), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  const std::vector<uint32_t> widths = {5, 1, 12};
  std::vector<uint32_t> expected(20 * kNodes);
  for (uint32_t i = 0; i < kNodes; ++i) {
    run.Node({.text = m.Text(), .entry = "T", .index = i, .specialization = {Spec(1, widths[i])}});
    for (uint32_t x = 0; x < widths[i]; ++x) expected[20 * i + x] = i + 1;
  }
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// A base index in the decoration is added to the operand.
TEST_P(NodeArrays, BaseIndex) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = 16, .base_index = 3, .array_size = 4});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1, m.Get(m.NodeInput(), 0, 0));
  SetLeaf(m, records, 0, 0, m.Get(m.NodeInput(), 0, 1));
  m.Enqueue(records);
  m.EndNode();
  AddIndexedLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 3; i < 7; ++i) run.Node({.text = m.Text(), .entry = "T", .index = i});
  run.Input({.node = "Root", .count = 4, .payloads = Bytes({0, 1, 1, 10, 3, 100, 2, 1000}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 1, 10, 1000, 100}));
}

TEST_P(NodeArrays, IsValidTellsHoles) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = 16, .base_index = 1, .sparse = true});
  // The index differs between the invocations.
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {16, 1, 1}, .grid = {1, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Id valid = m.IsValid(to, lane);
  m.AddWord(words, m.Add(lane, 100), m.Select(valid, 1, 2));
  const Records records = m.Allocate(to, Scope::kInvocation, m.Select(valid, 1, 0), lane);
  m.If(valid, [&] { SetLeaf(m, records, 0, 0, 1); });
  m.Enqueue(records);
  m.EndNode();
  AddIndexedLeaf(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (const uint32_t index : {1u, 4u, 9u, 16u}) run.Node({.text = m.Text(), .entry = "T", .index = index});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t i = 0; i < 16; ++i) expected[100 + i] = 2;
  for (const uint32_t index : {1u, 4u, 9u, 16u}) {
    expected[100 + index - 1] = 1;
    expected[index] = 1;
  }
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(NodeArrays);

}  // namespace
}  // namespace trellis::test
