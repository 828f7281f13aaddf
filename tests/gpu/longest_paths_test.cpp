// SPDX-License-Identifier: Apache-2.0
// Rows of nodes, each of which may send to any later one. Each is launched once, when all before it are done.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using LongestPaths = GpuTest;

constexpr uint32_t kRow = 12;  // level by level 66 launches; each slot once, 11
constexpr uint32_t kTravellers = 700;
constexpr uint32_t kCoalesced = 4;

uint32_t JumpOf(uint32_t value) { return 1 + value % 5; }
uint32_t NextValue(uint32_t value, uint32_t node) { return (value * 7 + node) % 1009; }

// {word, value}, and a grid for nodes that take it from the record.
Id TravellerOf(NodeAsm& m, Launch launch) {
  return m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Uint(), 8, launch == Launch::kDynamicGrid}});
}

// Sends the traveller on from `node` if its jump ends in the row.
void SendOn(NodeAsm& m, const Payload& later, uint32_t node, const Id& word, const Id& value) {
  const Id jump = m.Mod(value, 5);
  const Id sends = m.Select(m.Less(m.Add(jump, node + 1), kRow), 1, 0);
  const Records sent = m.Allocate(later, Scope::kWorkgroup, sends, jump);
  m.For(sends, [&](const Id& i) {
    m.Set(sent, i, 0, word);
    m.Set(sent, i, 1, m.Mod(m.Add(m.Mul(value, 7), node), 1009));
    m.Set(sent, i, 2, 1);
  });
  m.Enqueue(sent);
}

Payload LaterNodes(NodeAsm& m, uint32_t node, const Id& record, uint32_t max) {
  return m.Output("Hop", record,
                  {.max_payloads = max, .base_index = node + 1, .array_size = kRow - node, .sparse = true});
}

// Workgroup g starts traveller g with the value g.
std::string SourceText(Launch launch) {
  NodeAsm m;
  const Payload later = LaterNodes(m, 0, TravellerOf(m, launch), 1);
  m.BeginNode({.name = "Source", .launch = Launch::kStaticGrid, .grid = {kTravellers, 1, 1}, .shader_index = 0});
  SendOn(m, later, 0, m.GroupId(0), m.GroupId(0));
  m.EndNode();
  return m.Text();
}

// Adds node + 1 to the traveller's word.
std::string HopText(Launch launch, uint32_t node) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = TravellerOf(m, launch);
  const uint32_t max = launch == Launch::kCoalescing ? kCoalesced : 1;
  const Payload later = LaterNodes(m, node, record, max);
  NodeOptions options = {.name = "Hop", .launch = launch, .shader_index = 0, .input = m.Input(record, max)};
  if (launch != Launch::kCoalescing) options.grid = {launch == Launch::kDynamicGrid ? 64 : 1, 1, 1};
  m.BeginNode(options);
  const Id count = launch == Launch::kCoalescing ? m.Length(m.NodeInput()) : m.Constant(1);
  m.For(count, [&](const Id& i) {
    const Id word = m.Get(m.NodeInput(), i, 0);
    m.AddWord(words, word, node + 1);
    SendOn(m, later, node, word, m.Get(m.NodeInput(), i, 1));
  });
  m.EndNode();
  return m.Text();
}

std::vector<uint32_t> ExpectedWords(uint32_t times) {
  std::vector<uint32_t> words(kTravellers);
  for (uint32_t traveller = 0; traveller < kTravellers; ++traveller) {
    uint32_t value = traveller, node = 0;
    while (node + JumpOf(value) < kRow) {
      const uint32_t next = node + JumpOf(value);
      value = NextValue(value, node);
      node = next;
      words[traveller] += times * (node + 1);
    }
  }
  return words;
}

TEST_F(LongestPaths, EachTravellerVisitsItsNodes) {
  for (const Launch launch : {Launch::kStaticGrid, Launch::kCoalescing, Launch::kDynamicGrid}) {
    SCOPED_TRACE(static_cast<int>(launch));
    constexpr uint32_t kDispatches = 2, kSubmits = 3;
    GraphRun run(context(), {.dispatches = kDispatches, .submits = kSubmits});
    run.Node({.text = SourceText(launch), .entry = "Source"});
    for (uint32_t node = 1; node < kRow; ++node)
      run.Node({.text = HopText(launch, node), .entry = "Hop", .index = node});
    run.Input({.node = "Source"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ExpectedWords(kDispatches * kSubmits)));
  }
}

// The last node is a root too, of its own records, and what is sent to it comes later.
TEST_F(LongestPaths, ARootThatIsSentTo) {
  GraphRun run(context());
  run.Node({.text = SourceText(Launch::kStaticGrid), .entry = "Source"});
  for (uint32_t node = 1; node < kRow; ++node)
    run.Node({.text = HopText(Launch::kStaticGrid, node), .entry = "Hop", .index = node});
  run.Input({.node = "Source"});
  run.Input({.node = "Hop", .index = kRow - 1, .payloads = std::vector<uint8_t>(12)});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected = ExpectedWords(1);
  expected[0] += kRow;
  EXPECT_TRUE(run.Matches(expected));
}

}  // namespace
}  // namespace trellis::test
