// SPDX-License-Identifier: Apache-2.0
// Scopes of memory and execution in nodes: device, workgroup; barriers around allocations; invocations that end early.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Scopes = ShapedGpuTest;

constexpr int kDevice = 1;
constexpr int kWorkgroup = 2;
constexpr int kQueueFamily = 5;
// Semantics.
constexpr int kAcquireReleaseUniform = 0x8 | 0x40;
constexpr int kAcquireReleaseShared = 0x8 | 0x100;

// A module of one of the memory models, with accesses to a storage buffer that other workgroups may see.
class SharedBuffer {
 public:
  SharedBuffer(NodeAsm& m, uint32_t binding, bool vulkan_model)
      : m_(m), vulkan_model_(vulkan_model), id_(m.StorageBuffer(binding)) {
    if (!vulkan_model_) m_.Decorate("OpDecorate " + id_ + " Coherent");
  }

  [[nodiscard]] const Id& id() const { return id_; }
  // The widest scope that the module may name: queue family, called Device in GLSL450.
  [[nodiscard]] int WidestScope() const { return vulkan_model_ ? kQueueFamily : kDevice; }

  void Write(Value index, Value value) {
    const Id pointer = m_.WordPointer(id_, index);
    m_.Do("OpStore " + pointer + " " + m_.Operand(value) + Access("MakePointerAvailable"));
  }
  Id Read(Value index) {
    const Id pointer = m_.WordPointer(id_, index);
    const Id result = m_.NewId();
    m_.Do(result + " = OpLoad " + m_.Uint() + " " + pointer + Access("MakePointerVisible"));
    return result;
  }
  // Atomic, and orders what came before and comes after.
  Id Add(Value index, Value value) {
    const Id pointer = m_.WordPointer(id_, index);
    Barrier();
    const Id old = m_.Op("OpAtomicIAdd", m_.Uint(), pointer, WidestScope(), 0, value);
    Barrier();
    return old;
  }
  void Barrier() {
    // With the Vulkan memory model also MakeAvailable and MakeVisible.
    const int semantics = kAcquireReleaseUniform | (vulkan_model_ ? 0x6000 : 0);
    m_.Do("OpMemoryBarrier " + m_.Constant(WidestScope()) + " " + m_.Constant(semantics));
  }

 private:
  [[nodiscard]] std::string Access(const std::string& operation) {
    return vulkan_model_ ? " " + operation + "|NonPrivatePointer " + m_.Constant(kQueueFamily) : "";
  }

  NodeAsm& m_;
  const bool vulkan_model_;
  const Id id_;
};

// Workgroups of one launch write a word each and draw a ticket; the one with the last ticket reads what all of them
// wrote. Launched by a node: words[0] is the ticket, words[1] the sum, words[100 + i] what workgroup i wrote.
void ExpectLastWorkgroupSeesAll(Context& context, Shape shape, bool vulkan_model) {
  constexpr uint32_t kWorkgroups = 64;
  NodeAsm m(shape);
  if (vulkan_model) m.UseVulkanMemoryModel();
  SharedBuffer words(m, 0, vulkan_model);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Tickets", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, 0, 3);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Tickets",
               .launch = Launch::kStaticGrid,
               .local_size = {4, 1, 1},
               .grid = {kWorkgroups, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.If(m.Equal(m.LocalIndex(), 0), [&] {
    words.Write(m.Add(m.GroupId(0), 100), m.Mul(m.Add(m.GroupId(0), 1), m.Get(m.NodeInput(), 0, 0)));
    const Id ticket = words.Add(0, 1);
    m.If(m.Equal(ticket, kWorkgroups - 1),
         [&] { m.For(kWorkgroups, [&](const Id& i) { m.AddWord(words.id(), 1, words.Read(m.Add(i, 100))); }); });
  });
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Tickets"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(100 + kWorkgroups);
  expected[0] = kWorkgroups;
  for (uint32_t i = 0; i < kWorkgroups; ++i) {
    expected[100 + i] = 3 * (i + 1);
    expected[1] += expected[100 + i];
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Scopes, DeviceInTheSimpleModel) { ExpectLastWorkgroupSeesAll(context(), shape(), false); }

TEST_P(Scopes, QueueFamilyInTheVulkanModel) {
  if (!context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModelDeviceScope";
  ExpectLastWorkgroupSeesAll(context(), shape(), true);
}

// A storage buffer as a second way from node to node: what is written and made available before the enqueue is read by
// the node that gets the record, however many workgroups run in between.
TEST_P(Scopes, BufferWritesBeforeTheEnqueue) {
  NodeAsm m(shape());
  SharedBuffer words(m, 0, false);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Reader", record, {.max_payloads = 8});
  m.BeginNode({.name = "Writer",
               .launch = Launch::kStaticGrid,
               .local_size = {8, 1, 1},
               .grid = {40, 1, 1},
               .shader_index = 0});
  words.Write(m.GlobalId(0), m.Mul(m.GlobalId(0), 7));
  words.Barrier();
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, 0, m.GlobalId(0));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Reader", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words.id(), m.Add(index, 400), words.Read(index));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Writer", "Reader"});
  run.Input({.node = "Writer", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(720);
  for (uint32_t i = 0; i < 320; ++i) expected[i] = expected[400 + i] = 7 * i;
  EXPECT_TRUE(run.Matches(expected));
}

// Control barriers before, between and after allocation and enqueue; each is needed for what the invocations exchange.
TEST_P(Scopes, BarriersAroundAllocations) {
  constexpr uint32_t kLanes = 32;
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id shared = m.SharedWords(kLanes);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = kLanes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {5, 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Id opposite = m.Sub(kLanes - 1, lane);
  const auto barrier = [&] {
    m.Do("OpControlBarrier " + m.Constant(kWorkgroup) + " " + m.Constant(kWorkgroup) + " " +
         m.Constant(kAcquireReleaseShared));
  };
  const auto exchange = [&](const Id& value) {
    m.Store(m.SharedPointer(shared, lane), value);
    barrier();
    const Id received = m.Load(m.Uint(), m.SharedPointer(shared, opposite));
    barrier();
    return received;
  };
  const Id before = exchange(m.Add(lane, 1));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  const Id between = exchange(m.Mul(before, 2));
  SetLeaf(m, records, 0, m.Add(m.Mul(m.GroupId(0), kLanes), lane), between);
  m.Enqueue(records);
  const Id after = exchange(between);
  m.AddWord(words, m.Add(lane, 500), after);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(500 + kLanes);
  for (uint32_t i = 0; i < 5 * kLanes; ++i) expected[i] = 2 * (i % kLanes + 1);
  for (uint32_t i = 0; i < kLanes; ++i) expected[500 + i] = 5 * 2 * (kLanes - i);
  EXPECT_TRUE(run.Matches(expected));
}

// ---- termination ----

void ReturnIf(NodeAsm& m, const Id& condition) {
  const Id leave = m.NewId(), stay = m.NewId();
  m.Do("OpSelectionMerge " + stay + " None");
  m.Do("OpBranchConditional " + condition + " " + leave + " " + stay);
  m.Label(leave);
  m.Do("OpReturn");
  m.Label(stay);
}

// Invocations that return early, in nodes of every launch kind; the others go on.
void ExpectEarlyReturns(Context& context, Shape shape, Launch launch) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, launch == Launch::kDynamicGrid}});
  const Payload to = m.Output("Target", record, {.max_payloads = 6});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 6);
  m.For(6, [&](const Id& i) { SetLeaf(m, records, i, i, 1); });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Target",
               .launch = launch,
               .local_size = {16, 1, 1},
               .grid = {1, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id lane = m.LocalIndex();
  m.AddWord(words, 500, 1);
  ReturnIf(m, m.Equal(m.Mod(lane, 3), 1));
  m.AddWord(words, lane, m.Add(m.Get(m.NodeInput(), 0, 0), 1));
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Target"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(501);
  for (uint32_t i = 0; i < 16; ++i) expected[i] = i % 3 == 1 ? 0 : 1 + 2 + 3 + 4 + 5 + 6;
  expected[500] = 6 * 16;
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(Scopes, EarlyReturnStaticGrid) { ExpectEarlyReturns(context(), shape(), Launch::kStaticGrid); }

TEST_P(Scopes, EarlyReturnDynamicGrid) { ExpectEarlyReturns(context(), shape(), Launch::kDynamicGrid); }

TEST_P(Scopes, EarlyReturnCoalescing) { ExpectEarlyReturns(context(), shape(), Launch::kCoalescing); }

// Whole workgroups return before they allocate, single invocations after the enqueue.
TEST_P(Scopes, ReturnsAroundAllocations) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 16});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {16, 1, 1}, .grid = {9, 1, 1}, .shader_index = 0});
  ReturnIf(m, m.Equal(m.Mod(m.GroupId(0), 3), 0));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, m.GlobalId(0), 1);
  m.Enqueue(records);
  ReturnIf(m, m.Less(m.LocalIndex(), 5));
  m.AddWord(words, m.Add(m.LocalIndex(), 500), 1);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(516);
  for (uint32_t i = 0; i < 9 * 16; ++i) expected[i] = i / 16 % 3 == 0 ? 0 : 1;
  for (uint32_t lane = 5; lane < 16; ++lane) expected[500 + lane] = 6;
  EXPECT_TRUE(run.Matches(expected));
}

// A thread node that returns early leaves its neighbours alone, wherever they run.
TEST_P(Scopes, EarlyReturnThread) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record);
  m.BeginNode({.name = "Thread", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  ReturnIf(m, m.Equal(m.Mod(number, 4), 2));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, number, m.Get(m.NodeInput(), 0, 1));
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Thread", "Leaf"});
  std::vector<uint32_t> records_in, expected(100);
  for (uint32_t i = 0; i < 100; ++i) {
    records_in.insert(records_in.end(), {i, i + 3});
    expected[i] = i % 4 == 2 ? 0 : i + 3;
  }
  run.Input({.node = "Thread", .count = 100, .payloads = Bytes(records_in), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(Scopes);

}  // namespace
}  // namespace trellis::test
