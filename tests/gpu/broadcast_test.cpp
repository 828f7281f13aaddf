// SPDX-License-Identifier: Apache-2.0
// Broadcasting nodes that the application launches: grids from the node and from records of many forms.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using BroadcastEntry = GpuTest;
using BroadcastInput = GpuTest;

// What BroadcastGridModule writes for one record: +1 in each word z * 100 + y * 10 + x of the grid's invocations.
void AddGrid(std::vector<uint32_t>& words, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t value) {
  for (uint32_t z = 0; z < gz * 4; ++z) {
    for (uint32_t y = 0; y < gy * 3; ++y) {
      for (uint32_t x = 0; x < gx * 2; ++x) words[z * 100 + y * 10 + x] += value;
    }
  }
}

TEST_F(BroadcastEntry, StrideZeroReadsTheFirstRecordAgain) {
  GraphRun run(context(), {.dispatches = 3});
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({1, 2, 2, 0, 2, 1, 1, 0}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 1, 2, 2, 2 * 3);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(BroadcastEntry, Stride16) {
  GraphRun run(context(), {.dispatches = 3});
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({1, 2, 2, 0, 2, 1, 1, 0}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 1, 2, 2, 3);
  AddGrid(expected, 2, 1, 1, 3);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(BroadcastEntry, NoRecords) {
  GraphRun run(context());
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 0, .payloads = Bytes({1, 2, 2}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({}));
}

TEST_F(BroadcastEntry, EmptyGrids) {
  GraphRun run(context());
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 10, .payloads = Bytes({1, 0, 2}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({}));
}

TEST_F(BroadcastEntry, ZeroInEachDimensionAmongOthers) {
  GraphRun run(context());
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode",
             .count = 6,
             .payloads = Bytes({0, 2, 2, 1, 1, 2, 2, 0, 2, 2, 2, 0, 2, 1, 1, 0, 0, 0}),
             .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 1, 1, 2, 1);
  AddGrid(expected, 2, 1, 1, 1);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(BroadcastEntry, SeveralInfosOfOneNode) {
  GraphRun run(context(), {.dispatches = 4});
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  for (int i = 0; i < 3; ++i)
    run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({1, 2, 2, 2, 1, 1}), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 1, 2, 2, 12);
  AddGrid(expected, 2, 1, 1, 12);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(BroadcastEntry, InfoStrideZeroReadsTheFirstInfoAgain) {
  GraphRun run(context(), {.dispatches = 4, .info_stride = 0, .info_count = 3});
  run.Nodes(BroadcastGridModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({1, 2, 2, 2, 1, 1}), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 1, 2, 2, 12);
  AddGrid(expected, 2, 1, 1, 12);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(BroadcastEntry, StaticGrid) {
  GraphRun run(context());
  run.Nodes(BroadcastStaticModule(Shape::kDxc), {"BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({19, 800, 400, 90}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 3, 2, (19 ^ 800) + (400 ^ 90));
  EXPECT_TRUE(run.Matches(expected));
}

// ---- grids of many forms inside the record ----

// "BroadcastNode" adds v ^ w, members at the paths given, at z * 100 + y * 10 + x. "Root" hands its record on to it.
std::string GridFormModule(const std::function<Id(NodeAsm&)>& make_record, Value v_member, Value w_member,
                           std::array<Value, 3> bound, bool bare = false) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = make_record(m);
  const Payload input = bare ? Payload{{}, record} : m.Input(record);
  m.BeginNode({.name = "BroadcastNode", .local_size = {2, 3, 4}, .grid = bound, .shader_index = 0, .input = input});
  const Id y = m.Mul(m.GlobalId(1), 10);
  const Id z = m.Mul(m.GlobalId(2), 100);
  const Id value = m.Xor(m.Get(m.NodeInput(), 0, v_member), m.Get(m.NodeInput(), 0, w_member));
  m.AddWord(words, m.Add(m.Add(y, z), m.GlobalId(0)), value);
  m.EndNode();
  const Payload to = m.Output("BroadcastNode", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Store(m.Field(records, record, 0, {}), m.Load(record, m.Field(m.NodeInput(), record, 0, {})));
  m.Enqueue(records);
  m.EndNode();
  return m.Text();
}

std::vector<uint32_t> Twice(std::vector<uint32_t> words) {
  for (uint32_t& word : words) word *= 2;
  return words;
}

TEST_F(BroadcastInput, UintVector2) {
  const auto record = [](NodeAsm& m) {
    return m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 2), 4, true}, {m.Uint(), 12}});
  };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 2, {3, 3, 2}), {"Root", "BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({19, 3, 2, 800, 400, 2, 1, 90}), .stride = 16});
  run.Input({.node = "Root", .count = 2, .payloads = Bytes({19, 3, 2, 800, 400, 2, 1, 90}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 1, 19 ^ 800);
  AddGrid(expected, 2, 1, 1, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, UintScalar) {
  const auto record = [](NodeAsm& m) { return m.Struct({{m.Uint(), 0}, {m.Uint(), 4, true}, {m.Uint(), 8}}); };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 2, {3, 1, 1}), {"Root", "BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 2, .payloads = Bytes({19, 3, 800, 400, 2, 90}), .stride = 12});
  run.Input({.node = "Root", .count = 2, .payloads = Bytes({19, 3, 800, 400, 2, 90}), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 1, 1, 19 ^ 800);
  AddGrid(expected, 2, 1, 1, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, Uint16Vector2) {
  if (!context().features.int16) GTEST_SKIP() << "no shaderInt16";
  const auto record = [](NodeAsm& m) {
    m.Capability("Int16");
    return m.Struct({{m.Uint(), 0}, {m.Vector(m.Type("OpTypeInt 16 0"), 2), 4, true}, {m.Uint(), 8}});
  };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 2, {3, 3, 2}), {"Root", "BroadcastNode"});
  run.Input({.node = "BroadcastNode",
             .count = 2,
             .payloads = Bytes({19, 3 | 2 << 16, 800, 400, 2 | 1 << 16, 90}),
             .stride = 12});
  run.Input(
      {.node = "Root", .count = 2, .payloads = Bytes({19, 3 | 2 << 16, 800, 400, 2 | 1 << 16, 90}), .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 1, 19 ^ 800);
  AddGrid(expected, 2, 1, 1, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, Uint8Vector3) {
  if (!context().features.int8) GTEST_SKIP() << "no 8-bit payloads";
  const auto record = [](NodeAsm& m) {
    m.Capability("Int8");
    return m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Vector(m.Type("OpTypeInt 8 0"), 3), 9, true}});
  };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 1, {3, 3, 2}), {"Root", "BroadcastNode"});
  run.Input(
      {.node = "BroadcastNode",
       .count = 2,
       .payloads = Bytes({19, 800, 0xEE | 3 << 8 | 2 << 16 | 1 << 24, 400, 90, 0xEE | 2 << 8 | 1 << 16 | 2 << 24}),
       .stride = 12});
  run.Input(
      {.node = "Root",
       .count = 2,
       .payloads = Bytes({19, 800, 0xEE | 3 << 8 | 2 << 16 | 1 << 24, 400, 90, 0xEE | 2 << 8 | 1 << 16 | 2 << 24}),
       .stride = 12});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 1, 19 ^ 800);
  AddGrid(expected, 2, 1, 2, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, NestedMember) {
  const auto record = [](NodeAsm& m) {
    const Id inner = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4, true}});
    return m.Struct({{m.Uint(), 0}, {m.Struct({{inner, 4}}), 4}, {m.Uint(), 24}});
  };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 2, {3, 3, 2}), {"Root", "BroadcastNode"});
  run.Input({.node = "BroadcastNode",
             .count = 2,
             .payloads = Bytes({19, 0xEE, 0xEE, 3, 2, 1, 800, 400, 0xEE, 0xEE, 2, 1, 2, 90}),
             .stride = 28});
  run.Input({.node = "Root",
             .count = 2,
             .payloads = Bytes({19, 0xEE, 0xEE, 3, 2, 1, 800, 400, 0xEE, 0xEE, 2, 1, 2, 90}),
             .stride = 28});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 1, 19 ^ 800);
  AddGrid(expected, 2, 1, 2, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, ArrayOfUints) {
  const auto record = [](NodeAsm& m) {
    return m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 3, 4), 4, true}, {m.Uint(), 16}});
  };
  GraphRun run(context());
  run.Nodes(GridFormModule(record, 0, 2, {3, 3, 2}), {"Root", "BroadcastNode"});
  run.Input({.node = "BroadcastNode", .count = 1, .payloads = Bytes({19, 3, 2, 2, 800}), .stride = 20});
  run.Input({.node = "Root", .count = 1, .payloads = Bytes({19, 3, 2, 2, 800}), .stride = 20});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 2, 19 ^ 800);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

// Records {19, 3 x 2 x 2, 800} and {400, 1 x 1 x 1, 90}, from the application and from a node.
void RunTwoGrids(Context& context, const std::array<Value, 3>& max_grid, bool bare) {
  const auto record = [](NodeAsm& m) {
    return m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 3), 4, true}, {m.Uint(), 16}});
  };
  GraphRun run(context);
  run.Nodes(GridFormModule(record, 0, 2, max_grid, bare), {"Root", "BroadcastNode"});
  for (const char* node : {"BroadcastNode", "Root"})
    run.Input({.node = node, .count = 2, .payloads = Bytes({19, 3, 2, 2, 800, 400, 1, 1, 1, 90}), .stride = 20});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  AddGrid(expected, 3, 2, 2, 19 ^ 800);
  AddGrid(expected, 1, 1, 1, 400 ^ 90);
  EXPECT_TRUE(run.Matches(Twice(expected)));
}

TEST_F(BroadcastInput, BareStructure) { RunTwoGrids(context(), {3, 3, 2}, true); }

// The input as an array like any other, of one payload.
TEST_F(BroadcastInput, OrdinaryArray) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}});
  const Payload to = m.Output("Grid", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Set(records, 0, 0, 20);
  m.Set(records, 0, 1, 9);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid",
               .launch = Launch::kStaticGrid,
               .grid = {3, 1, 1},
               .shader_index = 0,
               .input = {m.Array(record, 1, 8), record}});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), m.GroupId(0)), m.Get(m.NodeInput(), 0, 1));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Grid"});
  run.Input({.node = "Root", .count = 2});
  run.Input({.node = "Grid", .count = 2, .payloads = Bytes({0, 4, 10, 5}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(23);
  for (uint32_t group = 0; group < 3; ++group) {
    expected[group] = 4;
    expected[10 + group] = 5;
    expected[20 + group] = 2 * 9;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// No bound on the grid.
TEST_F(BroadcastInput, WithoutMaximum) { RunTwoGrids(context(), {0, 0, 0}, false); }

// Many small grids and a few large ones; every workgroup adds to its record's word.
TEST_F(BroadcastInput, SkewedGrids) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0, true}, {m.Uint(), 12}});
  m.BeginNode({.name = "Skewed", .grid = {100, 100, 10}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 1), 1);
  m.EndNode();

  std::vector<uint32_t> records, expected(1024);
  for (uint32_t i = 0; i < 700; ++i) {
    const std::array<uint32_t, 3> grid = i == 13    ? std::array<uint32_t, 3>{100, 30, 1}
                                         : i == 400 ? std::array<uint32_t, 3>{3, 100, 7}
                                         : i % 3    ? std::array<uint32_t, 3>{0, 1, 1}
                                                    : std::array<uint32_t, 3>{i % 4, 1, 2};
    records.insert(records.end(), {grid[0], grid[1], grid[2], i});
    expected[i] = grid[0] * grid[1] * grid[2];
  }
  GraphRun run(context());
  run.Nodes(m.Text(), {"Skewed"});
  run.Input({.node = "Skewed", .count = 700, .payloads = Bytes(records), .stride = 16});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

// A node without declared input takes a record of 12 bytes: its grid.
TEST_F(BroadcastInput, ImplicitGrid) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Implicit", .shader_index = 0});
  m.AddWord(words, m.Add(m.GroupId(0), m.Add(m.Mul(m.GroupId(1), 10), m.Mul(m.GroupId(2), 100))), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Implicit"});
  run.Input({.node = "Implicit", .count = 2, .payloads = Bytes({3, 4, 2, 0, 1, 1, 5, 0}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 4; ++y) {
      for (uint32_t x = 0; x < 3; ++x) expected[z * 100 + y * 10 + x] += 1;
    }
  }
  for (uint32_t z = 0; z < 5; ++z) expected[z * 100] += 1;
  EXPECT_TRUE(run.Matches(expected));
}

// A static grid without input: NULL payloads.
TEST_F(BroadcastInput, StaticGridWithoutInput) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode(
      {.name = "Plain", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {5, 1, 1}, .shader_index = 0});
  m.AddWord(words, m.GlobalId(0), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Plain"});
  run.Input({.node = "Plain", .count = 7});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(20, 7)));
}

// An optimiser removes an unused input variable from the interface; the record still has the size that the module
// declares.
TEST_F(BroadcastInput, InputStrippedFromTheInterface) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Vector(m.Uint(), 2), 8, true}});
  m.BeginNode({.name = "Stripped",
               .local_size = {2, 1, 1},
               .grid = {8, 8, 1},
               .shader_index = 0,
               .input = m.Input(record),
               .strip_input = true});
  m.AddWord(words, m.Add(m.GlobalId(0), m.Mul(m.GlobalId(1), 32)), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Stripped"});
  run.Input({.node = "Stripped", .count = 2, .payloads = Bytes({9, 9, 3, 2, 9, 9, 1, 4}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t y = 0; y < 2; ++y) {
    for (uint32_t x = 0; x < 6; ++x) expected[y * 32 + x] += 1;
  }
  for (uint32_t y = 0; y < 4; ++y) {
    for (uint32_t x = 0; x < 2; ++x) expected[y * 32 + x] += 1;
  }
  EXPECT_TRUE(run.Matches(expected));
}

// The input of a static grid may carry a decorated member too: the node's own grid counts.
TEST_F(BroadcastInput, StaticGridWinsOverMember) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0, true}, {m.Uint(), 12}});
  m.BeginNode({.name = "Static",
               .launch = Launch::kStaticGrid,
               .grid = {3, 2, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 1), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Static"});
  run.Input({.node = "Static", .count = 2, .payloads = Bytes({50, 50, 50, 0, 0, 0, 0, 1}), .stride = 16});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({6, 6}));
}

}  // namespace
}  // namespace trellis::test
