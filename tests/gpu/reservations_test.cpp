// SPDX-License-Identifier: Apache-2.0
// Places that the invocations of a workgroup take at once: the same node or different ones, as many records or
// different numbers; with and without aggregation over subgroups.
#include <gtest/gtest.h>

#include <functional>

#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/own_device.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr uint32_t kTargets = 32;    // nodes T[0] to T[31]
constexpr uint32_t kMaxRecords = 3;  // of one invocation
constexpr uint32_t kReservingWorkgroups = 3;
constexpr uint32_t kIndexFactor = 100;

// How many records an invocation of the workgroup sends, and to which index of T.
struct Pattern {
  const char* name;
  std::function<Id(NodeAsm&, const Id&lane)> emit_count, emit_index;
  std::function<uint32_t(uint32_t lane)> count, index;
};

Id EmitOne(NodeAsm& m, const Id&) { return m.Constant(1); }
uint32_t One(uint32_t) { return 1; }

std::vector<Pattern> Patterns() {
  return {
      {"OneNode", EmitOne, [](NodeAsm& m, const Id&) { return m.Constant(7); }, One, [](uint32_t) { return 7; }},
      {"TwoNodes", EmitOne, [](NodeAsm& m, const Id& lane) { return m.Mod(lane, 2); }, One,
       [](uint32_t lane) { return lane % 2; }},
      {"AllDifferent", EmitOne, [](NodeAsm& m, const Id& lane) { return m.Mod(m.Mul(lane, 5), kTargets); }, One,
       [](uint32_t lane) { return lane * 5 % kTargets; }},
      {"FirstAlone", EmitOne, [](NodeAsm& m, const Id& lane) { return m.Select(m.Equal(lane, 0), 3, 4); }, One,
       [](uint32_t lane) { return lane == 0 ? 3 : 4; }},
      // Groups and loners alternate, so that the search for groups ends among them.
      {"SomeAlone", EmitOne,
       [](NodeAsm& m, const Id& lane) {
         return m.Select(m.Equal(m.Mod(lane, 3), 0), m.Mod(lane, kTargets), m.Mod(lane, 2));
       },
       One, [](uint32_t lane) { return lane % 3 == 0 ? lane % kTargets : lane % 2; }},
      {"DifferentCounts", [](NodeAsm& m, const Id& lane) { return m.Mod(lane, 4); },
       [](NodeAsm& m, const Id& lane) { return m.Mod(m.Div(lane, 8), 3); }, [](uint32_t lane) { return lane % 4; },
       [](uint32_t lane) { return lane / 8 % 3; }},
      {"NodesThatAreNotThere", [](NodeAsm& m, const Id& lane) { return m.Mod(lane, 3); },
       [](NodeAsm& m, const Id& lane) { return m.Select(m.Equal(m.Mod(lane, 2), 0), 60, m.Mod(lane, 5)); },
       [](uint32_t lane) { return lane % 3; }, [](uint32_t lane) { return lane % 2 == 0 ? 60 : lane % 5; }},
  };
}

// Adds what its record holds, and its index, to the record's word.
void TargetNode(NodeAsm& m, const Id& words, const Id& record) {
  m.BeginNode({.name = "T", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id value = m.Add(m.Get(m.NodeInput(), 0, 1), m.Mul(m.ShaderIndex(), kIndexFactor));
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), value);
  m.EndNode();
}

// Every record has a word of its own.
std::string PatternModule(const Pattern& pattern, uint32_t local_size) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to =
      m.Output("T", record, {.max_payloads = local_size * kMaxRecords, .array_size = 64, .sparse = true});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {local_size, 1, 1},
               .grid = {kReservingWorkgroups, 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Id count = pattern.emit_count(m, lane);
  const Records records = m.Allocate(to, Scope::kInvocation, count, pattern.emit_index(m, lane));
  const Id first_word = m.Mul(m.GlobalId(0), kMaxRecords);
  m.For(count, [&](const Id& i) { SetLeaf(m, records, i, m.Add(first_word, i), m.Add(i, 1)); });
  m.Enqueue(records);
  m.EndNode();
  TargetNode(m, words, record);
  return m.Text();
}

std::vector<uint32_t> ExpectedWords(const Pattern& pattern, uint32_t local_size) {
  std::vector<uint32_t> expected(kReservingWorkgroups * local_size * kMaxRecords);
  for (uint32_t global = 0; global < kReservingWorkgroups * local_size; ++global) {
    const uint32_t index = pattern.index(global % local_size);
    if (index >= kTargets) continue;
    for (uint32_t i = 0; i < pattern.count(global % local_size); ++i)
      expected[global * kMaxRecords + i] = i + 1 + index * kIndexFactor;
  }
  return expected;
}

struct Grouping {
  const char* name;
  const char* aggregation;
  const char* partition = "true";  // else groups are found in rounds, as on devices without that instruction
};

class Reservations : public OwnDeviceTest, public testing::WithParamInterface<Grouping> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_AGGREGATION", GetParam().aggregation}, {"TRELLIS_SUBGROUP_PARTITION", GetParam().partition}};
  }
};

TEST_P(Reservations, EveryRecordHasItsOwnPlace) {
  for (const Pattern& pattern : Patterns()) {
    for (const uint32_t local_size : {2u, 5u, 64u, 250u}) {
      if (local_size > context().properties.limits.maxComputeWorkGroupInvocations) continue;
      GraphRun run(context(), {.words = 4096});
      const std::string text = PatternModule(pattern, local_size);
      run.Nodes(text, {"Root"});
      for (uint32_t i = 0; i < kTargets; ++i) run.Node({.text = text, .entry = "T", .index = i});
      run.Input({.node = "Root", .count = 1});
      ASSERT_TRUE(run.Execute()) << pattern.name;
      EXPECT_TRUE(run.Matches(ExpectedWords(pattern, local_size))) << pattern.name << ", " << local_size;
    }
  }
}

// An invocation sends to one of five nodes, or to none of them: each is an output of its own.
TEST_P(Reservations, OneOfSeveralOutputs) {
  constexpr uint32_t kOutputs = 5;
  for (const uint32_t local_size : {1u, 5u, 32u, 64u}) {
    GraphRun run(context(), {.words = 4096});
    NodeAsm m;
    const Id words = m.StorageBuffer(0);
    const Id record = LeafRecord(m);
    std::vector<Payload> outputs;
    for (uint32_t i = 0; i < kOutputs; ++i)
      outputs.push_back(m.Output("T" + std::to_string(i), record, {.max_payloads = local_size * kMaxRecords}));
    m.BeginNode({.name = "Root",
                 .launch = Launch::kStaticGrid,
                 .local_size = {local_size, 1, 1},
                 .grid = {kReservingWorkgroups, 1, 1},
                 .shader_index = 0});
    const Id kind = m.Mod(m.GlobalId(0), kOutputs + 1);
    const Id first_word = m.Mul(m.GlobalId(0), kMaxRecords);
    for (uint32_t i = 0; i < kOutputs; ++i) {
      const Id count = m.Select(m.Equal(kind, i), 1 + i % kMaxRecords, 0);
      const Records records = m.Allocate(outputs[i], Scope::kInvocation, count, m.Constant(0));
      m.For(count, [&](const Id& j) { SetLeaf(m, records, j, m.Add(first_word, j), m.Add(j, 1 + i)); });
      m.Enqueue(records);
    }
    m.EndNode();
    for (uint32_t i = 0; i < kOutputs; ++i) {
      m.BeginNode({.name = "T" + std::to_string(i),
                   .launch = Launch::kCoalescing,
                   .shader_index = 0,
                   .input = m.Input(record)});
      m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Mul(m.Get(m.NodeInput(), 0, 1), kIndexFactor + i));
      m.EndNode();
    }
    std::vector<uint32_t> expected(kReservingWorkgroups * local_size * kMaxRecords);
    for (uint32_t global = 0; global < kReservingWorkgroups * local_size; ++global) {
      const uint32_t i = global % (kOutputs + 1);
      for (uint32_t j = 0; i < kOutputs && j < 1 + i % kMaxRecords; ++j)
        expected[global * kMaxRecords + j] = (j + 1 + i) * (kIndexFactor + i);
    }
    const std::string text = m.Text();
    run.Nodes(text, {"Root", "T0", "T1", "T2", "T3", "T4"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute()) << local_size;
    EXPECT_TRUE(run.Matches(expected)) << local_size;
  }
}

// As many nodes as a workgroup has invocations: more than it can keep apart.
TEST_P(Reservations, ANodeForEachInvocation) {
  constexpr uint32_t kLanes = 256;
  if (context().properties.limits.maxComputeWorkGroupInvocations < kLanes)
    GTEST_SKIP() << "workgroups have fewer than 256 invocations";
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("T", record, {.max_payloads = kLanes, .array_size = kLanes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {kReservingWorkgroups, 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  const Records records = m.Allocate(to, Scope::kInvocation, 1, lane);
  SetLeaf(m, records, 0, m.GlobalId(0), m.Add(lane, 1));
  m.Enqueue(records);
  m.EndNode();
  TargetNode(m, words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root"});
  for (uint32_t i = 0; i < kLanes; ++i) run.Node({.text = m.Text(), .entry = "T", .index = i});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kLanes * kReservingWorkgroups; ++i)
    expected.push_back(i % kLanes + 1 + i % kLanes * kIndexFactor);
  EXPECT_TRUE(run.Matches(expected));
}

// Allocations for the workgroup, one right after the other: nobody may see the handle of a later one.
TEST_P(Reservations, WorkgroupsKeepHandlesApart) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  constexpr uint32_t kLanes = 64, kAllocations = 5;
  const Payload to = m.Output("Leaf", record, {.max_payloads = kLanes * kAllocations});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {kReservingWorkgroups, 1, 1},
               .shader_index = 0});
  const Id lane = m.LocalIndex();
  std::vector<Records> allocations;
  for (uint32_t i = 0; i < kAllocations; ++i) allocations.push_back(m.Allocate(to, Scope::kWorkgroup, kLanes));
  for (uint32_t i = 0; i < kAllocations; ++i) {
    SetLeaf(m, allocations[i], lane, m.Add(m.Mul(m.GlobalId(0), kAllocations), i), i + 1);
    m.Enqueue(allocations[i]);
  }
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < kLanes * kReservingWorkgroups * kAllocations; ++i) expected.push_back(i % kAllocations + 1);
  EXPECT_TRUE(run.Matches(expected));
}

INSTANTIATE_TEST_SUITE_P(Aggregation, Reservations,
                         testing::Values(Grouping{"workgroup", "workgroup"},
                                         Grouping{"workgroup_in_rounds", "workgroup", "false"},
                                         Grouping{"subgroup", "subgroup"},
                                         Grouping{"subgroup_in_rounds", "subgroup", "false"}, Grouping{"none", "none"}),
                         [](const testing::TestParamInfo<Grouping>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::test
