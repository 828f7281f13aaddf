// SPDX-License-Identifier: Apache-2.0
// Graphs of several levels in which one node may get all that a level sends, and executions of very different sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kLanesOfLevel = 64;

// Four levels of arrays "L0" to "L3", any node to any of the next array. Records are {number, the way that they took,
// filling}: 16 bytes, so that a level takes 64 KiB of a half of 512 KiB, and what all its nodes could get 8 MiB.
constexpr uint32_t kLevels = 4;
constexpr uint32_t kArray = 128;
constexpr uint32_t kRecordsOfLevel = 4096;

enum class Way { kAnyToAny, kOneNodeOfEachLevel };

constexpr uint32_t Factor(uint32_t level) { return 0x9E3779B1 + 2 * level; }
constexpr uint32_t Favourite(uint32_t level) { return (37 * level + 11) % kArray; }

uint32_t NodeFor(Way way, uint32_t number, uint32_t level) {
  return way == Way::kAnyToAny ? (number * Factor(level) >> 16) % kArray : Favourite(level);
}
Id NodeFor(NodeAsm& m, Way way, const Id& number, uint32_t level) {
  if (way == Way::kAnyToAny) return m.Mod(m.Shift(m.Mul(number, Factor(level)), 16), kArray);
  // Not a constant: no plan may know it.
  return m.Add(m.Mod(m.Mul(number, kArray), kArray), Favourite(level));
}

void Send(NodeAsm& m, const Id& record, Way way, uint32_t level, uint32_t most, const Id& number, const Id& taken) {
  const Payload to = m.Output("L" + std::to_string(level), record, {.max_payloads = most, .array_size = kArray});
  const Records sent = m.Allocate(to, Scope::kInvocation, 1, NodeFor(m, way, number, level));
  m.Set(sent, 0, 0, number);
  m.Set(sent, 0, 1, taken);
  m.Enqueue(sent);
}

std::string LevelsModule(Way way) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Uint(), 8}, {m.Uint(), 12}});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanesOfLevel, 1, 1},
               .grid = {kRecordsOfLevel / kLanesOfLevel, 1, 1},
               .shader_index = 0});
  Send(m, record, way, 0, kLanesOfLevel, m.GlobalId(0), m.Constant(1));
  m.EndNode();
  for (uint32_t level = 0; level < kLevels; ++level) {
    m.BeginNode({.name = "L" + std::to_string(level),
                 .launch = Launch::kCoalescing,
                 .shader_index = 0,
                 .input = m.Input(record)});
    const Id number = m.Get(m.NodeInput(), 0, 0);
    const Id taken = m.Add(m.Mul(m.Get(m.NodeInput(), 0, 1), 131), m.ShaderIndex());
    if (level + 1 < kLevels)
      Send(m, record, way, level + 1, 1, number, taken);
    else
      m.AddWord(words, number, taken);
    m.EndNode();
  }
  return m.Text();
}

class SkewedLevels : public SmallRingTest, public testing::WithParamInterface<Way> {};

TEST_P(SkewedLevels, EveryRecordTakesItsWay) {
  for (const DispatchCommand command : {DispatchCommand::kHost, DispatchCommand::kIndirect}) {
    GraphRun run(context(), {.words = kRecordsOfLevel + 1, .dispatches = 2, .submits = 2, .command = command});
    const std::string module = LevelsModule(GetParam());
    run.Nodes(module, {"Root"});
    for (uint32_t level = 0; level < kLevels; ++level)
      for (uint32_t index = 0; index < kArray; ++index)
        run.Node({.text = module, .entry = "L" + std::to_string(level), .index = index});
    run.Input({.node = "Root"});
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected;
    for (uint32_t number = 0; number < kRecordsOfLevel; ++number) {
      uint32_t taken = 1;
      for (uint32_t level = 0; level < kLevels; ++level) taken = 131 * taken + NodeFor(GetParam(), number, level);
      expected.push_back(4 * taken);
    }
    EXPECT_TRUE(run.Matches(expected));
  }
  EXPECT_EQ(LostRecords(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, SkewedLevels, testing::Values(Way::kAnyToAny, Way::kOneNodeOfEachLevel),
                         [](const testing::TestParamInfo<Way>& way) {
                           return way.param == Way::kAnyToAny ? "AnyToAny" : "OneNodeOfEachLevel";
                         });

// Nodes of an array that each enqueue to themselves: record n sends records 2 n and 2 n + 1.
class SkewedRecursion : public SmallRingTest {};

TEST_F(SkewedRecursion, EveryRecordArrives) {
  constexpr uint32_t kNodes = 8;
  constexpr uint32_t kRoots = 1024;
  constexpr uint32_t kDepth = 3;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Uint(), 8}, {m.Uint(), 12}});
  const Payload to = m.Output("R", record, {.max_payloads = kLanesOfLevel, .array_size = kNodes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanesOfLevel, 1, 1},
               .grid = {kRoots / kLanesOfLevel, 1, 1},
               .shader_index = 0});
  const Id lane = m.GlobalId(0);
  // Three of four to node 5.
  const Id index = m.Select(m.Equal(m.Mod(lane, 4), 0), m.Mod(m.Div(lane, 4), kNodes), 5);
  const Records roots = m.Allocate(to, Scope::kInvocation, 1, index);
  m.Set(roots, 0, 0, m.Add(lane, kRoots));
  m.Enqueue(roots);
  m.EndNode();
  for (uint32_t node = 0; node < kNodes; ++node) {
    const Payload self = m.Output("R", record, {.max_payloads = 2, .base_index = node});
    m.BeginNode({.name = "R" + std::to_string(node),
                 .launch = Launch::kCoalescing,
                 .shader_index = node,
                 .recursion = Value(kDepth),
                 .input = m.Input(record)});
    const Id number = m.Get(m.NodeInput(), 0, 0);
    m.AddWord(words, number, 1);
    m.If(m.IsValid(self, 0), [&] {
      const Records children = m.Allocate(self, Scope::kInvocation, 2);
      m.For(2, [&](const Id& i) { m.Set(children, i, 0, m.Add(m.Mul(number, 2), i)); });
      m.Enqueue(children);
    });
    m.EndNode();
  }
  constexpr uint32_t kEnd = kRoots << (kDepth + 1);
  GraphRun run(context(), {.words = kEnd + 1, .dispatches = 2, .submits = 2});
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t node = 0; node < kNodes; ++node)
    run.Node({.text = m.Text(), .entry = "R" + std::to_string(node), .name = "R"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kEnd, 4);
  std::fill(expected.begin(), expected.begin() + kRoots, 0);
  EXPECT_TRUE(run.Matches(expected));
  EXPECT_EQ(LostRecords(), 0u);
}

// One record, or 400 MiB of them, all for one node of an array; infos on the device say which. Rings have 1,000
// MiB: nearly what they have by default where there is memory for that, and what every driver here allocates.
class SkewedSizes : public OwnDeviceTest {
 protected:
  static constexpr uint32_t kMany = 25'600;  // of 16 KiB
  static constexpr uint32_t kRecordWords = 4096;
  static constexpr uint32_t kNodes = 4;

  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (HasFatalFailure()) return;
    const Buffer ring(context(), VkDeviceSize{1000} << 20, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    if (ring.handle() == VK_NULL_HANDLE) GTEST_SKIP() << "no memory for a ring of 1,000 MiB";
  }
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override { return {{"TRELLIS_RING_BUDGET", "1000"}}; }

  // One recording, executed with so many records each time.
  void ExpectAllArrive(const std::vector<uint32_t>& counts);
};

// "Root", thread, gets {number} and sends {number, ..., 3 * number}.
std::string LargeRecordsModule(uint32_t record_words, uint32_t nodes) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id number_record = m.Struct({{m.Uint(), 0}});
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), record_words - 1, 4), 4}});
  const auto last = [&](const Records& records) { return m.Field(records, m.Uint(), 0, {1, record_words - 2}); };
  const Payload to = m.Output("Leaf", record, {.array_size = nodes});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(number_record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  const Records sent = m.Allocate(to, Scope::kInvocation, 1, m.Select(m.Less(number, 1u << 30), nodes - 1, 0));
  m.Set(sent, 0, 0, number);
  m.Store(last(sent), m.Mul(number, 3));
  m.Enqueue(sent);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id got = m.Get(m.NodeInput(), 0, 0);
  const Id is_whole = m.Equal(m.Load(m.Uint(), last(m.NodeInput())), m.Mul(got, 3));
  m.AddWord(words, got, m.Select(is_whole, 1, 1u << 16));
  m.EndNode();
  return m.Text();
}

void SkewedSizes::ExpectAllArrive(const std::vector<uint32_t>& counts) {
  GraphRun run(context(), {.words = kMany + 1, .dispatches = 0});
  const std::string module = LargeRecordsModule(kRecordWords, kNodes);
  run.Nodes(module, {"Root"});
  for (uint32_t index = 0; index < kNodes; ++index) run.Node({.text = module, .entry = "Leaf", .index = index});
  ASSERT_TRUE(run.Prepare());
  std::vector<uint32_t> numbers(kMany);
  std::iota(numbers.begin(), numbers.end(), 0);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  const DeviceInputs inputs =
      RecordIndirectDispatch(context(), command_buffer, run.graph(), run.scratch(),
                             {{.node = "Root", .count = kMany, .payloads = Bytes(numbers), .stride = 4}},
                             DispatchCommand::kIndirect, sizeof(VkDispatchGraphInfoAMDX), ~0u);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  // The info comes last, behind one word.
  uint32_t& payload_count = inputs.buffers.back().words()[1 + offsetof(VkDispatchGraphInfoAMDX, payloadCount) / 4];
  ASSERT_EQ(payload_count, kMany);
  std::vector<uint32_t> expected(kMany);
  for (const uint32_t count : counts) {
    payload_count = count;
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    for (uint32_t number = 0; number < count; ++number) ++expected[number];
    EXPECT_TRUE(run.Matches(expected)) << count << " records";
  }
  EXPECT_TRUE(run.GuardsIntact());
}

TEST_F(SkewedSizes, TheFirstExecutionOfADeviceIsALargeOne) { ExpectAllArrive({kMany, 1}); }

TEST_F(SkewedSizes, LargeOnesBetweenSmallOnes) { ExpectAllArrive({1, kMany, 1, kMany, kMany - 1}); }

}  // namespace
}  // namespace trellis::test
