// SPDX-License-Identifier: Apache-2.0
// Handles in variables, aggregates, choices and copies.
#include <gtest/gtest.h>

#include <array>

#include "spirv_lowering/post/post.h"
#include "tests/gpu/root_and_leaf.h"

namespace trellis::test {
namespace {

using HandleShapes = GpuTest;

// An array of four handles: filled in one loop, sent in another, backwards.
TEST_F(HandleShapes, ArrayOfHandles) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 40});
  const Id handles = m.Array(to.array, 4, 0);
  p.Begin(4, 2);
  const Id variable = m.Local(handles);
  const Id lane = m.GlobalId(0);
  m.For(4, [&](const Id& i) {
    const Records one = m.Allocate(to, Scope::kInvocation, m.Add(i, 1));
    m.Store(m.Chain("Function", to.array, variable, {i}), m.Load(to.array, one.pointer));
  });
  m.For(4, [&](const Id& i) {
    m.For(m.Add(i, 1), [&](const Id& k) {
      m.Store(m.Chain("Function", m.Uint(), variable, {i, k, 0}), m.Add(m.Mul(lane, 4), i));
      m.Store(m.Chain("Function", m.Uint(), variable, {i, k, 1}), m.Add(k, 1));
    });
  });
  m.For(4, [&](const Id& i) {
    const Id slot = m.Chain("Function", to.array, variable, {m.Sub(3, i)});
    m.AddWord(p.words, 100, m.Length({slot, "Function"}));
    m.Enqueue({slot, "Function"});
  });
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(101);
  for (uint32_t i = 0; i < 32; ++i) expected[i] = (i % 4 + 1) * (i % 4 + 2) / 2;
  expected[100] = 8 * (1 + 2 + 3 + 4);
  EXPECT_TRUE(run.Matches(expected));
}

// Structures with handles as variables, values and results.
TEST_F(HandleShapes, StructuresOfHandles) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 32});
  const Id pair = m.Type("OpTypeStruct " + m.Uint() + " " + to.array);
  const Id wrapped = m.Array(pair, 2, 0);
  const NodeAsm::Callee wrap = m.BeginFunction(pair, {m.Uint(), to.array});
  m.EndFunction(m.Op("OpCompositeConstruct", pair, wrap.parameters[0], wrap.parameters[1]));
  p.Begin(8, 2);
  const Id variable = m.Local(wrapped);
  const Records first = m.Allocate(to, Scope::kWorkgroup, 8);
  const Records second = m.Allocate(to, Scope::kWorkgroup, 8);
  const Id lane = m.LocalIndex();
  m.Store(m.Chain("Function", pair, variable, {0}), m.Call(wrap, {5, m.Load(to.array, first.pointer)}));
  m.Store(m.Chain("Function", pair, variable, {1}), m.Call(wrap, {7, m.Load(to.array, second.pointer)}));
  const Id whole = m.Load(wrapped, variable);
  for (int i : {0, 1}) {
    const Id base = m.Add(m.Mul(m.GlobalId(0), 2), i);
    m.Store(m.Chain("Function", m.Uint(), variable, {i, 1, lane, 0}), base);
    m.Store(m.Chain("Function", m.Uint(), variable, {i, 1, lane, 1}),
            m.Op("OpCompositeExtract", m.Uint(), whole, Id(std::to_string(i) + " 0")));
    m.Do("OpEnqueueNodePayloadsAMDX " + m.Op("OpCompositeExtract", to.array, whole, Id(std::to_string(i) + " 1")));
  }
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 16; ++i) expected.insert(expected.end(), {5, 7});
  EXPECT_TRUE(run.Matches(expected));
}

// A value chosen by OpPhi, copied by OpCopyObject; the variable of the other branch stays untouched.
TEST_F(HandleShapes, PhiAndCopy) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 8});
  p.Begin(8, 6);
  const Id variable = m.Local(to.array);
  const Id even = m.Equal(m.And(m.GroupId(0), 1), 0);
  const Id one = m.Load(to.array, m.Allocate(to, Scope::kWorkgroup, 8).pointer);
  Id from_then, from_else, copied;
  m.If(
      even, [&] { from_then = m.CurrentBlock(); },
      [&] {
        copied = m.Op("OpCopyObject", to.array, one);
        from_else = m.CurrentBlock();
      });
  const Id undefined = m.Type("OpUndef " + to.array);
  m.Store(variable, m.Op("OpPhi", to.array, one, from_then, copied, from_else));
  SetLeaf(m, {variable, "Function"}, m.LocalIndex(), m.GlobalId(0), 4);
  m.Enqueue({variable, "Function"});
  // Never written: nothing is in it.
  m.Store(variable, undefined);
  m.Enqueue({variable, "Function"});
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(48, 4)));
}

// Each workgroup makes three arrays of different length and enqueues one of them. OpSelect takes the first or the
// second, OpCopyObject hands it on, and OpPhi takes that or the third. Then OpPhi carries through a loop what the
// iteration before has allocated. Handles are values, or pointers to what was allocated: SPIR-V has no such variable
// pointers, but Trellis takes them.
void ExpectChosenHandles(Context& context, bool by_pointer) {
  constexpr uint32_t kLanes = 8, kGroups = 8, kLengths = 500, kLooped = 600;
  constexpr std::array<uint32_t, 3> kCounts = {8, 5, 3};
  Program p(Shape::kDirect);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 16});
  const Payload to_looped = m.Output("Leaf", p.record, {.max_payloads = 4 * kLanes});
  const Id pair = m.Type("OpTypeStruct " + m.Uint() + " " + to.array);
  const auto type_of = [&](const Payload& payload) {
    return by_pointer ? m.Pointer("NodePayloadAMDX", payload.array) : payload.array;
  };
  p.Begin(kLanes, kGroups);
  const auto handle = [&](const Payload& payload, const Records& records) {
    return by_pointer ? records.pointer : m.Load(payload.array, records.pointer);
  };
  const Id lane = m.LocalIndex();
  const Id group = m.GroupId(0);
  std::vector<Id> handles;
  for (uint32_t a = 0; a < kCounts.size(); ++a) {
    const Records records = m.Allocate(to, Scope::kWorkgroup, kCounts[a]);
    m.If(m.Less(lane, kCounts[a]),
         [&] { SetLeaf(m, records, lane, m.Add(m.Mul(group, kLanes), lane), m.Add(lane, 100 * (a + 1))); });
    handles.push_back(handle(to, records));
  }
  const Id even = m.Equal(m.And(group, 1), 0);
  Id selected;
  if (by_pointer) {
    selected = m.Op("OpSelect", type_of(to), even, handles[0], handles[1]);
  } else {
    // SPIR-V selects arrays of payloads inside of composites only.
    const Id first = m.Op("OpCompositeConstruct", pair, 0, handles[0]);
    const Id second = m.Op("OpCompositeConstruct", pair, 0, handles[1]);
    selected = m.Op("OpCompositeExtract", to.array, m.Op("OpSelect", pair, even, first, second), Id("1"));
  }
  Id copied, from_then, from_else;
  m.If(
      m.Equal(m.And(group, 2), 0),
      [&] {
        copied = m.Op("OpCopyObject", type_of(to), selected);
        from_then = m.CurrentBlock();
      },
      [&] { from_else = m.CurrentBlock(); });
  const Id chosen = m.Op("OpPhi", type_of(to), copied, from_then, handles[2], from_else);
  Records records = {chosen, "NodePayloadAMDX"};
  if (!by_pointer) {
    records = {m.Local(to.array), "Function"};
    m.Store(records.pointer, chosen);
  }
  m.If(m.Equal(lane, 0), [&] {
    m.Set(records, 0, 1, m.Add(m.Get(records, 0, 1), 1000));
    m.AddWord(p.words, m.Add(group, kLengths), m.Length(records));
  });
  m.Do("OpEnqueueNodePayloadsAMDX " + chosen);

  const auto make_looped = [&](Value value) {
    const Records one = m.Allocate(to_looped, Scope::kInvocation, 1);
    SetLeaf(m, one, 0, m.Add(m.GlobalId(0), kLooped), value);
    return handle(to_looped, one);
  };
  const Id begun = make_looped(1000);
  const Id before = m.CurrentBlock();
  const Id header = m.NewId(), index = m.NewId(), current = m.NewId(), next_index = m.NewId(), next = m.NewId();
  const Id body = m.NewId(), step = m.NewId(), done = m.NewId();
  m.Do("OpBranch " + header);
  m.Label(header);
  const auto phi = [&](const Id& result, const Id& type, const Id& first, const Id& again) {
    m.Do(result + " = OpPhi " + type + " " + first + " " + before + " " + again + " " + step);
  };
  phi(index, m.Uint(), m.Constant(0), next_index);
  phi(current, type_of(to_looped), begun, next);
  const Id more = m.Less(index, 3);
  m.Do("OpLoopMerge " + done + " " + step + " None");
  m.Do("OpBranchConditional " + more + " " + body + " " + done);
  m.Label(body);
  const Id made = make_looped(m.Add(index, 1));
  m.Do("OpEnqueueNodePayloadsAMDX " + current);
  m.Do("OpBranch " + step);
  m.Label(step);
  m.Do(next + " = OpCopyObject " + type_of(to_looped) + " " + made);
  m.Do(next_index + " = OpIAdd " + m.Uint() + " " + index + " " + m.Constant(1));
  m.Do("OpBranch " + header);
  m.Label(done);

  const auto words = spirv::Assemble(p.End());
  ASSERT_TRUE(words) << words.error().message;
  if (!by_pointer) {
    const auto valid = spirv::Validate(*words);
    ASSERT_TRUE(valid) << valid.error().message;
  }
  GraphRun run(context);
  run.Node({.text = "pointers or values", .entry = "Root", .words = *words});
  run.Node({.text = "pointers or values", .entry = "Leaf", .words = *words});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kLooped + kGroups * kLanes);
  for (uint32_t g = 0; g < kGroups; ++g) {
    const uint32_t a = (g & 2) != 0 ? 2 : (g & 1) != 0 ? 1 : 0;
    for (uint32_t e = 0; e < kCounts[a]; ++e) expected[g * kLanes + e] = 100 * (a + 1) + e + (e == 0 ? 1000 : 0);
    expected[kLengths + g] = kCounts[a];
    // The array of the last iteration is never enqueued.
    for (uint32_t l = 0; l < kLanes; ++l) expected[kLooped + g * kLanes + l] = 1000 + 1 + 2;
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(HandleShapes, ValuesThroughPhiSelectAndCopy) { ExpectChosenHandles(context(), false); }

TEST_F(HandleShapes, PointersThroughPhiSelectAndCopy) { ExpectChosenHandles(context(), true); }

// A variable of the whole module: another function fills it.
TEST_F(HandleShapes, PrivateVariable) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 16});
  const Id pair = m.Type("OpTypeStruct " + m.Uint() + " " + to.array);
  const Id state = m.Global("Private", pair);
  const NodeAsm::Callee make = m.BeginFunction(m.Type("OpTypeVoid"), {m.Uint()});
  const Records records = m.Allocate(to, Scope::kInvocation, make.parameters[0]);
  m.Store(m.Chain("Private", to.array, state, {1}), m.Load(to.array, records.pointer));
  m.EndFunction();
  p.Begin(4, 3);
  // Not written yet: nothing is in it.
  m.Do("OpEnqueueNodePayloadsAMDX " + m.Chain("Private", to.array, state, {1}));
  m.Call(make, {2});
  for (int i : {0, 1}) {
    m.Store(m.Chain("Private", m.Uint(), state, {1, i, 0}), m.GlobalId(0));
    m.Store(m.Chain("Private", m.Uint(), state, {1, i, 1}), m.Constant(10 + i));
  }
  m.Do("OpEnqueueNodePayloadsAMDX " + m.Chain("Private", to.array, state, {1}));
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(12, 21)));
}

// One invocation puts the handle where all of the workgroup find it; in both memory models.
void ExpectWorkgroupVariable(Context& context, bool vulkan_model) {
  Program p(Shape::kDirect);
  NodeAsm& m = p.m;
  if (vulkan_model) m.UseVulkanMemoryModel();
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 16});
  const Id shared = m.Global("Workgroup", to.array);
  p.Begin(16, 3);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 16);
  // MakePointerAvailable and NonPrivatePointer at Workgroup scope.
  const std::string available = vulkan_model ? " MakePointerAvailable|NonPrivatePointer " + m.Constant(2) : "";
  m.If(m.Equal(m.LocalIndex(), 5),
       [&] { m.Do("OpStore " + shared + " " + m.Load(to.array, records.pointer) + available); });
  m.WorkgroupBarrier();
  SetLeaf(m, {shared, "Workgroup"}, m.LocalIndex(), m.GlobalId(0), m.Add(m.LocalIndex(), 1));
  m.Enqueue({shared, "Workgroup"});
  GraphRun run(context);
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 48; ++i) expected.push_back(i % 16 + 1);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(HandleShapes, WorkgroupVariable) { ExpectWorkgroupVariable(context(), false); }

TEST_F(HandleShapes, WorkgroupVariableInTheVulkanMemoryModel) {
  if (!context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModelDeviceScope";
  ExpectWorkgroupVariable(context(), true);
}

// Each iteration sends what the last one made and keeps its own.
TEST_F(HandleShapes, VariableReassignedInALoop) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  const Id pair = m.Type("OpTypeStruct " + to.array + " " + m.Uint());
  p.Begin(2, 3);
  const Id state = m.Local(pair);
  const Id slot = m.Chain("Function", to.array, state, {0});
  m.Store(slot, m.Load(to.array, m.Allocate(to, Scope::kInvocation, 1).pointer));
  SetLeaf(m, {slot, "Function"}, 0, m.GlobalId(0), 1);
  m.For(5, [&](const Id& i) {
    m.Enqueue({slot, "Function"});
    m.Store(slot, m.Load(to.array, m.Allocate(to, Scope::kInvocation, 1).pointer));
    SetLeaf(m, {slot, "Function"}, 0, m.GlobalId(0), m.Mul(m.Add(i, 1), 10));
  });
  m.Enqueue({slot, "Function"});
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(6, 1 + 10 + 20 + 30 + 40 + 50)));
}

// A handle loaded from the input is another name for the input.
TEST_F(HandleShapes, VariableThatAliasesTheInput) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload input = m.Input(record, 4);
  m.BeginNode(
      {.name = "Node", .launch = Launch::kCoalescing, .local_size = {4, 1, 1}, .shader_index = 0, .input = input});
  const Id variable = m.Local(input.array);
  m.Store(variable, m.Load(input.array, m.NodeInput().pointer));
  const Records alias = {variable, "Function"};
  const Id lane = m.LocalIndex();
  m.If(m.Less(lane, m.Length(alias)), [&] {
    m.Set(alias, lane, 1, m.Mul(m.Get(m.NodeInput(), lane, 1), 2));
    m.AddWord(words, m.Get(alias, lane, 0), m.Get(m.NodeInput(), lane, 1));
  });
  m.EndNode();
  GraphRun run(context(), {.submits = 2});
  run.Nodes(m.Text(), {"Node"});
  std::vector<uint32_t> payloads, expected;
  for (uint32_t i = 0; i < 11; ++i) {
    payloads.insert(payloads.end(), {i, i + 5});
    expected.push_back(2 * 2 * (i + 5));
  }
  run.Input({.node = "Node", .count = 11, .payloads = Bytes(payloads), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// The length by every name that an allocation can have.
TEST_F(HandleShapes, Lengths) {
  Program p(Shape::kDxc);
  NodeAsm& m = p.m;
  const Payload to = m.Output("Leaf", p.record, {.max_payloads = 64});
  const NodeAsm::Callee length = m.BeginFunction(m.Uint(), {m.Pointer("Function", to.array), to.array});
  m.EndFunction(m.Add(m.Length({length.parameters[0], ""}), m.Mul(m.Length({length.parameters[1], ""}), 100)));
  p.Begin(4, 2);
  const Id pointer_type = m.Pointer("NodePayloadAMDX", to.array);
  const Id count = m.Add(m.LocalIndex(), 1);
  const Id allocation = m.Op("OpAllocateNodePayloadsAMDX", pointer_type, 4, count, 0);
  const Id value = m.Load(to.array, allocation);
  const Id variable = m.Local(to.array);
  m.Store(variable, value);
  const Id lane = m.LocalIndex();
  m.AddWord(p.words, lane, m.Length({allocation, ""}));
  m.AddWord(p.words, m.Add(lane, 10), m.Length({m.Op("OpCopyObject", pointer_type, allocation), ""}));
  m.AddWord(p.words, m.Add(lane, 20), m.Length({value, ""}));
  m.AddWord(p.words, m.Add(lane, 30), m.Length({variable, ""}));
  m.AddWord(p.words, m.Add(lane, 40), m.Call(length, {variable, value}));
  GraphRun run(context());
  ASSERT_TRUE(RunProgram(run, p.End()));
  std::vector<uint32_t> expected(44);
  for (uint32_t lane_index = 0; lane_index < 4; ++lane_index) {
    for (uint32_t row : {0, 10, 20, 30}) expected[row + lane_index] = 2 * (lane_index + 1);
    expected[40 + lane_index] = 2 * 101 * (lane_index + 1);
  }
  EXPECT_TRUE(run.Matches(expected));
}

// OpIsNodePayloadValidAMDX by type, pointer, variable, value, copy and parameter; the index differs per invocation.
TEST_F(HandleShapes, Validity) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64, .array_size = 8, .sparse = true});
  const Id pointer_type = m.Pointer("NodePayloadAMDX", to.array);
  const Id variable_type = m.Pointer("Function", to.array);
  const auto valid = [&](const Id& operand, const Id& index) {
    return m.Select(m.Op("OpIsNodePayloadValidAMDX", m.Bool(), operand, index), 1, 0);
  };
  const NodeAsm::Callee ask = m.BeginFunction(m.Uint(), {pointer_type, variable_type, to.array, m.Uint()});
  Id sum = valid(ask.parameters[0], ask.parameters[3]);
  for (int i : {1, 2}) sum = m.Add(sum, valid(ask.parameters[i], ask.parameters[3]));
  m.EndFunction(sum);
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {1, 1, 1}, .shader_index = 0});
  const Id allocation = m.Op("OpAllocateNodePayloadsAMDX", pointer_type, 4, 0, 2);
  const Id value = m.Load(to.array, allocation);
  const Id variable = m.Local(to.array);
  m.Store(variable, value);
  const Id lane = m.LocalIndex();
  Id total = m.Call(ask, {allocation, variable, value, lane});
  for (const Id& operand : {to.array, allocation, value, variable, m.Op("OpCopyObject", pointer_type, allocation),
                            m.Op("OpCopyObject", variable_type, variable)}) {
    total = m.Add(m.Mul(total, 10), valid(operand, lane));
  }
  m.StoreWord(words, lane, total);
  m.Do("OpEnqueueNodePayloadsAMDX " + variable);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record, 2);
  const std::string text = m.Text();
  GraphRun run(context());
  run.Node({.text = text, .entry = "Root"});
  for (uint32_t index : {2, 3, 7}) run.Node({.text = text, .entry = "Leaf", .name = "Leaf", .index = index});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 3111111, 3111111, 0, 0, 0, 3111111}));
}

}  // namespace
}  // namespace trellis::test
