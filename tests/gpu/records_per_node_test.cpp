// SPDX-License-Identifier: Apache-2.0
// MaxRecordsPerNode: what it saves, and what happens to a producer that breaks its word.
#include <gtest/gtest.h>

#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using RecordsPerNode = SmallRingTest;

constexpr uint32_t kWorkgroups = 16;
constexpr uint32_t kLanes = 64;
constexpr uint32_t kNodes = 256;
constexpr uint32_t kRestWord = kNodes;
constexpr uint32_t kDamagedWord = kNodes + 1;

// "Root": each workgroup sends one record to each of 256 nodes "Material", and 64 to "Rest". Records have 64 bytes, so
// that the array needs 256 KiB and Rest 64 KiB of the half MiB that a level has. Without `per_node` each Material could
// receive all 256 records of a workgroup: 64 MiB. `greedy`: each workgroup sends four records to Material 0 instead of
// the first four nodes.
std::string MaterialModule(const std::string& per_node, bool greedy) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 15, 4), 4}});
  const Payload materials =
      m.Output("Material", record, {.max_payloads = static_cast<int>(kNodes), .array_size = static_cast<int>(kNodes)});
  if (!per_node.empty()) m.Decorate("OpDecorateString " + materials.array + " UserSemantic \"" + per_node + "\"");
  const Payload rest = m.Output("Rest", record, {.max_payloads = static_cast<int>(kLanes)});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {static_cast<int>(kLanes), 1, 1},
               .grid = {static_cast<int>(kWorkgroups), 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  const auto send = [&](const Payload& to, const Id& index) {
    const Records records = m.Allocate(to, Scope::kInvocation, 1, index);
    m.Set(records, 0, 0, index);
    m.For(15, [&](const Id& i) { m.Store(m.Field(records, m.Uint(), 0, {1, i}), m.Add(index, i)); });
    m.Enqueue(records);
  };
  m.For(static_cast<int>(kNodes / kLanes), [&](const Id& k) {
    const Id index = m.Add(lane, m.Mul(k, static_cast<int>(kLanes)));
    send(materials, greedy ? m.Select(m.Less(index, 4), 0, index) : index);
  });
  send(rest, m.Constant(0));
  m.EndNode();
  for (const char* name : {"Material", "Rest"}) {
    m.BeginNode({.name = name, .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
    const Id number = m.Get(m.NodeInput(), 0, 0);
    m.For(15, [&](const Id& i) {
      const Id word = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, i}));
      m.If(m.NotEqual(word, m.Add(number, i)), [&] { m.AddWord(words, kDamagedWord, 1); });
    });
    m.AddWord(words, std::string(name) == "Rest" ? m.Constant(kRestWord) : m.ShaderIndex(), 1);
    m.EndNode();
  }
  return m.Text();
}

void AddNodes(GraphRun& run, const std::string& text) {
  run.Nodes(text, {"Root", "Rest"});
  for (uint32_t i = 0; i < kNodes; ++i) run.Node({.text = text, .entry = "Material", .index = i});
  run.Input({.node = "Root", .count = 1});
}

std::vector<uint32_t> AllArrived() {
  std::vector<uint32_t> expected(kNodes, kWorkgroups);
  expected.push_back(kWorkgroups * kLanes);
  return expected;
}

TEST_F(RecordsPerNode, TheTighterPlanFits) {
  GraphRun run(context(), {.command = DispatchCommand::kHost});
  AddNodes(run, MaterialModule("MaxRecordsPerNode:1", false));
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(AllArrived()));
  EXPECT_EQ(LostRecords(), 0u);
}

// Not all that any node could get fits; all that they get together does.
TEST_F(RecordsPerNode, WithoutItRegionsGrow) {
  GraphRun run(context(), {.command = DispatchCommand::kHost});
  AddNodes(run, MaterialModule("", false));
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(AllArrived()));
  EXPECT_EQ(LostRecords(), 0u);
}

// Material 0 gets four times as many records as was promised: those past its region are lost, its neighbours are whole.
TEST_F(RecordsPerNode, ABrokenPromiseLosesRecords) {
  GraphRun run(context(), {.command = DispatchCommand::kHost});
  AddNodes(run, MaterialModule("MaxRecordsPerNode:1", true));
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = AllArrived();
  const uint32_t arrived = run.Words()[0];
  EXPECT_GT(arrived, 0u);
  EXPECT_LE(arrived, kWorkgroups);
  expected[0] = arrived;
  for (uint32_t i = 1; i < 4; ++i) expected[i] = 0;
  EXPECT_TRUE(run.Matches(expected));
  EXPECT_EQ(arrived + LostRecords(), 4 * kWorkgroups);
}

}  // namespace
}  // namespace trellis::test
