// SPDX-License-Identifier: Apache-2.0
// Node indices of every kind: dynamic, differing within a workgroup, out of any range, wrapping around with the base.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using NodeIndices = ShapedGpuTest;

// Thread leaves "T": words[word of the record] += value * 1000 + ShaderIndexAMDX % 1000.
void AddTarget(NodeAsm& m, const Id& words, const Id& record) {
  m.BeginNode({.name = "T", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id value = m.Add(m.Mul(m.Get(m.NodeInput(), 0, 1), 1000), m.Mod(m.ShaderIndex(), 1000));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), value);
  m.EndNode();
}

// Asks for indices, one a record {word, index}: words[word] += 1 per valid index, and one record to "T" there in any
// case.
std::string AskingModule(Shape shape, const OutputOptions& options) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, options);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id word = m.Get(m.NodeInput(), 0, 0);
  const Id index = m.Get(m.NodeInput(), 0, 1);
  m.AddWord(words, m.Add(word, 100), m.Select(m.IsValid(to, index), 1, 2));
  const Records records = m.Allocate(to, Scope::kInvocation, 1, index);
  SetLeaf(m, records, 0, word, 1);
  m.Enqueue(records);
  m.EndNode();
  AddTarget(m, words, record);
  return m.Text();
}

// Sends to the indices `asked`; those in `present` have a node. Whatever `base` adds wraps at 2^32.
void ExpectResolved(Context& context, Shape shape, const OutputOptions& options, uint32_t base,
                    const std::vector<uint32_t>& present, const std::vector<uint32_t>& asked) {
  const std::string text = AskingModule(shape, options);
  GraphRun run(context);
  run.Node({.text = text, .entry = "Root"});
  for (const uint32_t index : present) run.Node({.text = text, .entry = "T", .index = index});
  std::vector<uint32_t> records, expected(200);
  for (uint32_t i = 0; i < asked.size(); ++i) {
    records.insert(records.end(), {i, asked[i]});
    const bool is_there = std::find(present.begin(), present.end(), base + asked[i]) != present.end();
    expected[100 + i] = is_there ? 1 : 2;
    expected[i] = is_there ? 1000 + (base + asked[i]) % 1000 : 0;
  }
  run.Input({.node = "Root", .count = static_cast<uint32_t>(asked.size()), .payloads = Bytes(records), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

const std::vector<uint32_t>& EdgeIndices() {
  static const std::vector<uint32_t> indices = {
      0, 1, 2, 3, 4, 5, 31, 32, 33, 1023, 1024, 0x7fffffff, 0x80000000, 0xfffffffc, 0xfffffffd, 0xfffffffe, 0xffffffff};
  return indices;
}

TEST_P(NodeIndices, UnboundedArrayWithHoles) {
  ExpectResolved(context(), shape(), {.sparse = true}, 0, {0, 2, 3, 32, 1024, 0x80000000, 0xfffffffe}, EdgeIndices());
}

TEST_P(NodeIndices, NeighbouringIndices) {
  ExpectResolved(context(), shape(), {.sparse = true}, 0, {1, 2, 3, 5}, EdgeIndices());
}

TEST_P(NodeIndices, NoNodeAtAll) { ExpectResolved(context(), shape(), {.sparse = true}, 0, {}, EdgeIndices()); }

// Operand and base add up modulo 2^32.
TEST_P(NodeIndices, BaseIndexWraps) {
  ExpectResolved(context(), shape(), {.base_index = Value(0xfffffffe), .sparse = true}, 0xfffffffe,
                 {0, 1, 2, 30, 0xfffffffd, 0xfffffffe}, EdgeIndices());
}

// PayloadNodeArraySizeAMDX does not decide who is there.
TEST_P(NodeIndices, ArraySizeIsAHint) {
  ExpectResolved(context(), shape(), {.array_size = 2, .sparse = true}, 0, {0, 1, 2, 5, 33}, EdgeIndices());
}

// Without PayloadNodeSparseArrayAMDX all nodes should be there; the answer is true to the graph all the same.
TEST_P(NodeIndices, AbsentWithoutSparse) { ExpectResolved(context(), shape(), {}, 0, {1, 2, 4, 1024}, EdgeIndices()); }

// Every invocation of a workgroup asks for another index, again and again in a loop.
TEST_P(NodeIndices, DivergentInALoop) {
  constexpr uint32_t kTargets = 5, kLanes = 32, kRounds = 6;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = kLanes * kRounds, .array_size = kTargets});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {3, 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  m.For(kRounds, [&](const Id& round) {
    const Id index = m.Mod(m.Mul(lane, m.Add(round, 1)), kTargets);
    const Records records = m.Allocate(to, Scope::kInvocation, 1, index);
    SetLeaf(m, records, 0, m.Add(m.Mul(round, kLanes), lane), 1);
    m.Enqueue(records);
  });
  m.EndNode();
  AddTarget(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 0; i < kTargets; ++i) run.Node({.text = m.Text(), .entry = "T", .index = i});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (uint32_t lane_number = 0; lane_number < kLanes; ++lane_number)
      expected.push_back(3 * (1000 + lane_number * (round + 1) % kTargets));
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Workgroup scope: one index for the workgroup, another in the next one; holes among them.
TEST_P(NodeIndices, DiffersBetweenWorkgroups) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = 8, .sparse = true});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {12, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 8, m.GroupId(0));
  SetLeaf(m, records, m.LocalIndex(), m.GlobalId(0), 2);
  m.Enqueue(records);
  m.EndNode();
  AddTarget(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (const uint32_t index : {1u, 2u, 5u, 11u}) run.Node({.text = m.Text(), .entry = "T", .index = index});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(96);
  for (const uint32_t index : {1u, 2u, 5u, 11u}) {
    for (uint32_t lane = 0; lane < 8; ++lane) expected[index * 8 + lane] = 2000 + index;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// OpIsNodePayloadValidAMDX needs no uniform control flow: only some invocations ask, each for its own index.
TEST_P(NodeIndices, ValidityInDivergentControlFlow) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.sparse = true});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {32, 1, 1}, .grid = {1, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  m.If(m.NotEqual(m.Mod(lane, 3), 0), [&] { m.AddWord(words, lane, m.Select(m.IsValid(to, lane), 1, 2)); });
  m.EndNode();
  AddTarget(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (const uint32_t index : {4u, 5u, 6u, 31u}) run.Node({.text = m.Text(), .entry = "T", .index = index});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(32);
  for (uint32_t i = 0; i < 32; ++i) expected[i] = i % 3 == 0 ? 0 : (i == 4 || i == 5 || i == 31 ? 1 : 2);
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(NodeIndices);

}  // namespace
}  // namespace trellis::test
