// SPDX-License-Identifier: Apache-2.0
// Graphs that follow each other on the only queue of a device: they use its rings without claiming them.
#include <gtest/gtest.h>

#include "tests/gpu/own_device.h"
#include "tests/gpu/queue_work.h"

namespace trellis::test {
namespace {

// The parameter: the setting ring_budget, in MiB.
class OneQueue : public OwnDeviceTest, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] ContextOptions Options() const override {
    return {.settings = {{"TRELLIS_RING_BUDGET", GetParam()}}, .one_queue = true};
  }
  [[nodiscard]] VkResult Submit(std::vector<VkCommandBuffer> command_buffers) const {
    return test::Submit(SubmitCommand::kQueueSubmit, {context().queue, std::move(command_buffers)});
  }
};

// A graph that sends `count` times 256 records of 8 bytes in each of two levels.
struct Sender {
  // From the host: nothing bounds what infos on the device bring, so that a small ring loses some of it.
  Sender(Context& context, uint32_t key, uint32_t count)
      : adds(key * count), run(KeyedRun(context, key, count, {.command = DispatchCommand::kHost})) {}
  [[nodiscard]] testing::AssertionResult Ran(uint32_t times) const {
    if (testing::AssertionResult intact = run->GuardsIntact(); !intact) return intact;
    return run->Matches(KeyedWords(adds, times));
  }

  const uint32_t adds;  // to every word
  const std::unique_ptr<GraphRun> run;
};

// Nothing but the graphs' own barriers keeps their records apart.
TEST_P(OneQueue, ManyGraphsInOneCommandBuffer) {
  ASSERT_TRUE(context().HasOneQueue());
  const Sender small(context(), 3, 1);
  const Sender medium(context(), 5, 100);
  const Sender large(context(), 7, 1500);
  const CommandPool pool(context(), context().queue_family);
  const VkCommandBuffer command_buffer = pool.Allocate();
  constexpr uint32_t kRounds = 3;
  RecordInto(command_buffer, [&] {
    for (uint32_t round = 0; round < kRounds; ++round)
      for (const Sender* sender : {&small, &large, &small, &medium}) sender->run->RecordGraph(command_buffer);
  });
  constexpr uint32_t kSubmits = 2;
  for (uint32_t submit = 0; submit < kSubmits; ++submit) {
    ASSERT_EQ(Submit({command_buffer}), VK_SUCCESS);
    WaitForQueues(context());
  }
  EXPECT_TRUE(small.Ran(2 * kRounds * kSubmits));
  EXPECT_TRUE(medium.Ran(kRounds * kSubmits));
  EXPECT_TRUE(large.Ran(kRounds * kSubmits));
}

// Larger rings come while graphs in smaller ones are on their way.
TEST_P(OneQueue, RingsGrowBetweenSubmissions) {
  const CommandPool pool(context(), context().queue_family);
  std::vector<std::unique_ptr<Sender>> senders;
  std::vector<VkCommandBuffer> recorded;
  for (const uint32_t count : {1u, 40u, 200u, 700u, 1500u}) {
    senders.push_back(std::make_unique<Sender>(context(), 1 + count % 13, count));
    recorded.push_back(pool.Record(*senders.back()->run, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
  }
  // What came before again with each larger one, in the same submission and in one of its own.
  for (size_t largest = 0; largest < recorded.size(); ++largest) {
    ASSERT_EQ(Submit({recorded.begin(), recorded.begin() + largest + 1}), VK_SUCCESS);
    for (size_t i = 0; i <= largest; ++i) ASSERT_EQ(Submit({recorded[i]}), VK_SUCCESS);
  }
  WaitForQueues(context());
  for (size_t i = 0; i < senders.size(); ++i)
    EXPECT_TRUE(senders[i]->Ran(2 * static_cast<uint32_t>(senders.size() - i))) << "graph " << i;
}

INSTANTIATE_TEST_SUITE_P(RingBudget, OneQueue, testing::Values("0", "1"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return info.param == std::string("0") ? "default" : "1_MiB";
                         });

}  // namespace
}  // namespace trellis::test
