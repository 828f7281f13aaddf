// SPDX-License-Identifier: Apache-2.0
// One graph dispatched again and again: recordings share what the layer wrote for the first of them.
#include <gtest/gtest.h>

#include <deque>

#include "tests/gpu/own_device.h"
#include "tests/gpu/queue_work.h"

namespace trellis::test {
namespace {

class RepeatedDispatch : public OwnDeviceTest {
 protected:
  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (!HasFatalFailure()) run_ = KeyedRun(context(), 1);
  }
  void TearDown() override {
    run_.reset();
    OwnDeviceTest::TearDown();
  }

  void Record(VkCommandBuffer command_buffer, uint32_t key) const {
    RecordKeyed(context(), command_buffer, *run_, run_->scratch(), key);
  }
  void SubmitAll(const std::vector<VkCommandBuffer>& command_buffers) const {
    const Submission submission = {.queue = context().queue, .command_buffers = command_buffers};
    ASSERT_EQ(Submit(SubmitCommand::kQueueSubmit, submission), VK_SUCCESS);
  }
  [[nodiscard]] GuardedBuffer MakeScratch() const {
    return GuardedBuffer(context(), run_->graph().ScratchSize().minSize,
                         VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
  }

  std::unique_ptr<GraphRun> run_;
};

TEST_F(RepeatedDispatch, WithAnotherPayloadEachTime) {
  const CommandPool pool(context(), context().queue_family);
  const VkCommandBuffer command_buffer = pool.Allocate();
  for (uint32_t key = 1; key <= 5; ++key) {
    Record(command_buffer, key);
    SubmitAll({command_buffer});
    WaitForQueues(context());
    ASSERT_EQ(vkResetCommandPool(context().device, pool.handle(), 0), VK_SUCCESS);
  }
  EXPECT_TRUE(run_->Matches(KeyedWords(1 + 2 + 3 + 4 + 5, 1)));
}

TEST_F(RepeatedDispatch, SubmittedInAnotherOrderThanRecorded) {
  constexpr uint32_t kCount = 6;
  const CommandPool pool(context(), context().queue_family);
  std::deque<VkCommandBuffer> recorded;
  for (uint32_t i = 0; i < kCount; ++i) Record(recorded.emplace_front(pool.Allocate()), 1u << (2 * i));
  SubmitAll({recorded.begin(), recorded.end()});
  WaitForQueues(context());
  // Each again, but for the first that was recorded.
  recorded.pop_back();
  SubmitAll({recorded.begin(), recorded.end()});
  WaitForQueues(context());
  const uint32_t once = ((1u << (2 * kCount)) - 1) / 3;
  EXPECT_TRUE(run_->Matches(KeyedWords(2 * once - 1, 1)));
}

// Whatever becomes of the others that use the same plan, what runs keeps it.
TEST_F(RepeatedDispatch, OthersAreResetWhileOneRuns) {
  constexpr uint32_t kOthers = 40;
  const CommandPool pool(context(), context().queue_family);
  const CommandPool other_pool(context(), context().queue_family);
  const VkCommandBuffer other = other_pool.Allocate();
  Record(other, 1);
  const VkCommandBuffer running = pool.Allocate();
  Record(running, 2);
  SubmitAll({running});
  ASSERT_EQ(vkResetCommandPool(context().device, other_pool.handle(), 0), VK_SUCCESS);
  std::deque<GuardedBuffer> scratches;
  for (uint32_t i = 0; i < kOthers; ++i) {
    RecordKeyed(context(), other, *run_, scratches.emplace_back(MakeScratch()), 100 + i);
    ASSERT_EQ(vkResetCommandPool(context().device, other_pool.handle(), 0), VK_SUCCESS);
  }
  WaitForQueues(context());
  Record(other, 4);
  SubmitAll({other, running});
  WaitForQueues(context());
  EXPECT_TRUE(run_->Matches(KeyedWords(2 + 4 + 2, 1)));
}

TEST_F(RepeatedDispatch, OnMoreScratchBuffersThanAreRemembered) {
  constexpr uint32_t kScratches = 40;
  constexpr uint32_t kRounds = 2;
  const CommandPool pool(context(), context().queue_family);
  std::deque<GuardedBuffer> scratches;
  for (uint32_t i = 0; i < kScratches; ++i) scratches.push_back(MakeScratch());
  std::vector<VkCommandBuffer> recorded;
  for (uint32_t round = 0; round < kRounds; ++round)
    for (uint32_t i = 0; i < kScratches; ++i)
      RecordKeyed(context(), recorded.emplace_back(pool.Allocate()), *run_, scratches[i], i + 1);
  SubmitAll(recorded);
  WaitForQueues(context());
  EXPECT_TRUE(run_->Matches(KeyedWords(kScratches * (kScratches + 1) / 2, kRounds)));
  for (const GuardedBuffer& scratch : scratches) EXPECT_TRUE(scratch.GuardsIntact());
}

}  // namespace
}  // namespace trellis::test
