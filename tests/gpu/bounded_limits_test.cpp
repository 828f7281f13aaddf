// SPDX-License-Identifier: Apache-2.0
// Where bounded mode ends: what it cannot place is lost, counted and reported, and nothing else is touched. And how far
// it goes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <regex>
#include <string>

#include "tests/gpu/flood_module.h"
#include "tests/gpu/leaf_nodes.h"
#include "tests/gpu/small_ring.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

class BoundedLimits : public SmallRingTest {
 protected:
  // Payloads for a node that were reported as lost.
  [[nodiscard]] uint32_t LostFor(const std::string& node) const {
    vkDeviceWaitIdle(context().device);
    uint32_t lost = 0;
    for (const Message& message : context().messages.Find(kRecordsLost)) {
      std::smatch match;
      if (std::regex_search(message.text, match, std::regex("([0-9]+) records \\([0-9]+ bytes\\) for node " + node)))
        lost += static_cast<uint32_t>(std::stoul(match[1]));
    }
    return lost;
  }
  [[nodiscard]] std::string StepsText() const {
    vkDeviceWaitIdle(context().device);
    std::string text;
    for (const Message& message : context().messages.Find("TRELLIS-dispatch-graph"))
      if (message.text.find(" steps") != std::string::npos) text = message.text;
    return text;
  }
};

class FewRounds : public BoundedLimits {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_RING_BUDGET", "1"}, {"TRELLIS_MAX_ROUNDS", "2"}};
  }
};

// `count` payloads of a thread node that each become `sent` of 256 bytes for "Leaf": words[number % 1000] += 1.
std::string SpreadModule(uint32_t sent) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4}, {m.Array(m.Uint(), 62, 4), 8}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = Value(sent)});
  const Id input = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {1, 1, 1},
               .shader_index = 0,
               .input = m.Input(input)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  const Records records = m.Allocate(to, Scope::kWorkgroup, sent);
  m.For(sent / 64, [&](const Id& i) {
    const Id element = m.Add(m.Mul(i, 64), m.LocalIndex());
    SetLeaf(m, records, element, m.Mod(m.Add(m.Mul(number, sent), element), 1000), 1);
  });
  m.Enqueue(records);
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  return m.Text();
}

struct SpreadResult {
  uint32_t arrived = 0;
};

void RunSpread(Context& context, uint32_t count, uint32_t sent, SpreadResult& result) {
  RunOptions options;
  options.command = DispatchCommand::kHost;
  GraphRun run(context, options);
  run.Nodes(SpreadModule(sent), {"Root", "Leaf"});
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = i;
  run.Input({.node = "Root", .count = count, .payloads = Bytes(numbers), .stride = 4});
  ASSERT_TRUE(run.Execute());
  const auto words = run.Words();
  for (uint32_t i = 0; i < 1000; ++i) {
    result.arrived += words[i];
    EXPECT_LE(words[i], uint64_t{count} * sent / 1000 + 1) << "payload " << i << " came more often than it was sent";
  }
  for (size_t i = 1000; i < words.size(); ++i) EXPECT_EQ(words[i], 0u) << "word " << i;
}

// Two levels and two rounds are four steps: two portions of the root, and two of what they sent. What was sent arrived;
// the root's other payloads are reported, and those alone.
TEST_F(FewRounds, WhatIsLeftIsReported) {
  constexpr uint32_t kCount = 1000;
  constexpr uint32_t kSent = 64;
  SpreadResult result;
  ASSERT_NO_FATAL_FAILURE(RunSpread(context(), kCount, kSent, result));
  EXPECT_EQ(LostFor("Leaf"), 0u);
  const uint32_t left = LostFor("Root");
  EXPECT_GT(left, kCount / 2);
  EXPECT_LT(left, kCount);
  EXPECT_EQ(result.arrived, (kCount - left) * kSent);
  EXPECT_NE(StepsText().find("used 4 of 4 steps"), std::string::npos) << StepsText();
}

// One workgroup may send 2 MiB: no portion is small enough, and the graph runs in one pass.
TEST_F(BoundedLimits, AWorkgroupThatMaySendMoreThanTheRingHolds) {
  constexpr uint32_t kCount = 3;
  constexpr uint32_t kSent = 8192;
  SpreadResult result;
  ASSERT_NO_FATAL_FAILURE(RunSpread(context(), kCount, kSent, result));
  EXPECT_EQ(StepsText().find("used"), std::string::npos) << StepsText();
  EXPECT_GT(LostFor("Leaf"), 0u);
  EXPECT_EQ(result.arrived + LostFor("Leaf"), kCount * kSent);
}

class ManyRounds : public BoundedLimits {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_RING_BUDGET", "1"}, {"TRELLIS_MAX_ROUNDS", "100"}};
  }
};

// Nothing is known on the host of what infos on the device send, but a portion fits all the same.
TEST_F(ManyRounds, InfosOnTheDevice) {
  for (const DispatchCommand command : {DispatchCommand::kIndirect, DispatchCommand::kIndirectCount}) {
    RunOptions options;
    options.submits = 2;
    options.command = command;
    GraphRun run(context(), options);
    run.Nodes(FloodModule(1000, Launch::kDynamicGrid, Scope::kInvocation, false), {"Root", "Leaf"});
    run.Input({.node = "Root", .count = 1});
    ASSERT_TRUE(run.Execute());
    std::vector<uint32_t> expected(1002, 2 * 64);
    expected[0] = 2 * 64000;
    expected[1] = 0;
    EXPECT_TRUE(run.Matches(expected));
    EXPECT_NE(StepsText().find("of 102 steps"), std::string::npos) << StepsText();
    EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
  }
}

// ---- arrays of nodes ------------------------------------------------------------------------------------------------

constexpr uint32_t kBins = 16;
constexpr uint32_t kSorted = 20 * 64;  // of 256 bytes: less than half of the ring, but not for each of the bins

// "Root" sends each of kSorted payloads to one of kBins nodes "Bin": number & mask. words[bin] += 1.
std::string SortModule(uint32_t mask, uint32_t sorted) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), 63, 4), 4}});
  const Payload to = m.Output("Bin", record, {.max_payloads = 64, .array_size = Value(kBins)});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {64, 1, 1},
               .grid = {sorted / 64, 1, 1},
               .shader_index = 0});
  const Id bin = m.And(m.GlobalId(0), mask);
  const Records records = m.Allocate(to, Scope::kInvocation, 1, bin);
  m.Set(records, 0, 0, bin);
  m.Enqueue(records);
  m.EndNode();
  for (uint32_t i = 0; i < kBins; ++i) {
    m.BeginNode({.name = "Bin" + std::to_string(i),
                 .launch = Launch::kCoalescing,
                 .shader_index = Value(i),
                 .input = m.Input(record)});
    m.AddWord(words, m.Get(m.NodeInput(), 0, 0), 1);
    m.EndNode();
  }
  return m.Text();
}

void RunSort(GraphRun& run, uint32_t mask, uint32_t sorted = kSorted) {
  const std::string module = SortModule(mask, sorted);
  run.Node({.text = module, .entry = "Root"});
  for (uint32_t i = 0; i < kBins; ++i) run.Node({.text = module, .entry = "Bin" + std::to_string(i), .name = "Bin"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
}

// All of it fits, wherever it goes: that takes no steps.
TEST_F(BoundedLimits, WhatIsSpreadOverAnArrayRunsInOnePass) {
  RunOptions options;
  options.command = DispatchCommand::kHost;
  GraphRun run(context(), options);
  ASSERT_NO_FATAL_FAILURE(RunSort(run, kBins - 1));
  EXPECT_TRUE(run.Matches(std::vector<uint32_t>(kBins, kSorted / kBins)));
  EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
  EXPECT_EQ(StepsText(), "");
}

TEST_F(BoundedLimits, OneNodeOfAnArrayGetsEverythingInOnePass) {
  RunOptions options;
  options.command = DispatchCommand::kHost;
  GraphRun run(context(), options);
  // More than half of the ring: nobody else needs the other one.
  ASSERT_NO_FATAL_FAILURE(RunSort(run, 0, 2 * kSorted));
  EXPECT_TRUE(run.Matches({2 * kSorted}));
  EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
  EXPECT_EQ(StepsText(), "");
}

TEST_F(ManyRounds, OneNodeOfAnArrayGetsEverything) {
  RunOptions options;
  options.command = DispatchCommand::kHost;
  GraphRun run(context(), options);
  ASSERT_NO_FATAL_FAILURE(RunSort(run, 0, 4 * kSorted));
  EXPECT_TRUE(run.Matches({4 * kSorted}));
  EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
  EXPECT_NE(StepsText().find(" used "), std::string::npos) << StepsText();
}

// ---- 1 : 16 M -------------------------------------------------------------------------------------------------------

constexpr uint32_t kFactor = 256;
constexpr uint32_t kCounters = 4096;

// Each payload of "Level0", "Level1"… becomes 256 of the next one; those of the last one are counted by number.
std::string AmplifyModule(uint32_t levels) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  for (uint32_t level = 0; level < levels; ++level) {
    const bool is_last = level + 1 == levels;
    const Payload to =
        m.Output(is_last ? "Leaf" : "Level" + std::to_string(level + 1), record, {.max_payloads = kFactor});
    m.BeginNode({.name = "Level" + std::to_string(level),
                 .launch = Launch::kStaticGrid,
                 .local_size = {64, 1, 1},
                 .grid = {1, 1, 1},
                 .shader_index = 0,
                 .input = m.Input(record)});
    const Id number = m.Get(m.NodeInput(), 0, 0);
    const Records records = m.Allocate(to, Scope::kWorkgroup, kFactor);
    m.For(kFactor / 64, [&](const Id& i) {
      const Id element = m.Add(m.Mul(i, 64), m.LocalIndex());
      const Id sent = m.Add(m.Mul(number, kFactor), element);
      SetLeaf(m, records, element, is_last ? m.Mod(sent, kCounters) : sent, 1);
    });
    m.Enqueue(records);
    m.EndNode();
  }
  AddThreadLeaf(m, "Leaf", words, record);
  return m.Text();
}

class Amplification : public BoundedLimits {
 protected:
  void Amplify(uint32_t levels) {
    RunOptions options;
    options.words = kCounters;
    options.command = DispatchCommand::kHost;
    GraphRun run(context(), options);
    for (uint32_t level = 0; level < levels; ++level)
      run.Node({.text = AmplifyModule(levels), .entry = "Level" + std::to_string(level)});
    run.Node({.text = AmplifyModule(levels), .entry = "Leaf"});
    run.Input({.node = "Level0", .payloads = Bytes({0, 1})});
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(run.Execute());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    uint32_t payloads = 1;
    for (uint32_t level = 0; level < levels; ++level) payloads *= kFactor;
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(kCounters, payloads / kCounters)));
    EXPECT_TRUE(context().messages.Find(kRecordsLost).empty());
    const std::string steps = StepsText();
    EXPECT_NE(steps.find(" used "), std::string::npos) << steps;
    std::printf("1 : %u through a ring of 1 MiB: %.2f s, %s\n", payloads, seconds.count(), steps.c_str());
  }
};

TEST_F(Amplification, OneToSixteenMillion) { Amplify(3); }

}  // namespace
}  // namespace trellis::test
