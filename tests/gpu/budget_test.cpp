// SPDX-License-Identifier: Apache-2.0
// Workgroups that allocate more in all than NodeMaxPayloadsAMDX: what finds no place is lost and counted, what was
// placed is whole, and no other node notices.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Budgets = SmallRingTest;

constexpr uint32_t kWorkgroups = 8;
constexpr uint32_t kLanesOfBudget = 16;
constexpr uint32_t kMax = 16;  // NodeMaxPayloadsAMDX

enum Word : uint32_t { kArrived, kDamaged, kNeighbours };

struct Overrun {
  Scope scope = Scope::kWorkgroup;
  uint32_t count = kMax;     // of each allocation
  uint32_t allocations = 4;  // one after the other, of each type
  bool heap = false;
  bool shared_limit = false;  // a second type, to the same node, whose limit is that of the first
};

// The greedy target "Middle" lies between two others, so that its region does too.
std::string OverrunModule(const Overrun& overrun) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 7, 4), 4}});
  std::vector<Payload> greedy = {m.Output("Middle", record, {.max_payloads = static_cast<int>(kMax)})};
  if (overrun.shared_limit)
    greedy.push_back(m.Output("Middle", record, {.max_payloads = 1, .shares_limits_with = greedy[0].array}));
  const Payload before = m.Output("Before", record, {.max_payloads = 2});
  const Payload after = m.Output("After", record, {.max_payloads = 2});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {static_cast<int>(kLanesOfBudget), 1, 1},
               .grid = {static_cast<int>(kWorkgroups), 1, 1},
               .shader_index = 0});
  const auto send = [&](const Payload& to, Scope scope, uint32_t count, const Id& number, bool heap) {
    const Records records = m.Allocate(to, scope, Value(count));
    m.For(Value(count), [&](const Id& element) {
      const Id value = m.Add(number, element);
      m.Set(records, element, 0, value);
      m.For(7, [&](const Id& i) { m.Store(m.Field(records, m.Uint(), element, {1, i}), m.Add(value, i)); });
    });
    if (heap) {
      // An enqueue that is not on every path.
      m.If(m.Less(m.GroupId(0), 1u << 20), [&] { m.Enqueue(records); });
    } else {
      m.Enqueue(records);
    }
  };
  const Id neighbour = m.Mul(m.GroupId(0), 2);
  send(before, Scope::kWorkgroup, 2, neighbour, false);
  for (uint32_t i = 0; i < overrun.allocations; ++i) {
    for (const Payload& to : greedy) send(to, overrun.scope, overrun.count, m.Mul(m.GlobalId(0), 1000), overrun.heap);
  }
  send(after, Scope::kWorkgroup, 2, m.Add(neighbour, static_cast<int>(2 * kWorkgroups)), false);
  m.EndNode();
  for (const char* name : {"Before", "Middle", "After"}) {
    m.BeginNode({.name = name, .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
    const Id number = m.Get(m.NodeInput(), 0, 0);
    m.For(7, [&](const Id& i) {
      const Id word = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, i}));
      m.If(m.NotEqual(word, m.Add(number, i)), [&] { m.AddWord(words, kDamaged, 1); });
    });
    const bool is_greedy = std::string(name) == "Middle";
    m.AddWord(words, is_greedy ? m.Constant(kArrived) : m.Add(number, kNeighbours), 1);
    m.EndNode();
  }
  return m.Text();
}

uint32_t SentBy(const Overrun& overrun) {
  const uint32_t arrays = overrun.scope == Scope::kWorkgroup ? 1 : kLanesOfBudget;
  return kWorkgroups * arrays * overrun.count * overrun.allocations * (overrun.shared_limit ? 2 : 1);
}

// How many arrived.
uint32_t RunOverrun(Context& context, const Overrun& overrun) {
  context.messages.Expect("NodeMaxPayloadsAMDX-09188");  // with the setting `validate`
  // The plan knows how many workgroups there are.
  GraphRun run(context, {.command = DispatchCommand::kHost});
  run.Nodes(OverrunModule(overrun), {"Root", "Before", "Middle", "After"});
  run.Input({.node = "Root", .count = 1});
  EXPECT_TRUE(run.Execute());
  const uint32_t arrived = run.Words()[kArrived];
  std::vector<uint32_t> expected(kNeighbours + 4 * kWorkgroups, 1);
  expected[kArrived] = arrived;
  expected[kDamaged] = 0;
  EXPECT_TRUE(run.Matches(expected));
  return arrived;
}

// The region holds what the workgroups may send; one that takes more takes it from the others, never from other nodes.
TEST_F(Budgets, SeveralArraysOfAWorkgroup) {
  const Overrun overrun;
  EXPECT_EQ(RunOverrun(context(), overrun), kWorkgroups * kMax);
  EXPECT_EQ(LostRecords(), SentBy(overrun) - kWorkgroups * kMax);
}

TEST_F(Budgets, EveryInvocationAllocates) {
  const Overrun overrun = {.scope = Scope::kInvocation, .count = 4, .allocations = 1};
  EXPECT_EQ(RunOverrun(context(), overrun), kWorkgroups * kMax);
  EXPECT_EQ(LostRecords(), SentBy(overrun) - kWorkgroups * kMax);
}

TEST_F(Budgets, EveryInvocationAllocatesAsMuchAsAllMay) {
  const Overrun overrun = {.scope = Scope::kInvocation, .count = kMax, .allocations = 2};
  const uint32_t arrived = RunOverrun(context(), overrun);
  EXPECT_LE(arrived, kWorkgroups * kMax);
  EXPECT_EQ(arrived + LostRecords(), SentBy(overrun));
}

TEST_F(Budgets, ThroughTheHeap) {
  for (const Scope scope : {Scope::kWorkgroup, Scope::kInvocation}) {
    const Overrun overrun = {.scope = scope, .count = kMax, .heap = true};
    context().messages.Clear();
    context().messages.Expect(kRecordsLost);
    const uint32_t arrived = RunOverrun(context(), overrun);
    EXPECT_GT(arrived, 0u);
    EXPECT_LE(arrived, kWorkgroups * kMax);
    EXPECT_EQ(arrived + LostRecords(), SentBy(overrun));
  }
}

// "Node0" to "NodeN": each workgroup allocates twice what it may, so that half of what is sent to each node is lost.
std::string GreedyChain(uint32_t last) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  for (uint32_t node = 0; node <= last; ++node) {
    NodeOptions options = {.name = "Node" + std::to_string(node), .launch = Launch::kCoalescing, .shader_index = 0};
    const uint32_t sent = node == 0 ? kWorkgroups : 1;
    Payload to;
    if (node < last) to = m.Output("Node" + std::to_string(node + 1), record, {.max_payloads = static_cast<int>(sent)});
    options.input = m.Input(record);
    m.BeginNode(options);
    m.AddWord(words, node, 1);
    for (uint32_t i = 0; node < last && i < 2; ++i) {
      const Records records = m.Allocate(to, Scope::kWorkgroup, sent);
      m.Enqueue(records);
    }
    m.EndNode();
  }
  return m.Text();
}

// Levels, nodes, and bytes, whichever level is the last one.
TEST_F(Budgets, LossesOfEveryLevelAreTold) {
  for (const uint32_t last : {1u, 2u, 5u}) {
    context().messages.Clear();
    context().messages.Expect(kRecordsLost);
    GraphRun run(context(), {.words = 16, .command = DispatchCommand::kHost});
    const std::string module = GreedyChain(last);
    for (uint32_t node = 0; node <= last; ++node) run.Node({.text = module, .entry = "Node" + std::to_string(node)});
    run.Input({.node = "Node0", .count = 1, .payloads = Bytes({0, 0}), .stride = 8});
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected(1 + last, kWorkgroups);
    expected[0] = 1;
    EXPECT_TRUE(run.Matches(expected));
    EXPECT_EQ(LostRecords(), last * kWorkgroups);
    const std::vector<Message> messages = context().messages.Find(kRecordsLost);
    EXPECT_EQ(messages.size(), last);
    for (uint32_t node = 1; node <= last; ++node) {
      const std::string text =
          "8 records (64 bytes) for node Node" + std::to_string(node) + "[0] in level " + std::to_string(node) + " of";
      EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                              [&](const Message& message) { return message.text.find(text) != std::string::npos; }),
                1)
          << text;
    }
  }
}

// Either type may use the whole limit, so there is room for both; beyond that, records are lost.
TEST_F(Budgets, TwoTypesWithOneLimit) {
  const Overrun half = {.count = kMax / 2, .allocations = 1, .shared_limit = true};
  EXPECT_EQ(RunOverrun(context(), half), SentBy(half));
  EXPECT_EQ(LostRecords(), 0u);
  const Overrun overrun = {.allocations = 3, .shared_limit = true};
  const uint32_t arrived = RunOverrun(context(), overrun);
  EXPECT_GE(arrived, kWorkgroups * kMax);
  EXPECT_LT(arrived, SentBy(overrun));
  EXPECT_EQ(arrived + LostRecords(), SentBy(overrun));
}

}  // namespace
}  // namespace trellis::test
