// SPDX-License-Identifier: Apache-2.0
// Workgroups that share a payload count themselves out; the last one reads what all of them wrote.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kFinishingLanes = 8;
constexpr uint32_t kCells = 64;
// Members of the record: {slot, sum, grid, cells}.
constexpr uint32_t kSlot = 0, kSum = 1, kGrid = 2, kCell = 3;
// Where the words of a record begin: how many invocations were told that they are of the last workgroup; the sum and
// the cells as each of those sees them.
constexpr uint32_t kTold = 0, kSumSeen = 100, kCellsSeen = 200;

using Grid = std::array<uint32_t, 3>;
Id Linear(NodeAsm& m, const Grid& grid) {
  return m.Add(m.GroupId(0), m.Mul(m.Add(m.GroupId(1), m.Mul(m.GroupId(2), grid[1])), grid[0]));
}
uint32_t Workgroups(const Grid& grid) { return grid[0] * grid[1] * grid[2]; }

struct Form {
  Shape shape = Shape::kDxc;
  bool vulkan_model = false;
};

class FinishWriting : public GpuTest, public testing::WithParamInterface<Form> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (GetParam().vulkan_model && !context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModel";
  }

  [[nodiscard]] NodeAsm Begin() const {
    NodeAsm m(GetParam().shape);
    if (GetParam().vulkan_model) m.UseVulkanMemoryModel();
    return m;
  }
  static Id TrackedRecord(NodeAsm& m, bool with_grid) {
    const Id record = m.Struct(
        {{m.Uint(), 0}, {m.Uint(), 4}, {m.Vector(m.Uint(), 3), 8, with_grid}, {m.Array(m.Uint(), kCells, 4), 20}});
    m.Track(record);
    return record;
  }

  // Every invocation adds to the sum, one of each workgroup writes the workgroup's cell. `linear` is below kCells.
  static void WriteAndFinish(NodeAsm& m, const Id& words, const Id& linear, uint32_t workgroups,
                             const std::function<void()>& when_last = {}) {
    const Records& input = m.NodeInput();
    const Id slot = m.Get(input, 0, kSlot);
    m.Op("OpAtomicIAdd", m.Uint(), m.Field(input, m.Uint(), 0, {kSum}), 1, 0, m.Add(linear, 1));
    m.If(m.Equal(m.LocalIndex(), m.Mod(linear, kFinishingLanes)), [&] {
      m.Store(m.Field(input, m.Uint(), 0, {kCell, linear}), m.Add(m.Mul(linear, linear), slot));
    });
    const Id last = m.FinishWriting();
    m.AddWord(words, m.Add(slot, kTold), m.Select(last, 1, 0));
    m.If(last, [&] {
      m.AddWord(words, m.Add(slot, kSumSeen), m.Get(input, 0, kSum));
      m.For(workgroups, [&](const Id& i) {
        m.AddWord(words, m.Add(slot, kCellsSeen), m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {kCell, i})));
      });
      if (when_last) when_last();
    });
  }
  // "Adder": WriteAndFinish in each workgroup of a static grid.
  static void AddStaticAdder(NodeAsm& m, const Id& words, const Id& record, const Grid& grid) {
    m.BeginNode({.name = "Adder",
                 .launch = Launch::kStaticGrid,
                 .local_size = {kFinishingLanes, 1, 1},
                 .grid = {static_cast<int>(grid[0]), static_cast<int>(grid[1]), static_cast<int>(grid[2])},
                 .shader_index = 0,
                 .input = m.Input(record)});
    WriteAndFinish(m, words, Linear(m, grid), Workgroups(grid));
    m.EndNode();
  }
  // One "Root", which starts "Adder".
  void RunRoot(NodeAsm& m, const std::vector<uint32_t>& expected) const {
    GraphRun run(context());
    run.Nodes(m.Text(), {"Root", "Adder"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(expected));
  }
  static void ExpectRecord(std::vector<uint32_t>& expected, uint32_t slot, uint32_t workgroups) {
    if (workgroups == 0) return;
    expected[kTold + slot] += kFinishingLanes;
    for (uint32_t w = 0; w < workgroups; ++w) {
      expected[kSumSeen + slot] += kFinishingLanes * kFinishingLanes * (w + 1);
      expected[kCellsSeen + slot] += kFinishingLanes * (w * w + slot);
    }
  }
};

// 40 records for "Adder": slot i, sum 0, and the grid that `grid_of` gives; the cells stay unwritten.
void AddRoot(NodeAsm& m, const Id& record, const std::function<Id(NodeAsm&, const Id&, uint32_t)>& grid_of) {
  const Payload to = m.Output("Adder", record, {.max_payloads = 4});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {10, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  const Id slot = m.GlobalId(0);
  m.Set(records, 0, kSlot, slot);
  m.Set(records, 0, kSum, 0);
  for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(records, m.Uint(), 0, {kGrid, i}), grid_of(m, slot, i));
  m.Enqueue(records);
  m.EndNode();
}

TEST_P(FinishWriting, StaticGrid) {
  constexpr Grid kGridSize = {4, 3, 2};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, false);
  AddRoot(m, record, [](NodeAsm& node, const Id&, uint32_t) { return node.Constant(0xEEEEEEEE); });
  AddStaticAdder(m, words, record, kGridSize);
  GraphRun run(context(), {.dispatches = 2, .submits = 2});
  run.Nodes(m.Text(), {"Root", "Adder"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t times = 0; times < 4; ++times)
    for (uint32_t slot = 0; slot < 40; ++slot) ExpectRecord(expected, slot, Workgroups(kGridSize));
  EXPECT_TRUE(run.Matches(expected));
}

// Another grid in every record, records without workgroups among them.
TEST_P(FinishWriting, GridsFromRecords) {
  constexpr Grid kModulus = {5, 4, 3};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, true);
  AddRoot(m, record, [&](NodeAsm& node, const Id& slot, uint32_t i) { return node.Mod(slot, kModulus[i]); });
  m.BeginNode({.name = "Adder",
               .local_size = {kFinishingLanes, 1, 1},
               .grid = {4, 4, 4},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id slot = m.Get(m.NodeInput(), 0, kSlot);
  const Id rows = m.Add(m.GroupId(1), m.Mul(m.GroupId(2), m.Mod(slot, kModulus[1])));
  const Id count = m.Mul(m.Mul(m.Mod(slot, kModulus[0]), m.Mod(slot, kModulus[1])), m.Mod(slot, kModulus[2]));
  const Id linear = m.Add(m.GroupId(0), m.Mul(rows, m.Mod(slot, kModulus[0])));
  const Records& input = m.NodeInput();
  m.Op("OpAtomicIAdd", m.Uint(), m.Field(input, m.Uint(), 0, {kSum}), 1, 0, m.Add(linear, 1));
  m.If(m.Equal(m.LocalIndex(), 3), [&] { m.Store(m.Field(input, m.Uint(), 0, {kCell, linear}), linear); });
  const Id last = m.FinishWriting();
  m.AddWord(words, m.Add(slot, kTold), m.Select(last, 1, 0));
  m.If(last, [&] {
    m.AddWord(words, m.Add(slot, kSumSeen), m.Get(input, 0, kSum));
    m.For(count, [&](const Id& i) {
      m.AddWord(words, m.Add(slot, kCellsSeen), m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {kCell, i})));
    });
  });
  m.EndNode();
  std::vector<uint32_t> expected(1024);
  for (uint32_t i = 0; i < 40; ++i) {
    const uint32_t workgroups = (i % 5) * (i % 4) * (i % 3);
    if (workgroups != 0) expected[kTold + i] = kFinishingLanes;
    for (uint32_t w = 0; w < workgroups; ++w) {
      expected[kSumSeen + i] += kFinishingLanes * kFinishingLanes * (w + 1);
      expected[kCellsSeen + i] += kFinishingLanes * w;
    }
  }
  RunRoot(m, expected);
}

// A payload that does not say where its grid is begins with it. The first workgroup writes another one there.
TEST_P(FinishWriting, RecordsWithoutAGridMember) {
  constexpr Grid kGridSize = {5, 3, 2};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0}, {m.Uint(), 12}});
  m.Track(record);
  const Payload to = m.Output("Adder", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(records, m.Uint(), 0, {0, i}), m.Constant(kGridSize[i]));
  m.Set(records, 0, 1, 0);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Adder", .local_size = {kFinishingLanes, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  const Records& input = m.NodeInput();
  const Id linear = Linear(m, kGridSize);
  m.If(m.Equal(linear, 0), [&] {
    for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(input, m.Uint(), 0, {0, i}), m.Constant(7 + i));
  });
  m.Op("OpAtomicIAdd", m.Uint(), m.Field(input, m.Uint(), 0, {1}), 1, 0, linear);
  const Id last = m.FinishWriting();
  m.AddWord(words, 0, m.Select(last, 1, 0));
  m.AddWord(words, m.Add(linear, 1), 1);
  m.If(last, [&] {
    m.AddWord(words, 50, m.Get(input, 0, 1));
    for (uint32_t i = 0; i < 3; ++i) m.AddWord(words, 51 + i, m.Load(m.Uint(), m.Field(input, m.Uint(), 0, {0, i})));
  });
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Adder"});
  run.Input({.node = "Root", .count = 3});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(54);
  expected[0] = 3 * kFinishingLanes;
  for (uint32_t w = 0; w < 30; ++w) {
    expected[w + 1] = 3 * kFinishingLanes;
    expected[50] += 3 * kFinishingLanes * kFinishingLanes * w;
  }
  for (uint32_t i = 0; i < 3; ++i) expected[51 + i] = 3 * kFinishingLanes * (7 + i);
  EXPECT_TRUE(run.Matches(expected));
}

// The last workgroup of each activation starts the next one, with what all of them added up.
TEST_P(FinishWriting, Recursion) {
  constexpr Grid kGridSize = {3, 2, 1};
  constexpr uint32_t kLevels = 4;
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, false);
  const Payload self = m.Output("Adder", record);
  m.BeginNode({.name = "Adder",
               .launch = Launch::kStaticGrid,
               .local_size = {kFinishingLanes, 1, 1},
               .grid = {kGridSize[0], kGridSize[1], kGridSize[2]},
               .shader_index = 0,
               .recursion = Value(kLevels),
               .input = m.Input(record)});
  WriteAndFinish(m, words, Linear(m, kGridSize), Workgroups(kGridSize), [&] {
    m.If(m.NotEqual(m.RemainingRecursion(), 0), [&] {
      const Records next = m.Allocate(self, Scope::kWorkgroup, 1);
      m.Set(next, 0, kSlot, m.Add(m.Get(m.NodeInput(), 0, kSlot), 1));
      m.Set(next, 0, kSum, m.Get(m.NodeInput(), 0, kSum));
      m.Enqueue(next);
    });
  });
  m.EndNode();
  std::vector<uint32_t> payloads;
  const uint32_t words_each = 5 + kCells;
  for (const uint32_t slot : {0u, 10u, 20u}) {
    payloads.push_back(slot);
    payloads.resize(payloads.size() + words_each - 1);
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Adder"});
  run.Input({.node = "Adder", .count = 3, .payloads = Bytes(payloads), .stride = 4 * words_each});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (const uint32_t slot : {0u, 10u, 20u}) {
    for (uint32_t level = 0; level <= kLevels; ++level) {
      ExpectRecord(expected, slot + level, Workgroups(kGridSize));
      if (level > 0) expected[kSumSeen + slot + level] += expected[kSumSeen + slot + level - 1];
    }
  }
  EXPECT_TRUE(run.Matches(expected));
}

// What the application launches: undefined by the text, but every launch counts all the same, and the application's
// bytes stay as they were.
TEST_P(FinishWriting, LaunchedByTheApplication) {
  constexpr Grid kGridSize = {6, 2, 1};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, true);
  m.BeginNode({.name = "Adder", .local_size = {kFinishingLanes, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  WriteAndFinish(m, words, Linear(m, kGridSize), Workgroups(kGridSize));
  m.EndNode();
  std::vector<uint32_t> payloads;
  for (uint32_t slot = 0; slot < 50; ++slot) {
    payloads.insert(payloads.end(), {slot, 0, kGridSize[0], kGridSize[1], kGridSize[2]});
    payloads.resize(payloads.size() + kCells, 0xEEEEEEEE);
  }
  GraphRun run(context(), {.dispatches = 2, .submits = 2});
  run.Nodes(m.Text(), {"Adder"});
  run.Input({.node = "Adder", .count = 50, .payloads = Bytes(payloads), .stride = 4 * (5 + kCells)});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t times = 0; times < 4; ++times)
    for (uint32_t slot = 0; slot < 50; ++slot) ExpectRecord(expected, slot, Workgroups(kGridSize));
  EXPECT_TRUE(run.Matches(expected));
}

// Only the counter is there.
TEST_P(FinishWriting, RecordsWithoutBytes) {
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({});
  m.Track(record);
  const Payload to = m.Output("Adder", record, {.max_payloads = 5});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  m.Increment(to, Scope::kInvocation, 5);
  m.EndNode();
  m.BeginNode({.name = "Adder",
               .launch = Launch::kStaticGrid,
               .local_size = {kFinishingLanes, 1, 1},
               .grid = {6, 2, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, m.Select(m.FinishWriting(), 1, 0), 1);
  m.EndNode();
  for (const char* const entry : {"Root", "Adder"}) {
    GraphRun run(context(), {.submits = 2});
    run.Nodes(m.Text(), {"Root", "Adder"});
    run.Input({.node = entry, .count = 3});
    ASSERT_TRUE(run.Execute());
    const uint32_t records = entry == std::string("Root") ? 15 : 3;
    EXPECT_TRUE(run.Matches({2 * records * 11 * kFinishingLanes, 2 * records * kFinishingLanes})) << entry;
  }
}

// Two of a record's workgroups never finish: nobody is the last one. The record next to it is not concerned.
TEST_P(FinishWriting, WorkgroupThatNeverCalls) {
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, false);
  AddRoot(m, record, [](NodeAsm& node, const Id&, uint32_t) { return node.Constant(0); });
  m.BeginNode({.name = "Adder",
               .launch = Launch::kStaticGrid,
               .local_size = {kFinishingLanes, 1, 1},
               .grid = {9, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id slot = m.Get(m.NodeInput(), 0, kSlot);
  const Id odd = m.Equal(m.Mod(slot, 2), 1);
  const Id third = m.Equal(m.Mod(m.GroupId(0), 4), 3);
  m.If(
      m.Op("OpLogicalAnd", m.Bool(), odd, third), [&] { m.AddWord(words, m.Add(slot, 500), 1); },
      [&] { m.AddWord(words, slot, m.Select(m.FinishWriting(), 1, 0)); });
  m.EndNode();
  std::vector<uint32_t> expected(1024);
  for (uint32_t i = 0; i < 40; ++i) {
    expected[i] = i % 2 == 0 ? kFinishingLanes : 0;
    expected[500 + i] = i % 2 == 0 ? 0 : 2 * kFinishingLanes;
  }
  RunRoot(m, expected);
}

// Records that are copied out of the heap when they are enqueued.
TEST_P(FinishWriting, RecordsThatAreEnqueuedOnSomePaths) {
  constexpr Grid kGridSize = {7, 1, 1};
  NodeAsm m = Begin();
  const Id words = m.StorageBuffer(0);
  const Id record = TrackedRecord(m, false);
  const Payload to = m.Output("Adder", record, {.max_payloads = 8});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {10, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 4);
  m.Set(records, m.LocalIndex(), kSlot, m.GlobalId(0));
  m.Set(records, m.LocalIndex(), kSum, 0);
  m.If(m.Equal(m.Mod(m.GroupId(0), 2), 0), [&] { m.Enqueue(records); });
  m.EndNode();
  AddStaticAdder(m, words, record, kGridSize);
  std::vector<uint32_t> expected(1024);
  for (uint32_t slot = 0; slot < 40; ++slot)
    if (slot / 4 % 2 == 0) ExpectRecord(expected, slot, Workgroups(kGridSize));
  RunRoot(m, expected);
}

// A workgroup's WorkgroupId is that of the grid that the record was launched with, whatever stands there now: workgroup
// 0 overwrites it at once. So are the workgroups that are counted until the last one has finished.
TEST_P(FinishWriting, OverwrittenGrid) {
  constexpr Grid kGridSize = {4, 3, 5};
  for (const bool from_application : {false, true}) {
    NodeAsm m = Begin();
    const Id words = m.StorageBuffer(0);
    const Id record = TrackedRecord(m, true);
    AddRoot(m, record, [&](NodeAsm& node, const Id&, uint32_t i) { return node.Constant(kGridSize[i]); });
    m.BeginNode({.name = "Adder", .shader_index = 0, .input = m.Input(record)});
    const Id linear = Linear(m, kGridSize);
    m.If(m.Equal(linear, 0), [&] {
      for (uint32_t i = 0; i < 3; ++i) m.Store(m.Field(m.NodeInput(), m.Uint(), 0, {kGrid, i}), m.Constant(1 + i));
    });
    m.AddWord(words, linear, 1);
    m.AddWord(words, 100, m.Get(m.NodeInput(), 0, kSlot));
    m.AddWord(words, 101, m.Select(m.FinishWriting(), 1, 0));
    m.EndNode();
    GraphRun run(context());
    run.Nodes(m.Text(), {"Root", "Adder"});
    std::vector<uint32_t> payloads;
    for (uint32_t slot = 0; slot < 40; ++slot) {
      payloads.insert(payloads.end(), {slot, 0, kGridSize[0], kGridSize[1], kGridSize[2]});
      payloads.resize(payloads.size() + kCells);
    }
    if (from_application) {
      run.Input({.node = "Adder", .count = 40, .payloads = Bytes(payloads), .stride = 4 * (5 + kCells)});
    } else {
      run.Input({.node = "Root", .count = 1});
    }
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected(102);
    for (uint32_t w = 0; w < 60; ++w) expected[w] = 40;
    expected[100] = 60 * (39 * 40 / 2);
    expected[101] = 40;
    EXPECT_TRUE(run.Matches(expected)) << (from_application ? "from the application" : "from a shader");
  }
}

// More workgroups than 15 and 16 bits hold, next to a record with a single one.
TEST_P(FinishWriting, ManyWorkgroups) {
  for (const Grid& size : {Grid{32769, 1, 1}, Grid{300, 300, 1}}) {
    NodeAsm m = Begin();
    const Id words = m.StorageBuffer(0);
    const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Vector(m.Uint(), 3), 8, true}});
    m.Track(record);
    const Payload to = m.Output("Adder", record, {.max_payloads = 2});
    m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
    const Records records = m.Allocate(to, Scope::kInvocation, 2);
    for (uint32_t r = 0; r < 2; ++r) {
      m.Set(records, r, kSlot, r);
      m.Set(records, r, kSum, 0);
      for (uint32_t i = 0; i < 3; ++i)
        m.Store(m.Field(records, m.Uint(), r, {kGrid, i}), m.Constant(r == 0 ? 1 : size[i]));
    }
    m.Enqueue(records);
    m.EndNode();
    m.BeginNode({.name = "Adder", .shader_index = 0, .input = m.Input(record)});
    const Records& input = m.NodeInput();
    m.Op("OpAtomicIAdd", m.Uint(), m.Field(input, m.Uint(), 0, {kSum}), 1, 0, m.Add(Linear(m, size), 1));
    m.If(m.FinishWriting(), [&] {
      const Id slot = m.Get(input, 0, kSlot);
      m.AddWord(words, slot, 1);
      m.AddWord(words, m.Add(slot, 10), m.Get(input, 0, kSum));
    });
    m.EndNode();
    GraphRun run(context());
    run.Nodes(m.Text(), {"Root", "Adder"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected(12);
    expected[0] = expected[1] = 1;
    expected[10] = 1;
    for (uint32_t w = 0; w < Workgroups(size); ++w) expected[11] += w + 1;
    EXPECT_TRUE(run.Matches(expected)) << Workgroups(size) << " workgroups";
  }
}

std::string FormName(const testing::TestParamInfo<Form>& info) {
  return std::string(info.param.shape == Shape::kDxc ? "dxc" : "direct") +
         (info.param.vulkan_model ? "_vulkan" : "_glsl450");
}
INSTANTIATE_TEST_SUITE_P(Forms, FinishWriting,
                         testing::Values(Form{Shape::kDxc, false}, Form{Shape::kDirect, false},
                                         Form{Shape::kDxc, true}),
                         FormName);

}  // namespace
}  // namespace trellis::test
