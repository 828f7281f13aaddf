// SPDX-License-Identifier: Apache-2.0
// A broadcasting root that feeds two nodes, or an array of two: broadcasting and thread children, Workgroup and
// Invocation allocations.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using TwoLevel = ShapedGpuTest;

constexpr const char* kEntry = "EntryNode";

// {grid, node, size, offset, increment}
const std::vector<uint32_t> kEntryRecords = {2, 0, 1, 1, 1, 2, 1, 1, 3, 2, 3, 0, 3, 5, 3, 1, 1, 3, 4, 4};

struct EntryFields {
  Id node, size, offset, increment;
  Id base;  // offset + 64 * size * workgroup
};

Id EntryRecord(NodeAsm& m) {
  return m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}, {m.Uint(), 8}, {m.Uint(), 12}, {m.Uint(), 16}});
}

EntryFields BeginEntry(NodeAsm& m) {
  m.BeginNode({.name = kEntry,
               .local_size = {8, 1, 1},
               .grid = {256, 1, 1},
               .shader_index = 0,
               .input = m.Input(EntryRecord(m))});
  EntryFields fields = {m.Get(m.NodeInput(), 0, 1),
                        m.Get(m.NodeInput(), 0, 2),
                        m.Get(m.NodeInput(), 0, 3),
                        m.Get(m.NodeInput(), 0, 4),
                        {}};
  fields.base = m.Add(fields.offset, m.Mul(m.GroupId(0), m.Mul(fields.size, 64)));
  return fields;
}

// {grid, offset, increment}: buffer[offset + global invocation] += increment.
void AddBroadcastChild(NodeAsm& m, const std::string& name, uint32_t index, const Id& words, const Id& record) {
  m.BeginNode({.name = name + std::to_string(index),
               .local_size = {8, 1, 1},
               .grid = {1024, 1, 1},
               .shader_index = index,
               .input = m.Input(record)});
  const Id word = m.Add(m.Get(m.NodeInput(), 0, 1), m.GlobalId(0));
  m.AddWord(words, word, m.Get(m.NodeInput(), 0, 2));
  m.EndNode();
}

void SetBroadcastChild(NodeAsm& m, const Records& records, Value element, const EntryFields& fields) {
  m.Set(records, element, 0, fields.size);
  m.Set(records, element, 1, m.Add(fields.base, m.Mul(m.LocalIndex(), m.Mul(fields.size, 8))));
  m.Set(records, element, 2, fields.increment);
}

void ExpectTwoLevel(const GraphRun& run) {
  for (uint32_t buffer = 0; buffer < 2; ++buffer) {
    std::vector<uint32_t> expected(1024);
    for (size_t r = 0; r < kEntryRecords.size(); r += 5) {
      const uint32_t grid = kEntryRecords[r], node = kEntryRecords[r + 1], size = kEntryRecords[r + 2],
                     offset = kEntryRecords[r + 3];
      for (uint32_t k = 0; node == buffer && k < 64 * size * grid; ++k) expected[offset + k] += kEntryRecords[r + 4];
    }
    EXPECT_TRUE(run.Matches(expected, buffer));
  }
}

GraphInput EntryInput() { return {.node = kEntry, .count = 4, .payloads = Bytes(kEntryRecords), .stride = 20}; }

TEST_P(TwoLevel, Broadcast) {
  NodeAsm m(shape());
  const Id child = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}, {m.Uint(), 8}});
  const Payload to0 = m.Output("Broadcast0", child, {.max_payloads = 8});
  const Payload to1 = m.Output("Broadcast1", child, {.max_payloads = 8});
  const Id words0 = m.StorageBuffer(0), words1 = m.StorageBuffer(1);
  const EntryFields fields = BeginEntry(m);
  m.If(
      m.NotEqual(fields.node, 0),
      [&] {
        const Records records = m.Allocate(to1, Scope::kWorkgroup, 8);
        SetBroadcastChild(m, records, m.LocalIndex(), fields);
        m.Enqueue(records);
      },
      [&] {
        const Records records = m.Allocate(to0, Scope::kInvocation, 1);
        SetBroadcastChild(m, records, 0, fields);
        m.Enqueue(records);
      });
  m.EndNode();
  AddBroadcastChild(m, "Broadcast", 0, words0, child);
  AddBroadcastChild(m, "Broadcast", 1, words1, child);

  GraphRun run(context(), {.layout = {.buffers_per_set = 2}});
  run.Node({.text = m.Text(), .entry = kEntry});
  // The children carry shader indices 0 and 1; under names of their own both are wanted at 0.
  run.Node({.text = m.Text(), .entry = "Broadcast0", .index = 0});
  run.Node({.text = m.Text(), .entry = "Broadcast1", .index = 0});
  run.Input(EntryInput());
  ASSERT_TRUE(run.Execute());
  ExpectTwoLevel(run);
}

TEST_P(TwoLevel, BroadcastNodeArray) {
  NodeAsm m(shape());
  const Id child = m.Struct({{m.Uint(), 0, true}, {m.Uint(), 4}, {m.Uint(), 8}});
  const Payload to = m.Output("B", child, {.max_payloads = 8, .array_size = 2});
  const Id words0 = m.StorageBuffer(0), words1 = m.StorageBuffer(1);
  const EntryFields fields = BeginEntry(m);
  const Records records = m.Allocate(to, Scope::kWorkgroup, 8, fields.node);
  SetBroadcastChild(m, records, m.LocalIndex(), fields);
  m.Enqueue(records);
  m.EndNode();
  AddBroadcastChild(m, "B", 0, words0, child);
  AddBroadcastChild(m, "B", 1, words1, child);

  GraphRun run(context(), {.layout = {.buffers_per_set = 2}});
  run.Node({.text = m.Text(), .entry = kEntry});
  run.Node({.text = m.Text(), .entry = "B0", .name = "B"});
  run.Node({.text = m.Text(), .entry = "B1", .name = "B"});
  run.Input(EntryInput());
  ASSERT_TRUE(run.Execute());
  ExpectTwoLevel(run);
}

TEST_P(TwoLevel, Thread) {
  NodeAsm m(shape());
  const Id child = LeafRecord(m);
  const Payload to0 = m.Output("Thread0", child, {.max_payloads = 256});
  const Payload to1 = m.Output("Thread1", child, {.max_payloads = 1, .shares_limits_with = to0.array});
  const Id words0 = m.StorageBuffer(0), words1 = m.StorageBuffer(1);
  const EntryFields fields = BeginEntry(m);
  const Id lane = m.LocalIndex();
  const Id each = m.Mul(fields.size, 8);
  m.If(
      m.NotEqual(fields.node, 0),
      [&] {
        const Records records = m.Allocate(to1, Scope::kWorkgroup, m.Mul(fields.size, 64));
        m.For(each, [&](const Id& i) {
          const Id element = m.Add(m.Mul(i, 8), lane);
          SetLeaf(m, records, element, m.Add(fields.base, element), fields.increment);
        });
        m.Enqueue(records);
      },
      [&] {
        const Records records = m.Allocate(to0, Scope::kInvocation, each);
        const Id first = m.Add(fields.base, m.Mul(lane, each));
        m.For(each, [&](const Id& i) { SetLeaf(m, records, i, m.Add(first, i), fields.increment); });
        m.Enqueue(records);
      });
  m.EndNode();
  AddThreadLeaf(m, "Thread0", words0, child);
  AddThreadLeaf(m, "Thread1", words1, child);

  GraphRun run(context(), {.layout = {.buffers_per_set = 2}});
  run.Nodes(m.Text(), {kEntry, "Thread0", "Thread1"});
  run.Input(EntryInput());
  ASSERT_TRUE(run.Execute());
  ExpectTwoLevel(run);
}

TEST_P(TwoLevel, ThreadNodeArray) {
  NodeAsm m(shape());
  const Id child = LeafRecord(m);
  const Payload to = m.Output("T", child, {.max_payloads = 256, .array_size = 2});
  const Id words0 = m.StorageBuffer(0), words1 = m.StorageBuffer(1);
  const EntryFields fields = BeginEntry(m);
  const Id each = m.Mul(fields.size, 8);
  const Records records = m.Allocate(to, Scope::kInvocation, each, fields.node);
  const Id first = m.Add(fields.base, m.Mul(m.LocalIndex(), each));
  m.For(each, [&](const Id& i) { SetLeaf(m, records, i, m.Add(first, i), fields.increment); });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "T0", words0, child, 0);
  AddThreadLeaf(m, "T1", words1, child, 1);

  GraphRun run(context(), {.layout = {.buffers_per_set = 2}});
  run.Node({.text = m.Text(), .entry = kEntry});
  run.Node({.text = m.Text(), .entry = "T0", .name = "T"});
  run.Node({.text = m.Text(), .entry = "T1", .name = "T"});
  run.Input(EntryInput());
  ASSERT_TRUE(run.Execute());
  ExpectTwoLevel(run);
}

TRELLIS_BOTH_SHAPES(TwoLevel);

}  // namespace
}  // namespace trellis::test
