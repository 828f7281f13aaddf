// SPDX-License-Identifier: Apache-2.0
// Numbers of records and workgroups beyond 32,768 and 65,535, where 16-bit counters and dispatch limits are.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using LargeCounts = GpuTest;

// Word 0: how many; word 1: sum of the numbers; word 2: sum of number * (number >> 3), wrapping.
void AddChecksums(NodeAsm& m, const Id& words, const Id& number) {
  m.AddWord(words, 0, 1);
  m.AddWord(words, 1, number);
  m.AddWord(words, 2, m.Mul(number, m.Shift(number, 3)));
}

std::vector<uint32_t> Checksums(uint32_t count) {
  std::vector<uint32_t> words(3);
  for (uint32_t i = 0; i < count; ++i) {
    words[0] += 1;
    words[1] += i;
    words[2] += i * (i >> 3);
  }
  return words;
}

// Payloads 0, 1, 2, …
std::vector<uint8_t> Numbers(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = i;
  return Bytes(numbers);
}

constexpr uint32_t kLanesOfMany = 128;  // invocations that workgroups of every device can have

// "Root", static grid of `workgroups` with kLanesOfMany invocations, sends record {global invocation} from each
// invocation to `target`.
Id BeginProducer(NodeAsm& m, const std::string& target, uint32_t workgroups, const Id& record, Scope scope) {
  const Payload to = m.Output(target, record, {.max_payloads = kLanesOfMany});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanesOfMany, 1, 1},
               .grid = {static_cast<int>(workgroups), 1, 1},
               .shader_index = 0});
  const Id global = m.GlobalId(0);
  const Records records = m.Allocate(to, scope, scope == Scope::kWorkgroup ? kLanesOfMany : 1);
  m.Set(records, scope == Scope::kWorkgroup ? Value(m.LocalIndex()) : Value(0), 0, global);
  m.Enqueue(records);
  m.EndNode();
  return global;
}

// "Leaf" takes up to `each` records {number} a workgroup.
void AddLeaf(NodeAsm& m, const Id& words, const Id& record, uint32_t each) {
  m.BeginNode({.name = "Leaf",
               .launch = Launch::kCoalescing,
               .local_size = {each, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, each)});
  const auto add = [&](const Value& place) { AddChecksums(m, words, m.Get(m.NodeInput(), place, 0)); };
  if (each == 1) {
    add(0);
  } else {
    const Id lane = m.LocalIndex();
    m.If(m.Less(lane, m.Length(m.NodeInput())), [&] { add(lane); });
  }
  m.EndNode();
}

uint32_t AllowedRecords(const Context& context, uint32_t wanted) {
  return std::min(wanted, context.enqueue_properties.maxExecutionGraphShaderPayloadCount);
}

void RunRecordsFromTheApplication(Context& context, uint32_t each, uint32_t wanted) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  AddLeaf(m, words, m.Struct({{m.Uint(), 0}}), each);
  const uint32_t count = AllowedRecords(context, wanted);
  GraphRun run(context);
  run.Nodes(m.Text(), {"Leaf"});
  run.Input({.node = "Leaf", .count = count, .payloads = Numbers(count), .stride = 4});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Checksums(count)));
}

void RunRecordsFromANode(Context& context, uint32_t each, uint32_t workgroups, Scope scope) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  BeginProducer(m, "Leaf", workgroups, record, scope);
  AddLeaf(m, words, record, each);
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Checksums(workgroups * kLanesOfMany)));
}

TEST_F(LargeCounts, ThreadRecordsFromTheApplication) { RunRecordsFromTheApplication(context(), 1, 150000); }

TEST_F(LargeCounts, CoalescingRecordsFromTheApplication) { RunRecordsFromTheApplication(context(), 2, 150001); }

TEST_F(LargeCounts, ThreadRecordsFromANode) { RunRecordsFromANode(context(), 1, 800, Scope::kInvocation); }

TEST_F(LargeCounts, CoalescingRecordsFromANode) { RunRecordsFromANode(context(), 2, 1100, Scope::kWorkgroup); }

// Each record a grid of 3 x 2: record r, workgroup (x, y) is number 6r + 2x + y.
TEST_F(LargeCounts, StaticGridsFromANode) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  BeginProducer(m, "Grid", 200, record, Scope::kWorkgroup);
  m.BeginNode(
      {.name = "Grid", .launch = Launch::kStaticGrid, .grid = {3, 2, 1}, .shader_index = 0, .input = m.Input(record)});
  const Id place = m.Add(m.Mul(m.GroupId(0), 2), m.GroupId(1));
  AddChecksums(m, words, m.Add(m.Mul(m.Get(m.NodeInput(), 0, 0), 6), place));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Grid"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Checksums(200 * kLanesOfMany * 6)));
}

// A static grid as large as one dimension may be, and more workgroups than that in all.
TEST_F(LargeCounts, StaticGridFromTheApplication) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Grid", .launch = Launch::kStaticGrid, .grid = {65535, 2, 1}, .shader_index = 0});
  AddChecksums(m, words, m.Add(m.Mul(m.GroupId(0), 2), m.GroupId(1)));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Grid"});
  run.Input({.node = "Grid", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Checksums(65535 * 2)));
}

// Exactly as many workgroups as maxExecutionGraphWorkgroups has to allow: 2^24 - 1.
TEST_F(LargeCounts, StaticGridOfAllWorkgroups) {
  constexpr uint32_t kWidth = 4095, kHeight = 4097, kWords = 1000;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Grid", .launch = Launch::kStaticGrid, .grid = {kWidth, kHeight, 1}, .shader_index = 0});
  m.AddWord(words, m.Mod(m.Add(m.Mul(m.GroupId(1), kWidth), m.GroupId(0)), kWords), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Grid"});
  run.Input({.node = "Grid", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kWords, kWidth * kHeight / kWords);
  for (uint32_t i = 0; i < kWidth * kHeight % kWords; ++i) ++expected[i];
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(LargeCounts, TallStaticGrid) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  m.BeginNode({.name = "Grid", .launch = Launch::kStaticGrid, .grid = {1, 1, 65535}, .shader_index = 0});
  AddChecksums(m, words, m.GroupId(2));
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Grid"});
  run.Input({.node = "Grid", .count = 1});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(Checksums(65535)));
}

// Grids from records, one of them of 65,535 workgroups among many small and empty ones. Record {first number, grid}.
void RunDynamicGrids(Context& context, bool from_node) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Vector(m.Uint(), 2), 4, true}});
  const Id source = m.StorageBuffer(1);
  const Payload to = m.Output("Grid", record, {.max_payloads = 64});
  // Hands records on that the test has written into buffer 1.
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {64, 1, 1}, .grid = {4, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  const Id first = m.Mul(m.GlobalId(0), 3);
  m.Set(records, 0, 0, m.LoadWord(source, first));
  m.Store(m.Field(records, m.Uint(), 0, {1, 0}), m.LoadWord(source, m.Add(first, 1)));
  m.Store(m.Field(records, m.Uint(), 0, {1, 1}), m.LoadWord(source, m.Add(first, 2)));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid", .grid = {65535, 200, 1}, .shader_index = 0, .input = m.Input(record)});
  const Id width = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, 0}));
  const Id number = m.Add(m.Mul(m.GroupId(1), width), m.GroupId(0));
  AddChecksums(m, words, m.Add(m.Get(m.NodeInput(), 0, 0), number));
  m.EndNode();

  std::vector<uint32_t> table;
  uint32_t total = 0;
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t x = i == 100 ? 65535 : i == 7 ? 300 : i % 3;
    const uint32_t y = i == 7 ? 200 : i % 5 == 0 && i != 100 ? 0 : 1;
    table.insert(table.end(), {total, x, y});
    total += x * y;
  }
  GraphRun run(context, {.layout = {.buffers_per_set = 2}});
  run.Nodes(m.Text(), {"Root", "Grid"});
  if (from_node) {
    run.Input({.node = "Root", .count = 1});
  } else {
    run.Input({.node = "Grid", .count = 256, .payloads = Bytes(table), .stride = 12});
  }
  ASSERT_TRUE(run.Prepare());
  std::copy(table.begin(), table.end(), run.buffer(1).words().begin());
  Commands commands(context);
  run.RecordGraph(commands.Begin());
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(run.GuardsIntact());
  EXPECT_TRUE(run.Matches(Checksums(total)));
}

TEST_F(LargeCounts, DynamicGridsFromTheApplication) { RunDynamicGrids(context(), false); }

TEST_F(LargeCounts, DynamicGridsFromANode) { RunDynamicGrids(context(), true); }

// 100,000 records with a grid each: that of record i is `width_of(i)`, and `add_width` makes it of the id of i.
template <typename WidthOf, typename AddWidth>
void RunManyDynamicGrids(Context& context, uint32_t most, const WidthOf& width_of, const AddWidth& add_width) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, true}});
  const Payload to = m.Output("Grid", record, {.max_payloads = kLanesOfMany});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanesOfMany, 1, 1},
               .grid = {800, 1, 1},
               .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  const Id global = m.GlobalId(0);
  m.Set(records, 0, 0, global);
  m.Set(records, 0, 1, add_width(m, global));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Grid", .grid = {most, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  AddChecksums(m, words, m.Add(m.Get(m.NodeInput(), 0, 0), m.GroupId(0)));
  m.EndNode();
  GraphRun run(context);
  run.Nodes(m.Text(), {"Root", "Grid"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(3);
  for (uint32_t i = 0; i < 800 * kLanesOfMany; ++i) {
    for (uint32_t x = 0; x < width_of(i); ++x) {
      expected[0] += 1;
      expected[1] += i + x;
      expected[2] += (i + x) * ((i + x) >> 3);
    }
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(LargeCounts, ManyDynamicGridsFromANode) {
  RunManyDynamicGrids(
      context(), 2, [](uint32_t i) { return i % 3; }, [](NodeAsm& m, const Id& i) { return m.Mod(i, 3); });
}

// Most of none, some of one, and a few of so many that search entries in a row name the same record.
TEST_F(LargeCounts, ManySkewedGridsFromANode) {
  RunManyDynamicGrids(
      context(), 700,
      [](uint32_t i) {
        if (i % 1024 == 1000) return 700u;
        return i % 16 == 0 ? 1u : 0u;
      },
      [](NodeAsm& m, const Id& i) {
        const Id few = m.Select(m.Less(m.And(i, 15), 1), 1, 0);
        return m.Select(m.Less(m.Mod(m.Add(i, 24), 1024), 1), 700, few);
      });
}

}  // namespace
}  // namespace trellis::test
