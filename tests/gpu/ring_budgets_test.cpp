// SPDX-License-Identifier: Apache-2.0
// Graphs on rings of many sizes, compared with a reference: nothing is dropped where it fits into the ring, and where
// it runs in steps. What is dropped all the same names the ring that would have been large enough.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <span>
#include <string>

#include "tests/gpu/own_device.h"
#include "tests/support/run.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

constexpr uint32_t kNodes = 8;
constexpr uint32_t kFavourite = 5;
constexpr uint32_t kLanes = 64;
constexpr uint32_t kRecordWords = 64;
constexpr uint32_t kRecordBytes = 4 * kRecordWords;

// words: records that each node got, damaged records, and the numbers of records, added up by remainder.
constexpr uint32_t kDamaged = kNodes;
constexpr uint32_t kSums = kNodes + 1;
constexpr uint32_t kRemainders = 1009;

enum class Target { kAllInTurn, kFavourite };

// "Root" sends a record from each invocation: its number, and what can be computed of it in all other words.
std::string Module(uint32_t workgroups, Target target) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Array(m.Uint(), kRecordWords - 1, 4), 4}});
  const Payload to = m.Output("Leaf", record, {.max_payloads = kLanes, .array_size = kNodes});
  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kLanes, 1, 1},
               .grid = {workgroups, 1, 1},
               .shader_index = 0});
  const Id number = m.GlobalId(0);
  const Id index = target == Target::kFavourite ? m.Constant(kFavourite) : m.Mod(number, kNodes);
  const Records records = m.Allocate(to, Scope::kInvocation, 1, index);
  m.Set(records, 0, 0, number);
  m.For(kRecordWords - 1, [&](const Id& i) {
    m.Store(m.Field(records, m.Uint(), 0, {1, i}), m.Add(m.Mul(number, 3), i));
  });
  m.Enqueue(records);
  m.EndNode();
  for (uint32_t node = 0; node < kNodes; ++node) {
    m.BeginNode({.name = "Leaf" + std::to_string(node),
                 .launch = Launch::kCoalescing,
                 .shader_index = node,
                 .input = m.Input(record)});
    const Id got = m.Get(m.NodeInput(), 0, 0);
    m.For(kRecordWords - 1, [&](const Id& i) {
      const Id word = m.Load(m.Uint(), m.Field(m.NodeInput(), m.Uint(), 0, {1, i}));
      m.If(m.NotEqual(word, m.Add(m.Mul(got, 3), i)), [&] { m.AddWord(words, kDamaged, 1); });
    });
    m.AddWord(words, node, 1);
    m.AddWord(words, m.Add(m.Mod(got, kRemainders), kSums), got);
    m.EndNode();
  }
  return m.Text();
}

std::vector<uint32_t> Reference(uint32_t workgroups, Target target) {
  std::vector<uint32_t> words(kSums + kRemainders);
  for (uint32_t number = 0; number < workgroups * kLanes; ++number) {
    ++words[target == Target::kFavourite ? kFavourite : number % kNodes];
    words[kSums + number % kRemainders] += number;
  }
  return words;
}

// Sends so many bytes in all.
void Send(Context& context, uint64_t bytes, Target target, DispatchCommand command, std::vector<uint32_t>& words) {
  const auto workgroups = static_cast<uint32_t>(bytes / (kRecordBytes * kLanes));
  GraphRun run(context, {.words = kSums + kRemainders, .command = command});
  const std::string module = Module(workgroups, target);
  run.Node({.text = module, .entry = "Root"});
  for (uint32_t node = 0; node < kNodes; ++node)
    run.Node({.text = module, .entry = "Leaf" + std::to_string(node), .name = "Leaf"});
  run.Input({.node = "Root"});
  ASSERT_TRUE(run.Execute());
  vkDeviceWaitIdle(context.device);
  const std::span<const uint32_t> written = run.Words().first(kSums + kRemainders);
  words.assign(written.begin(), written.end());
}

// The parameter: the setting ring_budget, in MiB. A message about dropped records fails the test.
class RingBudgets : public OwnDeviceTest, public testing::WithParamInterface<uint32_t> {
 protected:
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_RING_BUDGET", std::to_string(GetParam())}};
  }
  [[nodiscard]] static uint64_t Budget() { return uint64_t{GetParam()} * kMiB; }
  [[nodiscard]] bool RanInSteps() const {
    for (const Message& message : context().messages.Find("TRELLIS-dispatch-graph"))
      if (message.text.find(" steps") != std::string::npos) return true;
    return false;
  }
  void ExpectAllArrive(uint64_t bytes, Target target) {
    std::vector<uint32_t> words;
    Send(context(), bytes, target, DispatchCommand::kHost, words);
    EXPECT_EQ(words, Reference(static_cast<uint32_t>(bytes / (kRecordBytes * kLanes)), target));
  }
};

TEST_P(RingBudgets, WhatFitsRunsInOnePass) {
  ExpectAllArrive(Budget() / 8, Target::kAllInTurn);
  EXPECT_FALSE(RanInSteps());
}

TEST_P(RingBudgets, OneNodeGetsEverything) {
  ExpectAllArrive(Budget() / 10 * 3, Target::kFavourite);
  EXPECT_FALSE(RanInSteps());
}

TEST_P(RingBudgets, WhatDoesNotFitRunsInSteps) {
  ExpectAllArrive(Budget() * 2, Target::kAllInTurn);
  EXPECT_TRUE(RanInSteps());
}

TEST_P(RingBudgets, OneNodeGetsEverythingInSteps) {
  ExpectAllArrive(Budget() * 2, Target::kFavourite);
  EXPECT_TRUE(RanInSteps());
}

INSTANTIATE_TEST_SUITE_P(MiB, RingBudgets, testing::Values(1u, 2u, 3u, 5u, 16u, 64u),
                         [](const testing::TestParamInfo<uint32_t>& info) { return std::to_string(info.param); });

// Runs with a ring of `budget` MiB what sends `bytes`. Returns the ring_budget, in MiB, that the messages ask for; 0 if
// nothing was dropped.
uint32_t WantedBudget(uint32_t budget, uint64_t bytes, Target target) {
  std::string error;
  const std::unique_ptr<Context> context =
      Context::Create(error, {.settings = {{"TRELLIS_RING_BUDGET", std::to_string(budget)}}});
  EXPECT_NE(context, nullptr) << error;
  if (!context) return 0;
  context->messages.Expect("TRELLIS-records-lost");
  std::vector<uint32_t> words;
  // Nothing bounds what infos on the device bring, so that the graph runs in one pass.
  Send(*context, bytes, target, DispatchCommand::kIndirect, words);
  uint32_t wanted = 0;
  uint32_t dropped = 0;
  for (const Message& message : context->messages.Find("TRELLIS-records-lost")) {
    std::smatch match;
    const std::regex expected(
        "([0-9]+) records \\([0-9]+ bytes\\) for node Leaf\\[[0-9]\\] .*set ring_budget=([0-9]+)$");
    EXPECT_TRUE(std::regex_search(message.text, match, expected)) << message.text;
    if (match.size() != 3) continue;
    dropped += static_cast<uint32_t>(std::stoul(match[1]));
    wanted = std::max(wanted, static_cast<uint32_t>(std::stoul(match[2])));
  }
  uint32_t arrived = 0;
  for (uint32_t node = 0; node < kNodes; ++node) arrived += words[node];
  EXPECT_EQ(arrived + dropped, bytes / kRecordBytes);
  EXPECT_EQ(words[kDamaged], 0u);
  context->DestroyDevice();
  ReportUnexpectedMessages(*context);
  return wanted;
}

// No CPU knows what arrives, so the ring is too small; the one that the messages ask for is not.
TEST(DroppedRecords, TheRingThatMessagesAskForIsLargeEnough) {
  for (const Target target : {Target::kAllInTurn, Target::kFavourite})
    for (const uint64_t bytes : {uint64_t{kMiB}, uint64_t{3 * kMiB}, uint64_t{20 * kMiB}}) {
      const uint32_t wanted = WantedBudget(1, bytes, target);
      EXPECT_GT(wanted, 1u);
      EXPECT_LE(wanted, 2 + 4 * bytes / kMiB);
      EXPECT_EQ(WantedBudget(wanted, bytes, target), 0u) << "ring_budget=" << wanted;
    }
}

}  // namespace
}  // namespace trellis::test
