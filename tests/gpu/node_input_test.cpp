// SPDX-License-Identifier: Apache-2.0
// Inputs of nodes that other nodes launch: none at all, grids of every form, records longer and shorter than declared.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using NodeInputs = ShapedGpuTest;

// ---- nodes without declared input ----

// "Root" sends three empty payloads to "Target", which has no input.
void ExpectLaunchesWithoutInput(Context& context, Shape shape, const NodeOptions& target, uint32_t invocations) {
  NodeAsm m(shape);
  const Id words = m.StorageBuffer(0);
  const Payload to = m.Output("Target", m.Struct({}), {.max_payloads = 3});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  m.Increment(to, Scope::kInvocation, 3);
  m.EndNode();
  m.BeginNode(target);
  m.AddWord(words, m.GlobalId(0), 1);
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Target"});
  run.Input({.node = "Root", .count = 2});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(invocations, 6)));
}

TEST_P(NodeInputs, StaticGridWithout) {
  ExpectLaunchesWithoutInput(
      context(), shape(), {.name = "Target", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {3, 1, 1}},
      12);
}

// One workgroup a payload.
TEST_P(NodeInputs, CoalescingWithout) {
  ExpectLaunchesWithoutInput(context(), shape(),
                             {.name = "Target", .launch = Launch::kCoalescing, .local_size = {8, 1, 1}}, 8);
}

TEST_P(NodeInputs, ThreadWithout) {
  ExpectLaunchesWithoutInput(context(), shape(), {.name = "Target", .launch = Launch::kCoalescing}, 1);
}

// The implicit record of a dynamic grid is three words; the producer's record may be longer.
TEST_P(NodeInputs, ImplicitGridFromALongerRecord) {
  context().messages.Expect("PayloadNodeNameAMDX-09139");  // with the setting `validate`: prefixes work, but break it
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0}, {m.Uint(), 12}, {m.Uint(), 16}});
  const Payload to = m.Output("Implicit", record, {.max_payloads = 4});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 4);
  m.For(4, [&](const Id& i) {
    const Id v3 = m.Vector(m.Uint(), 3);
    m.Store(m.Field(records, v3, i, {0}), m.Op("OpCompositeConstruct", v3, i, 2, m.Add(i, 1)));
    m.Set(records, i, 1, 0xEEEEEEEE);
    m.Set(records, i, 2, 0xEEEEEEEE);
  });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Implicit", .shader_index = 0});
  m.AddWord(words, m.Add(m.GroupId(0), m.Add(m.Mul(m.GroupId(1), 10), m.Mul(m.GroupId(2), 100))), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Implicit"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(1024);
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t z = 0; z < i + 1; ++z) {
      for (uint32_t y = 0; y < 2; ++y) {
        for (uint32_t x = 0; x < i; ++x) expected[z * 100 + y * 10 + x] += 1;
      }
    }
  }
  EXPECT_TRUE(run.Matches(expected));
}

// A declared input that an optimiser took out of the interface: a coalescing node, fed by a node of another module. (In
// one module nobody could tell which of the two nodes without interface variable the input belongs to.)
TEST_P(NodeInputs, StrippedInputOfACoalescingNode) {
  NodeAsm source(shape());
  const Id source_record = LeafRecord(source);
  const Payload to = source.Output("Stripped", source_record, {.max_payloads = 10});
  source.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = source.Allocate(to, Scope::kInvocation, 10);
  source.For(10, [&](const Id& i) { SetLeaf(source, records, i, 7, 7); });
  source.Enqueue(records);
  source.EndNode();
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Stripped",
               .launch = Launch::kCoalescing,
               .local_size = {2, 1, 1},
               .shader_index = 0,
               .input = m.Input(LeafRecord(m), 1),
               .strip_input = true});
  m.AddWord(words, m.LocalIndex(), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(source.Text(), {"Root"});
  run.Nodes(m.Text(), {"Stripped"});
  run.Input({.node = "Root", .count = 1});
  run.Input({.node = "Stripped", .count = 5, .payloads = Bytes({7, 7}), .stride = 0});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({15, 15}));
}

// ---- sizes that differ ----

// The consumer declares more than the producer writes: what was written arrives, and nothing next to it is harmed.
TEST_P(NodeInputs, ProducerWritesAPrefix) {
  context().messages.Expect("PayloadNodeNameAMDX-09139");  // with the setting `validate`: prefixes work, but break it
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id shorter = LeafRecord(m);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Array(m.Uint(), 5, 4), 8}});
  const Payload to = m.Output("Leaf", shorter, {.max_payloads = 20});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 20);
  m.For(20, [&](const Id& i) { SetLeaf(m, records, i, i, m.Add(i, 5)); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 20; ++i) expected.push_back(i + 5);
  EXPECT_TRUE(run.Matches(expected));
}

// Two producers of one node, with records of different size.
TEST_P(NodeInputs, ProducersOfDifferentSize) {
  context().messages.Expect("PayloadNodeNameAMDX-09139");  // with the setting `validate`: prefixes work, but break it
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Id longer = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Array(m.Uint(), 9, 4), 8}});
  const Payload to_short = m.Output("Leaf", record, {.max_payloads = 8});
  const Payload to_long = m.Output("Leaf", longer, {.max_payloads = 8});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {5, 1, 1}, .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Records short_records = m.Allocate(to_short, Scope::kWorkgroup, 8);
  const Records long_records = m.Allocate(to_long, Scope::kWorkgroup, 8);
  SetLeaf(m, short_records, lane, lane, 1);
  SetLeaf(m, long_records, lane, lane, 100);
  m.For(9, [&](const Id& k) { m.Store(m.Field(long_records, m.Uint(), lane, {2, k}), m.Constant(0xEEEEEEEE)); });
  m.Enqueue(short_records);
  m.Enqueue(long_records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, 505)));
}

// The node's own static grid counts for records of other nodes too.
TEST_P(NodeInputs, StaticGridWinsOverMember) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Vector(m.Uint(), 3), 0, true}, {m.Uint(), 12}});
  const Payload to = m.Output("Static", record, {.max_payloads = 3});
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 3);
  m.For(3, [&](const Id& i) {
    for (int c = 0; c < 3; ++c) m.Store(m.Field(records, m.Uint(), i, {0, c}), m.Mul(i, 9));
    m.Set(records, i, 1, i);
  });
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Static",
               .launch = Launch::kStaticGrid,
               .grid = {5, 2, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 1), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Static"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({10, 10, 10}));
}

TRELLIS_BOTH_SHAPES(NodeInputs);

// ---- grids of every width ----

using GridMembers = GpuTest;

// What holds the grid: a scalar, a vector, or an array of `components` unsigned integers of `width` bits; inside a
// structure of its own if `nested`.
struct GridForm {
  uint32_t width;
  uint32_t components;
  bool is_array;
  bool nested;

  [[nodiscard]] std::string Text() const {
    return std::to_string(components) + (is_array ? " in an array" : "") + (nested ? ", nested" : "");
  }
};

Id GridType(NodeAsm& m, const GridForm& form) {
  if (form.width != 32) m.Capability("Int" + std::to_string(form.width));
  const Id scalar = m.Type("OpTypeInt " + std::to_string(form.width) + " 0");
  if (form.is_array) return m.Array(scalar, form.components, form.width / 8);
  return form.components == 1 ? scalar : m.Vector(scalar, form.components);
}

// {word, grid at byte 4, …}: "Grid" adds 1 to the record's word in every workgroup; "Root" hands its record on to it.
std::string GridMemberModule(const GridForm& form) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id grid = GridType(m, form);
  const Id inner = form.nested ? m.Struct({{grid, 0, true}}) : Id();
  const Id record = form.nested ? m.Struct({{m.Uint(), 0}, {inner, 4}, {m.Uint(), 16}})
                                : m.Struct({{m.Uint(), 0}, {grid, 4, true}, {m.Uint(), 16}});
  const Payload to = m.Output("Grid", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  m.Store(m.Field(records, record, 0, {}), m.Load(record, m.Field(m.NodeInput(), record, 0, {})));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid", .grid = {200, 8, 8}, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 2));
  m.EndNode();
  return m.Text();
}

void ExpectGrids(Context& context, const GridForm& form) {
  const std::vector<std::array<uint32_t, 3>> grids = {{1, 1, 1}, {7, 2, 3},   {0, 2, 2}, {2, 0, 2},
                                                      {2, 2, 0}, {200, 1, 2}, {3, 8, 8}};
  std::vector<uint8_t> payloads;
  std::vector<uint32_t> expected(100);
  for (uint32_t r = 0; r < grids.size(); ++r) {
    std::vector<uint8_t> record = Bytes({r, 0xEEEEEEEE, 0xEEEEEEEE, 0xEEEEEEEE, r + 1});
    uint32_t workgroups = 1;
    for (uint32_t c = 0; c < form.components; ++c) {
      for (uint32_t byte = 0; byte < form.width / 8; ++byte)
        record[4 + c * form.width / 8 + byte] = static_cast<uint8_t>(grids[r][c] >> 8 * byte);
      workgroups *= grids[r][c];
    }
    expected[r] = 2 * workgroups * (r + 1);
    payloads.insert(payloads.end(), record.begin(), record.end());
  }
  GraphRun run(context);
  run.Nodes(GridMemberModule(form), {"Root", "Grid"});
  const auto count = static_cast<uint32_t>(grids.size());
  run.Input({.node = "Root", .count = count, .payloads = payloads, .stride = 20});
  run.Input({.node = "Grid", .count = count, .payloads = payloads, .stride = 20});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected));
}

void ExpectEveryForm(Context& context, uint32_t width) {
  for (uint32_t components = 1; components <= 3; ++components) {
    for (const bool is_array : {false, true}) {
      for (const bool nested : {false, true}) {
        const GridForm form = {width, components, is_array, nested};
        SCOPED_TRACE(form.Text());
        ExpectGrids(context, form);
      }
    }
  }
}

TEST_F(GridMembers, EveryFormOf32Bits) { ExpectEveryForm(context(), 32); }

TEST_F(GridMembers, EveryFormOf16Bits) {
  if (!context().features.int16) GTEST_SKIP() << "no shaderInt16";
  ExpectEveryForm(context(), 16);
}

TEST_F(GridMembers, EveryFormOf8Bits) {
  if (!context().features.int8) GTEST_SKIP() << "no 8-bit payloads";
  ExpectEveryForm(context(), 8);
}

}  // namespace
}  // namespace trellis::test
