// SPDX-License-Identifier: Apache-2.0
// Launches behind the first level: whoever counts their workgroups, each runs once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/gpu/flood_module.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using LaterLevels = GpuTest;
using LaterLevelsOverflow = SmallRingTest;

using Grid = std::array<uint32_t, 3>;

std::array<Value, 3> Values(const Grid& grid) { return {grid[0], grid[1], grid[2]}; }

// "Root", `count` workgroups, each sends {its number} to "Cell" with a static grid; each workgroup of that adds 1 to a
// word of its own.
std::string CellModule(uint32_t count, const Grid& grid) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Cell", record);
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {count, 1, 1}, .shader_index = 0});
  const Records sent = m.Allocate(to, Scope::kWorkgroup, 1);
  m.Set(sent, 0, 0, m.GroupId(0));
  m.Enqueue(sent);
  m.EndNode();
  m.BeginNode({.name = "Cell",
               .launch = Launch::kStaticGrid,
               .grid = Values(grid),
               .shader_index = 0,
               .input = m.Input(record)});
  Id place = m.Get(m.NodeInput(), 0, 0);
  for (uint32_t i = 3; i-- > 0;) place = m.Add(m.Mul(place, grid[i]), m.GroupId(i));
  m.AddWord(words, place, 1);
  m.EndNode();
  return m.Text();
}

TEST_F(LaterLevels, StaticGridsOfEveryShape) {
  constexpr uint32_t kCount = 37;
  for (const Grid& grid : {Grid{1, 1, 1}, {6, 1, 1}, {1, 6, 1}, {1, 1, 6}, {3, 4, 5}, {2, 1, 7}}) {
    GraphRun run(context(), {.words = 4096});
    run.Nodes(CellModule(kCount, grid), {"Root", "Cell"});
    run.Input({.node = "Root"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(size_t{kCount} * grid[0] * grid[1] * grid[2], 1)))
        << grid[0] << " x " << grid[1] << " x " << grid[2];
  }
}

TEST_F(LaterLevels, AGridWithoutWorkgroupsRunsNone) {
  GraphRun run(context());
  run.Nodes(CellModule(5, {4, 0, 2}), {"Root", "Cell"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({}));
}

// As many records as a row of workgroups may hold on many devices, and a few more.
TEST_F(LaterLevels, RecordsAroundTheLengthOfARow) {
  for (const uint32_t count : {65534u, 65535u, 65536u}) {
    GraphRun run(context(), {.words = 70000});
    run.Nodes(CellModule(count, {1, 1, 1}), {"Root", "Cell"});
    run.Input({.node = "Root"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(count, 1))) << count;
  }
}

// "Root": workgroup g sends 7 g % 13 records to "Coalesce", which takes up to `coalesce` of them. words[0]: workgroups,
// words[1]: those with as many records as they could get, words[2 + 16 g + i]: record i of g.
std::string PiecesModule(uint32_t count, uint32_t coalesce) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Coalesce", record, {.max_payloads = 13});
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {count, 1, 1}, .shader_index = 0});
  const Id pieces = m.Mod(m.Mul(m.GroupId(0), 7), 13);
  const Records sent = m.Allocate(to, Scope::kWorkgroup, pieces);
  const Id first = m.Mul(m.GroupId(0), 16);
  m.For(pieces, [&](const Id& i) { m.Set(sent, i, 0, m.Add(first, i)); });
  m.Enqueue(sent);
  m.EndNode();
  m.BeginNode(
      {.name = "Coalesce", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record, coalesce)});
  m.AddWord(words, 0, 1);
  const Id length = m.Length(m.NodeInput());
  m.AddWord(words, 1, m.Select(m.Equal(length, coalesce), 1, 0));
  m.For(length, [&](const Id& i) { m.AddWord(words, m.Add(m.Get(m.NodeInput(), i, 0), 2), 1); });
  m.EndNode();
  return m.Text();
}

TEST_F(LaterLevels, CoalescingTakesAsFewWorkgroupsAsItCan) {
  constexpr uint32_t kCount = 150;
  std::vector<uint32_t> expected(2 + 16 * kCount);
  uint32_t total = 0;
  for (uint32_t group = 0; group < kCount; ++group) {
    total += 7 * group % 13;
    for (uint32_t i = 0; i < 7 * group % 13; ++i) expected[2 + 16 * group + i] = 1;
  }
  for (const uint32_t coalesce : {1u, 2u, 5u, 32u, 256u, 1000u}) {
    expected[0] = (total + coalesce - 1) / coalesce;
    expected[1] = total / coalesce;
    GraphRun run(context(), {.words = 4096});
    run.Nodes(PiecesModule(kCount, coalesce), {"Root", "Coalesce"});
    run.Input({.node = "Root"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(expected)) << coalesce;
  }
}

// One level with a node that counts for itself, one that coalesces, one whose grids are in its records and one that
// shares an input; all of them send on, to a level that has nothing to be sized.
TEST_F(LaterLevels, LaunchesOfEveryKindSideBySide) {
  constexpr uint32_t kCount = 20;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  const Id grid_record = m.Struct({{m.Uint(), 0, true}});
  const Payload to_static = m.Output("Static", record);
  const Payload to_coalescing = m.Output("Coalescing", record, {.max_payloads = 3});
  const Payload to_dynamic = m.Output("Dynamic", grid_record);
  const Payload to_sink = m.Output("Sink", record);
  const auto send = [&](const Payload& to, const Value& value) {
    const Records sent = m.Allocate(to, Scope::kWorkgroup, 1);
    m.Set(sent, 0, 0, value);
    m.Enqueue(sent);
  };
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {kCount, 1, 1}, .shader_index = 0});
  send(to_static, m.GroupId(0));
  send(to_dynamic, m.Mod(m.GroupId(0), 3));
  const Records three = m.Allocate(to_coalescing, Scope::kWorkgroup, 3);
  m.For(3, [&](const Id& i) { m.Set(three, i, 0, 7); });
  m.Enqueue(three);
  m.EndNode();
  // Each workgroup of node n sends {n} to the sink, which counts.
  m.BeginNode({.name = "Static",
               .launch = Launch::kStaticGrid,
               .grid = {2, 3, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  send(to_sink, 0);
  m.EndNode();
  m.BeginNode({.name = "Coalescing", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record, 16)});
  send(to_sink, 1);
  m.EndNode();
  m.BeginNode({.name = "Dynamic",
               .launch = Launch::kDynamicGrid,
               .grid = {4, 1, 1},
               .shader_index = 0,
               .input = m.Input(grid_record)});
  send(to_sink, 2);
  m.EndNode();
  m.BeginNode({.name = "Sharer",
               .launch = Launch::kStaticGrid,
               .grid = {5, 1, 1},
               .shader_index = 0,
               .shares_input = SharedInput{m.String("Static")},
               .input = m.Input(record)});
  send(to_sink, 3);
  m.EndNode();
  m.BeginNode(
      {.name = "Sink", .launch = Launch::kStaticGrid, .grid = {1, 2, 1}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Static", "Coalescing", "Dynamic", "Sharer", "Sink"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  constexpr uint32_t kCoalesced = (3 * kCount + 15) / 16;
  constexpr uint32_t kDynamic = kCount / 3 * 3 + (kCount % 3 == 2 ? 1 : 0);  // 0 + 1 + 2, again and again
  EXPECT_TRUE(run.Matches({2 * 6 * kCount, 2 * kCoalesced, 2 * kDynamic, 2 * 5 * kCount}));
}

// "Root": `count` workgroups send `sent_at_once` records of 256 bytes each to "Leaf". words[0]: workgroups of Leaf,
// words[1]: records that they saw. With an OpenNode.
std::string PiecewiseFloodModule(uint32_t count, uint32_t sent_at_once, Launch launch) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 63, 4), 4}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = sent_at_once});
  const OpenNode open(m, to);
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .grid = {count, 1, 1}, .shader_index = 0});
  const Records sent = m.Allocate(to, Scope::kWorkgroup, sent_at_once);
  m.Set(sent, 0, 0, 1);
  m.Enqueue(sent);
  open.SendNothing(m);
  m.EndNode();
  open.Add(m);
  const bool coalescing = launch == Launch::kCoalescing;
  NodeOptions leaf = {.name = "Leaf", .launch = launch, .shader_index = 0};
  leaf.input = m.Input(record, coalescing ? 24 : 1);
  if (!coalescing) leaf.grid = {3, 1, 1};
  m.BeginNode(leaf);
  m.AddWord(words, 0, 1);
  m.AddWord(words, 1, coalescing ? Value(m.Length(m.NodeInput())) : Value(1));
  m.EndNode();
  return m.Text();
}

// What was placed runs, exactly; what was not is counted, exactly. Reservations that fail leave the counters where a
// dispatch can take them.
TEST_F(LaterLevelsOverflow, RecordsRunOrAreReported) {
  uint32_t lost_before = 0;
  for (const uint32_t sent_at_once : {1u, 7u, 64u, 5000u}) {
    const uint32_t count = std::max(64000 / sent_at_once, 3u);
    for (const Launch launch : {Launch::kStaticGrid, Launch::kCoalescing}) {
      GraphRun run(context());
      run.Nodes(PiecewiseFloodModule(count, sent_at_once, launch), {"Root", OpenNode::kName, "Leaf"});
      run.Input({.node = "Root"});
      ASSERT_TRUE(run.Execute());
      const uint32_t lost = LostRecords() - lost_before;
      lost_before += lost;
      const uint32_t each = launch == Launch::kStaticGrid ? 3 : 1;
      const uint32_t placed = run.Words()[1] / each;
      EXPECT_EQ(run.Words()[1] % each, 0u);
      EXPECT_EQ(placed + lost, count * sent_at_once);
      if (launch == Launch::kStaticGrid) {
        EXPECT_EQ(run.Words()[0], 3 * placed);
      } else {
        // Where a segment ends, records of one workgroup come in two turns. There are 64 segments at most.
        EXPECT_GE(run.Words()[0], (placed + 23) / 24);
        EXPECT_LE(run.Words()[0], (placed + 23) / 24 + 64);
      }
    }
  }
  EXPECT_GT(lost_before, 100000u);
}

}  // namespace
}  // namespace trellis::test
