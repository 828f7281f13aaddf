// SPDX-License-Identifier: Apache-2.0
// How outputs are allocated, handed around and enqueued.
#include <gtest/gtest.h>

#include "tests/gpu/root_and_leaf.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

using Handles = ShapedGpuTest;
using HandleVariables = GpuTest;

TEST_P(Handles, TwoHundredFiftySixRecordsInOneAllocation) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 256});
  p.Begin(64, 3);
  const Records records = p.m.Allocate(to, Scope::kWorkgroup, 256);
  const Id lane = p.m.LocalIndex();
  const Id first = p.m.Mul(p.m.GroupId(0), 256);
  p.m.For(4, [&](const Id& i) {
    const Id element = p.m.Add(p.m.Mul(i, 64), lane);
    SetLeaf(p.m, records, element, p.m.Add(first, element), p.m.Add(element, 1));
  });
  p.m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 768; ++i) expected.push_back(i % 256 + 1);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Handles, ZeroCounts) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 64});
  p.Begin(16, 4);
  const Records none = p.m.Allocate(to, Scope::kWorkgroup, 0);
  p.m.Enqueue(none);
  // One in three invocations has one record, the others none.
  const Id lane = p.m.GlobalId(0);
  const Id count = p.m.Select(p.m.Equal(p.m.Mod(lane, 3), 0), 1, 0);
  const Records some = p.m.Allocate(to, Scope::kInvocation, count);
  p.m.If(p.m.NotEqual(count, 0), [&] { SetLeaf(p.m, some, 0, lane, 5); });
  p.m.Enqueue(some);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; i += 3) expected[i] = 5;
  EXPECT_TRUE(run.Matches(expected));
}

// An allocation that is not enqueued on some path launches nothing there.
TEST_P(Handles, ConditionalEnqueue) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(8, 10);
  const Records records = p.m.Allocate(to, Scope::kWorkgroup, 8);
  const Id lane = p.m.LocalIndex();
  SetLeaf(p.m, records, lane, p.m.GlobalId(0), 3);
  p.m.If(p.m.Equal(p.m.And(p.m.GroupId(0), 1), 0), [&] { p.m.Enqueue(records); });
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(80);
  for (uint32_t i = 0; i < 80; ++i) expected[i] = i / 8 % 2 == 0 ? 3 : 0;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Handles, ConditionalEnqueueAtInvocationScope) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 24});
  p.Begin(8, 10);
  const Id lane = p.m.GlobalId(0);
  const Id count = p.m.Mod(lane, 4);
  const Records records = p.m.Allocate(to, Scope::kInvocation, count);
  p.m.For(count, [&](const Id& i) { SetLeaf(p.m, records, i, lane, p.m.Add(i, 1)); });
  p.m.If(p.m.NotEqual(p.m.Mod(p.m.GroupId(0), 3), 0), [&] { p.m.Enqueue(records); });
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(80);
  for (uint32_t lane_index = 0; lane_index < 80; ++lane_index) {
    const uint32_t n = lane_index % 4;
    expected[lane_index] = lane_index / 8 % 3 != 0 ? n * (n + 1) / 2 : 0;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Never enqueued, and not empty: nothing is launched.
TEST_P(Handles, NeverEnqueued) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(8, 3);
  const Records records = p.m.Allocate(to, Scope::kWorkgroup, 8);
  SetLeaf(p.m, records, p.m.LocalIndex(), p.m.GlobalId(0), 3);
  p.m.AddWord(p.words, 500, 1);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(501);
  expected[500] = 24;
  EXPECT_TRUE(run.Matches(expected));
}

// Allocate, write, enqueue inside a loop.
TEST_P(Handles, AllocationsInALoop) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 80});
  p.Begin(8, 5);
  p.m.For(10, [&](const Id& i) {
    const Records records = p.m.Allocate(to, Scope::kWorkgroup, 8);
    SetLeaf(p.m, records, p.m.LocalIndex(), p.m.GlobalId(0), i);
    p.m.Enqueue(records);
  });
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(40, 45)));
}

// A handle that lives over loop iterations: allocated before, written in the loop, enqueued after it.
TEST_P(Handles, HandleKeptOverALoop) {
  Program p(shape());
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 32});
  p.Begin(4, 2);
  const Records kept = p.m.Allocate(to, Scope::kInvocation, 4);
  p.m.For(4, [&](const Id& i) {
    const Records inner = p.m.Allocate(to, Scope::kInvocation, 1);
    SetLeaf(p.m, inner, 0, 100, 1);
    SetLeaf(p.m, kept, i, p.m.Add(p.m.Mul(p.m.GlobalId(0), 4), i), p.m.Add(i, 1));
    p.m.Enqueue(inner);
  });
  p.m.Enqueue(kept);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(101);
  for (uint32_t i = 0; i < 32; ++i) expected[i] = i % 4 + 1;
  expected[100] = 32;
  EXPECT_TRUE(run.Matches(expected));
}

// Allocated in an earlier iteration, enqueued in the next: the handle goes through a variable around the loop.
TEST_F(HandleVariables, EnqueuedInTheNextIteration) {
  Program p(Shape::kDxc);
  const Payload to = p.m.Output("Leaf", p.record, {.max_payloads = 32});
  p.Begin(4, 2);
  NodeAsm& m = p.m;
  const Records current = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, current, 0, m.GlobalId(0), 1000);
  m.For(3, [&](const Id& i) {
    const Records next = m.Allocate(to, Scope::kInvocation, 1);
    SetLeaf(m, next, 0, m.GlobalId(0), m.Add(i, 1));
    m.Enqueue(current);
    m.Store(current.pointer, m.Load(to.array, next.pointer));
  });
  // The last one is dropped.
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, 1000 + 1 + 2)));
}

// outA = outB copies a handle, not records.
TEST_F(HandleVariables, CopiedHandleIsAnAlias) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(8, 2);
  const Records a = m.Allocate(to, Scope::kWorkgroup, 8);
  const Records b = {m.Local(to.array), "Function"};
  m.Store(b.pointer, m.Load(to.array, a.pointer));
  const Id lane = m.LocalIndex();
  m.Set(a, lane, 0, m.GlobalId(0));
  m.Set(b, lane, 1, m.Add(lane, 10));
  m.Enqueue(b);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 16; ++i) expected.push_back(i % 8 + 10);
  EXPECT_TRUE(run.Matches(expected));
}

// Two outputs of one node, two arrays of one output alive at once, counts that differ per workgroup.
TEST_P(Handles, SeveralArraysAtOnce) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload first = m.Output("Leaf", p.record, {.max_payloads = 40});
  const Payload second = m.Output("Leaf", p.record, {.max_payloads = 16});
  p.Begin(8, 6);
  const Id group = m.GroupId(0);
  const Id lane = m.LocalIndex();
  const Records a = m.Allocate(first, Scope::kWorkgroup, group);
  const Records b = m.Allocate(second, Scope::kInvocation, 2);
  const Records c = m.Allocate(first, Scope::kWorkgroup, 8);
  m.If(m.Less(lane, group), [&] { SetLeaf(m, a, lane, 100, 1); });
  SetLeaf(m, c, lane, 300, 1);
  SetLeaf(m, b, 1, 201, 1);
  SetLeaf(m, b, 0, 200, 1);
  m.Enqueue(c);
  m.Enqueue(a);
  m.Enqueue(b);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(301);
  expected[100] = 0 + 1 + 2 + 3 + 4 + 5;
  expected[200] = expected[201] = expected[300] = 48;
  EXPECT_TRUE(run.Matches(expected));
}

// NodeSharesPayloadLimitsWithAMDX is about how many payloads there may be, not about where they lie.
TEST_P(Handles, TypesThatShareALimitDoNotAlias) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload first = m.Output("Leaf", p.record, {.max_payloads = 16});
  const Payload second = m.Output("Leaf", p.record, {.shares_limits_with = first.array});
  p.Begin(8, 5);
  const Id lane = m.LocalIndex();
  const Records a = m.Allocate(first, Scope::kWorkgroup, 8);
  const Records b = m.Allocate(second, Scope::kWorkgroup, 8);
  SetLeaf(m, b, lane, m.Add(m.GlobalId(0), 500), m.Add(lane, 100));
  SetLeaf(m, a, lane, m.GlobalId(0), m.Add(lane, 1));
  m.Enqueue(b);
  m.Enqueue(a);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(540);
  for (uint32_t i = 0; i < 40; ++i) {
    expected[i] = i % 8 + 1;
    expected[500 + i] = i % 8 + 100;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// OpNodePayloadArrayLength of an allocation is its count.
TEST_P(Handles, LengthOfAnAllocation) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  p.Begin(8, 6);
  const Records records = m.Allocate(to, Scope::kInvocation, m.Mod(m.LocalIndex(), 3));
  m.AddWord(p.words, m.Add(500, m.LocalIndex()), m.Length(records));
  m.For(m.Length(records), [&](const Id& i) { SetLeaf(m, records, i, 0, 1); });
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(508);
  for (uint32_t lane = 0; lane < 8; ++lane) {
    expected[500 + lane] = 6 * (lane % 3);
    expected[0] += 6 * (lane % 3);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// One invocation writes, all enqueue, without a barrier: AMD's sample does that.
TEST_P(Handles, OneInvocationWritesForAll) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 4});
  p.Begin(64, 20);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 4);
  m.If(m.Equal(m.LocalIndex(), 0),
       [&] { m.For(4, [&](const Id& i) { SetLeaf(m, records, i, m.Add(m.Mul(m.GroupId(0), 4), i), 9); }); });
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(80, 9)));
}

// Records of a Workgroup array written by one invocation are read by another after a barrier.
void ExpectSharedArray(Context& context, Shape shape, uint32_t semantics) {
  Program p(shape);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 32});
  p.Begin(32, 3);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 32);
  const Id lane = m.LocalIndex();
  m.Set(records, lane, 1, m.Add(lane, 1));
  m.Do("OpControlBarrier " + m.Constant(2) + " " + m.Constant(2) + " " + m.Constant(semantics));
  m.Set(records, lane, 0, m.Get(records, m.Sub(31, lane), 1));
  m.Enqueue(records);
  GraphRun run(context);
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(33);
  for (uint32_t i = 0; i < 32; ++i) expected[32 - i] = 3 * (i + 1);
  EXPECT_TRUE(run.Matches(expected));
}

// AcquireRelease of Uniform and Workgroup memory: payloads are covered by every barrier that orders memory.
TEST_P(Handles, WorkgroupArrayIsShared) { ExpectSharedArray(context(), shape(), 0x148); }

// With OutputMemory, as DXC's barrier on output records.
TEST_P(Handles, WorkgroupArrayIsSharedOverOutputMemory) { ExpectSharedArray(context(), shape(), 0x1148); }

TRELLIS_BOTH_SHAPES(Handles);

}  // namespace
}  // namespace trellis::test
