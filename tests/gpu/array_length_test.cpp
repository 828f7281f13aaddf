// SPDX-License-Identifier: Apache-2.0
// OpNodePayloadArrayLengthAMDX wherever it may be asked, and workgroups of coalescing nodes that are not full.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using ArrayLength = ShapedGpuTest;
using HandleLength = GpuTest;

// "Root", thread, sends `count` records {0, 2} to "Target"; a dynamic grid reads the 2.
void AddSource(NodeAsm& m, const Id& record, uint32_t count) {
  const Payload to = m.Output("Target", record, {.max_payloads = count});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, count);
  m.For(count, [&](const Id& i) { SetLeaf(m, records, i, 0, 2); });
  m.Enqueue(records);
  m.EndNode();
}

// The input of a node that does not coalesce has length 1: launched by a node and by the application.
void ExpectLengthOne(Context& context, Shape shape, NodeOptions target, uint32_t workgroups) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, target.launch == Launch::kDynamicGrid}});
  AddSource(m, record, 7);
  target.input = m.Input(record);
  m.BeginNode(target);
  m.AddWord(words, m.Length(m.NodeInput()), 1);
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Target"});
  run.Input({.node = "Root", .count = 1});
  run.Input({.node = "Target", .count = 3, .payloads = Bytes({0, 2}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 10 * workgroups}));
}

TEST_P(ArrayLength, OfAStaticGridsInput) {
  ExpectLengthOne(context(), shape(), {.name = "Target", .launch = Launch::kStaticGrid, .grid = {3, 2, 1}}, 6);
}

TEST_P(ArrayLength, OfADynamicGridsInput) {
  ExpectLengthOne(context(), shape(), {.name = "Target", .launch = Launch::kDynamicGrid, .grid = {4, 1, 1}}, 2);
}

TEST_P(ArrayLength, OfAThreadsInput) {
  ExpectLengthOne(context(), shape(), {.name = "Target", .launch = Launch::kCoalescing}, 1);
}

// Records of a node and of the application, in numbers that leave the last workgroup with few. Every invocation of each
// workgroup runs, sees the same length, and each record is read once.
TEST_P(ArrayLength, PartialWorkgroups) {
  constexpr uint32_t kMax = 6;
  for (const uint32_t count : {1u, 5u, 6u, 7u, 29u}) {
    NodeAsm m(shape());
    const Id words = m.StorageBuffer(0);
    const Id record = LeafRecord(m);
    AddSource(m, record, count);
    m.BeginNode({.name = "Target",
                 .launch = Launch::kCoalescing,
                 .local_size = {2, 4, 2},
                 .shader_index = 0,
                 .input = m.Input(record, kMax)});
    const Id lane = m.LocalIndex();
    const Id length = m.Length(m.NodeInput());
    m.AddWord(words, m.Add(lane, 100), length);
    m.AddWord(words, m.Add(lane, 200), 1);
    m.AddWord(words, 300, m.Add(m.GroupId(0), m.Add(m.GroupId(1), m.GroupId(2))));
    m.If(m.Op("OpLogicalOr", m.Bool(), m.Equal(length, 0), m.Less(kMax, length)), [&] { m.AddWord(words, 301, 1); });
    m.If(m.Less(lane, length), [&] { m.AddWord(words, 0, m.Get(m.NodeInput(), lane, 1)); });
    m.EndNode();
    GraphRun run(context());
    run.Nodes(m.Text(), {"Root", "Target"});
    run.Input({.node = "Root", .count = 1});
    run.Input({.node = "Target", .count = count, .payloads = Bytes({0, 3}), .stride = 0});
    ASSERT_TRUE(run.Execute()) << count;
    // How many workgroups there are is the implementation's choice: between all full and one a record.
    const uint32_t workgroups = run.Words()[200];
    EXPECT_GE(workgroups, (2 * count + kMax - 1) / kMax) << count;
    EXPECT_LE(workgroups, 2 * count) << count;
    std::vector<uint32_t> expected(302);
    expected[0] = (2 + 3) * count;
    for (uint32_t i = 0; i < 16; ++i) expected[100 + i] = 2 * count;
    for (uint32_t i = 0; i < 16; ++i) expected[200 + i] = workgroups;
    EXPECT_TRUE(run.Matches(expected)) << count;
  }
}

// Of allocations at both scopes, zero among the counts, also after another allocation and after a barrier.
TEST_P(ArrayLength, OfAllocations) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {4, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Id group = m.GroupId(0);
  const Records shared = m.Allocate(to, Scope::kWorkgroup, group);
  const Records own = m.Allocate(to, Scope::kInvocation, m.Mod(lane, 3));
  m.WorkgroupBarrier();
  m.AddWord(words, m.Add(m.Mul(group, 8), lane), m.Add(m.Mul(m.Length(shared), 100), m.Length(own)));
  m.If(m.Equal(lane, 0), [&] { m.For(m.Length(shared), [&](const Id& i) { SetLeaf(m, shared, i, 100, 1); }); });
  m.For(m.Length(own), [&](const Id& i) { SetLeaf(m, own, i, 101, 1); });
  m.Enqueue(shared);
  m.Enqueue(own);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(102);
  for (uint32_t i = 0; i < 32; ++i) expected[i] = i / 8 * 100 + i % 8 % 3;
  expected[100] = 0 + 1 + 2 + 3;
  expected[101] = 4 * (0 + 1 + 2 + 0 + 1 + 2 + 0 + 1);
  EXPECT_TRUE(run.Matches(expected));
}

// Of empty payloads: a count is all they have.
TEST_P(ArrayLength, OfEmptyPayloads) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 50});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  m.Increment(to, Scope::kInvocation, 41);
  m.EndNode();
  m.BeginNode({.name = "Leaf",
               .launch = Launch::kCoalescing,
               .local_size = {4, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 9)});
  m.AddWord(words, m.LocalIndex(), m.Length(m.NodeInput()));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 2});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({82, 82, 82, 82}));
}

// Through a copy of the handle.
TEST_F(HandleLength, OfACopy) {
  NodeAsm m(Shape::kDxc);
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 5});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 5);
  const Records copy = {m.Local(to.array), "Function"};
  m.Store(copy.pointer, m.Load(to.array, records.pointer));
  m.AddWord(words, 0, m.Length(copy));
  m.For(m.Length(copy), [&](const Id& i) { SetLeaf(m, copy, i, m.Add(i, 1), 1); });
  m.Enqueue(copy);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({5, 1, 1, 1, 1, 1}));
}

TRELLIS_BOTH_SHAPES(ArrayLength);

}  // namespace
}  // namespace trellis::test
