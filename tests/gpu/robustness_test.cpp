// SPDX-License-Identifier: Apache-2.0
// Values that the specification forbids. What happens is Trellis' own choice (docs/limitations.md), but nothing outside
// the ring and scratch is touched, and nothing hangs.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Robustness = ShapedGpuTest;

// Counts beyond NodeMaxPayloadsAMDX are cut to it.
void ExpectCutCounts(Context& context, Shape shape, Scope scope, bool conditional) {
  context.messages.Expect("NodeMaxPayloadsAMDX-09188");  // with the setting `validate`
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 4});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  const Records records = m.Allocate(to, scope, m.Get(m.NodeInput(), 0, 1));
  m.For(4,
        [&](const Id& i) { m.If(m.Less(i, m.Get(m.NodeInput(), 0, 1)), [&] { SetLeaf(m, records, i, index, 1); }); });
  if (conditional) {
    m.If(m.Less(index, 1000), [&] { m.Enqueue(records); });
  } else {
    m.Enqueue(records);
  }
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root",
             .count = 7,
             .payloads = Bytes({0, 2, 1, 5, 2, 0x7fffffff, 3, 0x80000000, 4, 0xffffffff, 5, 0, 6, 0x10000000}),
             .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({2, 4, 4, 4, 4, 0, 4}));
}

TEST_P(Robustness, CountsBeyondTheMaximum) { ExpectCutCounts(context(), shape(), Scope::kInvocation, false); }

TEST_P(Robustness, WorkgroupCountsBeyondTheMaximum) { ExpectCutCounts(context(), shape(), Scope::kWorkgroup, false); }

TEST_P(Robustness, CountsBeyondTheMaximumThroughTheHeap) {
  ExpectCutCounts(context(), shape(), Scope::kInvocation, true);
}

// Elements past the end: of outputs, written; of inputs, read.
TEST_P(Robustness, ElementsPastTheEnd) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 2});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id wild = m.Get(m.NodeInput(), 0, 1);
  const Records records = m.Allocate(to, Scope::kInvocation, 2);
  m.For(2, [&](const Id& i) { SetLeaf(m, records, i, m.Get(m.NodeInput(), 0, 0), 1); });
  m.Set(records, wild, 1, 1);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf",
               .launch = Launch::kCoalescing,
               .local_size = {2, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, 2)});
  const Id lane = m.LocalIndex();
  // Reads far past what it got.
  const Id far = m.Get(m.NodeInput(), m.Add(m.Mul(lane, 0x3fffffff), 1000), 1);
  m.AddWord(words, m.Mod(far, 4), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root",
             .count = 5,
             .payloads = Bytes({0, 1, 0, 2, 0, 0x7fffffff, 0, 0x80000001, 0, 0xffffffff}),
             .stride = 8});
  ASSERT_TRUE(run.Execute());
  // Ten records of value 1, in five to ten workgroups of two invocations.
  const uint32_t read = run.Words()[1];
  EXPECT_GE(read, 10u);
  EXPECT_LE(read, 20u);
  EXPECT_TRUE(run.Matches({0, read}));
}

// Grids beyond the node's bound are cut to it. The setting `validate` tells of them.
TEST_P(Robustness, GridsBeyondTheBound) {
  context().messages.Expect("maxComputeWorkGroupCount-09186");
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4, true}});
  const Payload to = m.Output("Grid", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Store(m.Field(records, record, 0, {}), m.Load(record, m.Field(m.NodeInput(), record, 0, {})));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid", .grid = {3, 2, 2}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Grid"});
  run.Input({.node = "Root",
             .count = 4,
             .payloads = Bytes({0, 0xffffffff, 0xffffffff, 0xffffffff, 1, 4, 1, 1, 2, 0xffffffff, 0, 7, 3, 1, 2, 2}),
             .stride = 16});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({12, 3, 0, 4}));
}

TRELLIS_BOTH_SHAPES(Robustness);

}  // namespace
}  // namespace trellis::test
