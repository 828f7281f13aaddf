// More payloads than the ring may hold: they are lost, counted and reported, and nothing else is touched.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Overflow = SmallRingTest;

// "Root", `workgroups` of 64 invocations, sends from each invocation {its number, 1, filling of 248 bytes} to "Leaf",
// `launch`: words[0] += value, words[1 + number % 1000] += 1.
std::string FloodModule(uint32_t workgroups, Launch launch, Scope scope, bool heap) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record =
      m.Struct({{m.Uint(), 0}, {m.Uint(), 4, launch == Launch::kDynamicGrid}, {m.Array(m.Uint(), 62, 4), 8}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = 64});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {static_cast<int>(workgroups), 1, 1},
               .shader_index = 0});
  const Id global = m.GlobalId(0);
  const bool shared = scope == Scope::kWorkgroup;
  const Records records = m.Allocate(to, scope, shared ? 64 : 1);
  const Id element = shared ? m.LocalIndex() : m.Constant(0);
  m.Set(records, element, 0, global);
  m.Set(records, element, 1, 1);
  m.For(62, [&](const Id& i) { m.Store(m.Field(records, m.Uint(), element, {2, i}), m.Add(global, i)); });
  if (heap) {
    // An enqueue that is not on every path.
    m.If(m.Less(m.GroupId(0), 1u << 20), [&] { m.Enqueue(records); });
  } else {
    m.Enqueue(records);
  }
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = launch, .grid = {1, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, 0, m.Get(m.NodeInput(), 0, 1));
  // The record is whole.
  const Id last = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {2, 61}));
  m.If(m.NotEqual(last, m.Add(number, 61)), [&] { m.AddWord(words, 1, 1); });
  m.AddWord(words, m.Add(m.Mod(number, 1000), 2), 1);
  m.EndNode();
  return m.Text();
}

void Flood(Context& context, Launch launch, Scope scope, bool heap) {
  constexpr uint32_t kWorkgroups = 1000;
  constexpr uint32_t kSent = kWorkgroups * 64;  // of 256 bytes: 16 MiB
  GraphRun run(context, {.submits = 2});
  run.Nodes(FloodModule(kWorkgroups, launch, scope, heap), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  // Both executions placed the same number of records and no fewer than half of the budget would hold, none of them
  // damaged.
  const auto words = run.Words();
  EXPECT_GT(words[0], 2 * 500u);
  EXPECT_LT(words[0], 2 * kSent);
  EXPECT_EQ(words[1], 0u);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1000; ++i) sum += words[2 + i];
  EXPECT_EQ(sum, words[0]);
  vkDeviceWaitIdle(context.device);
  EXPECT_FALSE(context.messages.Find(kRecordsLost).empty());
}

TEST_F(Overflow, ThreadRecords) { Flood(context(), Launch::kCoalescing, Scope::kInvocation, false); }

TEST_F(Overflow, WorkgroupArrays) { Flood(context(), Launch::kCoalescing, Scope::kWorkgroup, false); }

TEST_F(Overflow, DynamicGrids) { Flood(context(), Launch::kDynamicGrid, Scope::kInvocation, false); }

TEST_F(Overflow, StaticGrids) { Flood(context(), Launch::kStaticGrid, Scope::kWorkgroup, false); }

TEST_F(Overflow, EnqueuedThroughTheHeap) { Flood(context(), Launch::kCoalescing, Scope::kWorkgroup, true); }

// A graph that fits, after one that did not, on the same device: nothing is left over.
TEST_F(Overflow, TheNextGraphIsUnharmed) {
  {
    GraphRun flood(context());
    flood.Nodes(FloodModule(1000, Launch::kCoalescing, Scope::kInvocation, false), {"Root", "Leaf"});
    flood.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(flood.Execute());
  }
  vkDeviceWaitIdle(context().device);
  context().messages.Clear();
  GraphRun run(context(), {.words = 2048});
  run.Nodes(FloodModule(10, Launch::kCoalescing, Scope::kInvocation, false), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_EQ(run.Words()[0], 640u);
  EXPECT_EQ(run.Words()[1], 0u);
  EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
}

}  // namespace
}  // namespace trellis::test
