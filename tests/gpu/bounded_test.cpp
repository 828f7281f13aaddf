// SPDX-License-Identifier: Apache-2.0
// Bounded mode: graphs whose worst case does not fit into the ring run in steps, and lose nothing.
#include <gtest/gtest.h>

#include <optional>
#include <regex>
#include <string>

#include "tests/gpu/flood_module.h"
#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/small_ring.h"
#include "tests/gpu/variant.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kLanes = 64;

struct Steps {
  uint32_t used = 0;
  uint32_t recorded = 0;
};

class Bounded : public SmallRingTest {
 protected:
  // Of the execution that was reported last.
  [[nodiscard]] std::optional<Steps> LastSteps() const {
    vkDeviceWaitIdle(context().device);
    std::optional<Steps> steps;
    for (const Message& message : context().messages.Find("TRELLIS-dispatch-graph")) {
      std::smatch match;
      if (std::regex_search(message.text, match, std::regex("used ([0-9]+) of ([0-9]+) steps")))
        steps = Steps{static_cast<uint32_t>(std::stoul(match[1])), static_cast<uint32_t>(std::stoul(match[2]))};
    }
    return steps;
  }

  // Runs the graph, which must take more steps than it has levels.
  void ExpectExact(GraphRun& run, const std::vector<uint32_t>& expected, uint32_t levels) {
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(expected));
    const std::optional<Steps> steps = LastSteps();
    ASSERT_TRUE(steps) << "the graph did not run in steps";
    EXPECT_GT(steps->used, levels);
    EXPECT_LE(steps->used, steps->recorded);
    // With `validate`, what the last level of a recursion allocates for no node is told too, more often than reports
    // fit.
    for (const Message& message : context().messages.Find(kRecordsLost))
      EXPECT_TRUE(RunsWithValidate() && message.text.find("were overwritten") != std::string::npos) << message.text;
  }
};

RunOptions FromHost() {
  RunOptions options;
  options.command = DispatchCommand::kHost;
  return options;
}

// {number, 1, filling of 248 bytes}, or {number, grid, filling}.
Id LargeRecord(NodeAsm& m, bool grid = false) {
  return m.Struct({{m.Uint(), 0}, {m.Uint(), 4, grid}, {m.Array(m.Uint(), 62, 4), 8}});
}

// "Root", `workgroups` of 64 invocations; each sends {its number, number % modulus} to `target`.
void AddSource(NodeAsm& m, const std::string& target, const Id& record, uint32_t workgroups, uint32_t modulus) {
  const Payload to = m.Output(target, record, {.max_payloads = kLanes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {workgroups, 1, 1},
               .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, 0, m.GlobalId(0));
  m.Set(records, 0, 1, m.Mod(m.GlobalId(0), modulus));
  m.Enqueue(records);
  m.EndNode();
}

struct FloodForm {
  const char* name;
  Launch launch;
  Scope scope;
  bool heap;
};

class BoundedFlood : public Bounded, public testing::WithParamInterface<FloodForm> {
 protected:
  static constexpr uint32_t kWorkgroups = 1000;

  [[nodiscard]] std::string Module() const {
    return FloodModule(kWorkgroups, GetParam().launch, GetParam().scope, GetParam().heap);
  }
  [[nodiscard]] static std::vector<uint32_t> Expected(uint32_t executions) {
    std::vector<uint32_t> expected(1002, executions * kLanes);
    expected[0] = executions * kWorkgroups * kLanes;
    expected[1] = 0;
    return expected;
  }
};

// 16 MiB through a ring of one, several times in a row.
TEST_P(BoundedFlood, Arrives) {
  RunOptions options = FromHost();
  options.dispatches = options.submits = 2;
  GraphRun run(context(), options);
  run.Nodes(Module(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ExpectExact(run, Expected(4), 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BoundedFlood,
                         testing::Values(FloodForm{"Threads", Launch::kCoalescing, Scope::kInvocation, false},
                                         FloodForm{"WorkgroupArrays", Launch::kCoalescing, Scope::kWorkgroup, false},
                                         FloodForm{"DynamicGrids", Launch::kDynamicGrid, Scope::kInvocation, false},
                                         FloodForm{"StaticGrids", Launch::kStaticGrid, Scope::kWorkgroup, false},
                                         FloodForm{"Heap", Launch::kCoalescing, Scope::kWorkgroup, true}),
                         [](const auto& info) { return info.param.name; });

// Groups are not full wherever a portion ends.
TEST_F(Bounded, CoalescingNodesSendOn) {
  constexpr uint32_t kWorkgroups = 200;
  constexpr uint32_t kGroup = 24;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LargeRecord(m);
  AddSource(m, "Gather", record, kWorkgroups, 5);
  const Payload to = m.Output("Leaf", LeafRecord(m), {.max_payloads = kGroup});
  m.BeginNode({.name = "Gather",
               .launch = Launch::kCoalescing,
               .local_size = {32, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, kGroup)});
  const Id lane = m.LocalIndex();
  const Id is_mine = m.Less(lane, m.Length(m.NodeInput()));
  const Records records = m.Allocate(to, Scope::kInvocation, m.Select(is_mine, 1, 0));
  m.If(is_mine,
       [&] { SetLeaf(m, records, 0, m.Mod(m.Get(m.NodeInput(), lane, 0), 500), m.Get(m.NodeInput(), lane, 1)); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, LeafRecord(m));
  GraphRun run(context(), FromHost());
  run.Nodes(m.Text(), {"Root", "Gather", "Leaf"});
  run.Input({.node = "Root"});
  std::vector<uint32_t> expected(500);
  for (uint32_t i = 0; i < kWorkgroups * kLanes; ++i) expected[i % 500] += i % 5;
  ExpectExact(run, expected, 3);
}

// Grids from records, of which some are empty, in a level whose portions part them.
TEST_F(Bounded, GridsFromRecords) {
  constexpr uint32_t kWorkgroups = 100;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LargeRecord(m, true);
  AddSource(m, "Grid", record, kWorkgroups, 7);
  const Id leaf = LargeRecord(m);
  const Payload to = m.Output("Leaf", leaf, {.max_payloads = 4});
  m.BeginNode({.name = "Grid", .grid = {6, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 4);
  m.For(4, [&](const Id& i) { SetLeaf(m, records, i, m.Add(m.Mul(m.GroupId(0), 4), i), m.Get(m.NodeInput(), 0, 0)); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf);
  GraphRun run(context(), FromHost());
  run.Nodes(m.Text(), {"Root", "Grid", "Leaf"});
  run.Input({.node = "Root"});
  std::vector<uint32_t> expected(24);
  for (uint32_t i = 0; i < kWorkgroups * kLanes; ++i)
    for (uint32_t group = 0; group < i % 7; ++group)
      for (uint32_t k = 0; k < 4; ++k) expected[4 * group + k] += i;
  ExpectExact(run, expected, 3);
}

// Every level is the producer and the consumer of the same node.
TEST_F(Bounded, Recursion) {
  constexpr uint32_t kLevels = 4;
  constexpr uint32_t kFactor = 16;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 15, 4), 4}});
  const Payload self = m.Output("Tree", record, {.max_payloads = kFactor});
  m.BeginNode({.name = "Tree",
               .launch = Launch::kCoalescing,
               .shader_index = 0,
               .recursion = kLevels,
               .input = m.Input(record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(words, m.RemainingRecursion(), 1);
  m.AddWord(words, m.Add(m.Mod(number, 1000), 8), 1);
  const Records children = m.Allocate(self, Scope::kInvocation, kFactor);
  m.For(kFactor, [&](const Id& i) { m.Set(children, i, 0, m.Add(m.Mul(number, kFactor), i)); });
  m.Enqueue(children);
  m.EndNode();
  GraphRun run(context(), FromHost());
  run.Nodes(m.Text(), {"Tree"});
  run.Input({.node = "Tree", .payloads = Bytes(std::vector<uint32_t>(16))});
  std::vector<uint32_t> expected(1008);
  uint32_t count = 1;
  for (uint32_t level = 0; level <= kLevels; ++level, count *= kFactor) {
    expected[kLevels - level] = count;
    for (uint32_t i = 0; i < count; ++i) ++expected[8 + i % 1000];
  }
  ExpectExact(run, expected, kLevels + 1);
}

// Several launches read a queue, each at its own pace.
TEST_F(Bounded, SharedInputs) {
  constexpr uint32_t kWorkgroups = 150;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LargeRecord(m, true);
  AddSource(m, "Base", record, kWorkgroups, 4);
  const SharedInput base = {m.String("Base")};
  const auto add_reader = [&](NodeOptions options, uint32_t first, uint32_t sent, const Payload& to) {
    options.shader_index = 0;
    options.input = m.Input(record);
    m.BeginNode(options);
    m.AddWord(words, m.Add(m.Mod(m.Get(m.NodeInput(), 0, 0), 100), first), m.Add(m.GroupId(0), 1));
    const Records records = m.Allocate(to, Scope::kWorkgroup, sent);
    m.For(sent, [&](const Id& i) { SetLeaf(m, records, i, m.Add(i, 900), 1); });
    m.Enqueue(records);
    m.EndNode();
  };
  const Id leaf = LargeRecord(m);
  add_reader({.name = "Base", .launch = Launch::kStaticGrid, .grid = {3, 1, 1}}, 0, 2,
             m.Output("Leaf", leaf, {.max_payloads = 2}));
  add_reader({.name = "Dynamic", .grid = {3, 1, 1}, .shares_input = base}, 100, 1, m.Output("Leaf", leaf));
  add_reader({.name = "Thread", .launch = Launch::kCoalescing, .shares_input = base}, 200, 5,
             m.Output("Leaf", leaf, {.max_payloads = 5}));
  AddThreadLeaf(m, "Leaf", words, leaf);
  GraphRun run(context(), FromHost());
  run.Nodes(m.Text(), {"Root", "Base", "Dynamic", "Thread", "Leaf"});
  run.Input({.node = "Root"});
  std::vector<uint32_t> expected(905);
  for (uint32_t i = 0; i < kWorkgroups * kLanes; ++i) {
    expected[i % 100] += 1 + 2 + 3;
    for (uint32_t group = 0; group < i % 4; ++group) expected[100 + i % 100] += group + 1;
    ++expected[200 + i % 100];
    for (uint32_t k = 0; k < 5; ++k) ++expected[900 + k];
    expected[900] += 3 + i % 4;
    expected[901] += 3;
  }
  ExpectExact(run, expected, 3);
}

// Workgroups of one payload run in different portions, and count themselves out all the same.
TEST_F(Bounded, FinishWriting) {
  constexpr uint32_t kWorkgroups = 80;
  constexpr uint32_t kGroups = 5;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LargeRecord(m);
  m.Track(record);
  AddSource(m, "Sum", record, kWorkgroups, 1);
  const Id leaf = LargeRecord(m);
  const Payload to = m.Output("Leaf", leaf, {.max_payloads = 3});
  m.BeginNode({.name = "Sum",
               .launch = Launch::kStaticGrid,
               .local_size = {8, 1, 1},
               .grid = {kGroups, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.Op("OpAtomicIAdd", m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1}), 1, 0, m.Add(m.GroupId(0), 1));
  const Id last = m.FinishWriting();
  m.If(last, [&] { m.AddWord(words, 0, m.Get(m.NodeInput(), 0, 1)); });
  m.AddWord(words, 1, m.Select(last, 1, 0));
  const Records records = m.Allocate(to, Scope::kWorkgroup, 3);
  m.If(m.Less(m.LocalIndex(), 3), [&] { SetLeaf(m, records, m.LocalIndex(), m.Add(m.LocalIndex(), 2), 1); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf);
  GraphRun run(context(), FromHost());
  run.Nodes(m.Text(), {"Root", "Sum", "Leaf"});
  run.Input({.node = "Root"});
  constexpr uint32_t kPayloads = kWorkgroups * kLanes;
  const uint32_t leaves = kPayloads * kGroups;
  ExpectExact(run, {kPayloads * 8 * (8 * (1 + 2 + 3 + 4 + 5)), kPayloads * 8, leaves, leaves, leaves}, 3);
}

// Inputs that nodes write are copied into the ring, behind the queues; there are more of them than the budget would
// hold.
TEST_F(Bounded, WrittenInputsOfTheApplication) {
  constexpr uint32_t kPayloads = 6000;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LargeRecord(m);
  const Id leaf = LargeRecord(m);
  const Payload to = m.Output("Leaf", leaf, {.max_payloads = 2});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .grid = {2, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  m.Op("OpAtomicIAdd", m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {2, 7}), 1, 0, 1);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 2);
  m.For(2, [&](const Id& i) { SetLeaf(m, records, i, m.Mod(m.Get(m.NodeInput(), 0, 0), 700), 1); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, leaf);
  RunOptions options = FromHost();
  options.submits = 2;
  GraphRun run(context(), options);
  run.Nodes(m.Text(), {"Root", "Leaf"});
  std::vector<uint32_t> payloads(kPayloads * 64);
  std::vector<uint32_t> expected(700);
  for (uint32_t i = 0; i < kPayloads; ++i) {
    payloads[i * 64] = i;
    expected[i % 700] += options.submits * 2 * 2;
  }
  run.Input({.node = "Root", .count = kPayloads, .payloads = Bytes(payloads), .stride = 256});
  ExpectExact(run, expected, 2);
}

}  // namespace
}  // namespace trellis::test
