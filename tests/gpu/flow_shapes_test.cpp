// SPDX-License-Identifier: Apache-2.0
// Allocations among branches, loops, returns, barriers and subgroup operations.
#include <gtest/gtest.h>

#include "tests/gpu/root_and_leaf.h"

namespace trellis::test {
namespace {

using FlowShapes = ShapedGpuTest;

// Another scope and count in each case of a uniform switch.
TEST_P(FlowShapes, SwitchWithAllocations) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 16});
  p.Begin(8, 9);
  const Id group = m.GroupId(0);
  const Id lane = m.LocalIndex();
  const Id zero = m.NewId(), one = m.NewId(), other = m.NewId(), merge = m.NewId();
  const Id selector = m.Mod(group, 3);
  m.Do("OpSelectionMerge " + merge + " None");
  m.Do("OpSwitch " + selector + " " + other + " 0 " + zero + " 1 " + one);
  m.Label(zero);
  const Records shared = m.Allocate(to, Scope::kWorkgroup, 8);
  SetLeaf(m, shared, lane, group, 1);
  m.Enqueue(shared);
  m.Do("OpBranch " + merge);
  m.Label(one);
  const Records own = m.Allocate(to, Scope::kInvocation, 2);
  for (int i : {0, 1}) SetLeaf(m, own, i, group, m.Add(lane, 1));
  m.Enqueue(own);
  m.Do("OpBranch " + merge);
  m.Label(other);
  m.Do("OpBranch " + merge);
  m.Label(merge);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(9);
  for (uint32_t i = 0; i < 9; ++i) expected[i] = i % 3 == 0 ? 8 : i % 3 == 1 ? 2 * 36 : 0;
  EXPECT_TRUE(run.Matches(expected));
}

// Workgroups return before the allocation, between it and the enqueue, or after both.
TEST_P(FlowShapes, EarlyReturns) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(8, 9);
  const Id kind = m.Mod(m.GroupId(0), 3);
  const auto return_if = [&](int value) {
    const Id leave = m.NewId(), stay = m.NewId();
    const Id condition = m.Equal(kind, value);
    m.Do("OpSelectionMerge " + stay + " None");
    m.Do("OpBranchConditional " + condition + " " + leave + " " + stay);
    m.Label(leave);
    m.Do("OpReturn");
    m.Label(stay);
  };
  return_if(0);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 8);
  SetLeaf(m, records, m.LocalIndex(), m.GlobalId(0), 2);
  return_if(1);
  m.Enqueue(records);
  const Id leave = m.NewId(), never = m.NewId(), stay = m.NewId();
  const Id lower_half = m.Less(m.LocalIndex(), 4);
  m.Do("OpSelectionMerge " + never + " None");
  m.Do("OpBranchConditional " + lower_half + " " + leave + " " + stay);
  m.Label(leave);
  m.Do("OpReturn");
  m.Label(stay);
  m.AddWord(p.words, 100, 1);
  m.Do("OpReturn");
  m.Label(never);
  m.Do("OpUnreachable");
  m.Label(m.NewId());
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(101);
  for (uint32_t i = 0; i < 72; ++i) expected[i] = i / 8 % 3 == 2 ? 2 : 0;
  expected[100] = 3 * 4;
  EXPECT_TRUE(run.Matches(expected));
}

// A loop around a call around a loop, with another number of allocations in each workgroup.
TEST_P(FlowShapes, LoopsAroundCallsAroundLoops) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 256});
  const NodeAsm::Callee send = m.BeginFunction(m.Type("OpTypeVoid"), {m.Uint(), m.Uint()});
  m.For(send.parameters[0], [&](const Id& i) {
    const Records records = m.Allocate(to, Scope::kWorkgroup, m.Add(i, 1));
    m.If(m.Less(m.LocalIndex(), m.Add(i, 1)), [&] { SetLeaf(m, records, m.LocalIndex(), send.parameters[1], 1); });
    m.Enqueue(records);
  });
  m.EndFunction();
  p.Begin(8, 5);
  m.For(3, [&](const Id& i) { m.Call(send, {m.Add(m.GroupId(0), i), m.GroupId(0)}); });
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(5);
  for (uint32_t group = 0; group < 5; ++group) {
    for (uint32_t n = group; n < group + 3; ++n) expected[group] += n * (n + 1) / 2;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// Subgroup sums and votes between allocation and enqueue.
TEST_P(FlowShapes, SubgroupOperations) {
  constexpr VkSubgroupFeatureFlags kUsed = VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
  if ((context().subgroup.supportedOperations & kUsed) != kUsed) GTEST_SKIP() << "no such operations";
  Program p(shape());
  NodeAsm& m = p.m;
  for (const char* capability : {"GroupNonUniform", "GroupNonUniformVote", "GroupNonUniformArithmetic"})
    m.Capability(capability);
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  const Id scope = m.Constant(3);
  p.Begin(64, 3);
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  const Id sum = m.Op("OpGroupNonUniformIAdd", m.Uint(), scope, Id("Reduce"), m.LocalIndex());
  const Id some = m.Op("OpGroupNonUniformAny", m.Bool(), scope, m.Less(m.LocalIndex(), 100));
  const Id elected = m.Op("OpGroupNonUniformElect", m.Bool(), scope);
  SetLeaf(m, records, 0, m.GroupId(0), m.Select(elected, sum, 0));
  m.If(some, [&] { m.AddWord(p.words, 10, 1); });
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(11);
  for (uint32_t i = 0; i < 3; ++i) expected[i] = 63 * 64 / 2;
  expected[10] = 3 * 64;
  EXPECT_TRUE(run.Matches(expected));
}

// Shared words count what each invocation wants; one allocation holds all of it.
TEST_P(FlowShapes, SharedWordsSizeTheAllocation) {
  Program p(shape());
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  const Id shared = m.SharedWords(17);
  p.Begin(16, 4);
  const Id lane = m.LocalIndex();
  m.Store(m.SharedPointer(shared, lane), m.Mod(m.Add(lane, m.GroupId(0)), 3));
  m.WorkgroupBarrier();
  m.If(m.Equal(lane, 0), [&] {
    const Id total = m.Local(m.Uint());
    m.Store(total, m.Constant(0));
    m.For(16, [&](const Id& i) {
      const Id wanted = m.Load(m.Uint(), m.SharedPointer(shared, i));
      m.Store(m.SharedPointer(shared, i), m.Load(m.Uint(), total));
      m.Store(total, m.Add(m.Load(m.Uint(), total), wanted));
    });
    m.Store(m.SharedPointer(shared, 16), m.Load(m.Uint(), total));
  });
  m.WorkgroupBarrier();
  const Records records = m.Allocate(to, Scope::kWorkgroup, m.Load(m.Uint(), m.SharedPointer(shared, 16)));
  const Id first = m.Load(m.Uint(), m.SharedPointer(shared, lane));
  const Id end = m.Load(m.Uint(), m.SharedPointer(shared, m.Add(lane, 1)));
  m.For(m.Sub(end, first), [&](const Id& i) { SetLeaf(m, records, m.Add(first, i), m.GlobalId(0), m.Add(i, 5)); });
  m.WorkgroupBarrier();
  m.Enqueue(records);
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t wanted = (i % 16 + i / 16) % 3;
    expected[i] = wanted == 0 ? 0 : wanted == 1 ? 5 : 11;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// LocalSizeId with a specialised operand.
TEST_P(FlowShapes, SpecialisedWorkgroupSize) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64});
  const Id size = m.SpecConstant(3, 2);
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {size, 1, 1},
               .grid = {2, 1, 1},
               .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, size);
  SetLeaf(m, records, m.LocalIndex(), m.GlobalId(0), m.Add(m.LocalIndex(), 1));
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Node({.text = m.Text(), .entry = "Root", .specialization = {Spec(3, 5)}});
  run.Node({.text = m.Text(), .entry = "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));
}

TRELLIS_BOTH_SHAPES(FlowShapes);

}  // namespace
}  // namespace trellis::test
