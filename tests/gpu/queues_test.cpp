// SPDX-License-Identifier: Apache-2.0
// Graphs on several queues: of one family and of several, of two devices, waiting for each other in every order.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/own_device.h"
#include "tests/gpu/queue_work.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

class Queues : public OwnDeviceTest, public testing::WithParamInterface<SubmitCommand> {
 protected:
  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (!HasFatalFailure() && GetParam() == SubmitCommand::kQueueSubmit2 &&
        context().properties.apiVersion < VK_API_VERSION_1_3)
      GTEST_SKIP() << "no Vulkan 1.3";
  }

  [[nodiscard]] VkResult Submit(const Submission& submission) const { return test::Submit(GetParam(), submission); }

  // Two queues of one family; nothing if there are none.
  [[nodiscard]] std::optional<std::pair<ComputeQueue, ComputeQueue>> Siblings() const {
    const auto& queues = context().queues;
    const auto second = std::adjacent_find(queues.begin(), queues.end(),
                                           [](const auto& a, const auto& b) { return a.family == b.family; });
    if (second == queues.end()) return std::nullopt;
    return std::pair(second[0], second[1]);
  }
};

// A graph for one queue, and its command buffer.
struct QueueWork {
  QueueWork(Context& context, const ComputeQueue& owner, uint32_t owner_key, uint32_t count = 1,
            VkCommandBufferUsageFlags usage = 0)
      : queue(owner.handle),
        key(owner_key * count),
        pool(context, owner.family),
        run(KeyedRun(context, owner_key, count)),
        command_buffer(pool.Record(*run, usage)) {}

  [[nodiscard]] testing::AssertionResult Ran(uint32_t times) const {
    if (testing::AssertionResult intact = run->GuardsIntact(); !intact) return intact;
    return run->Matches(KeyedWords(key, times));
  }

  const VkQueue queue;
  const uint32_t key;  // what one execution adds
  const CommandPool pool;
  const std::unique_ptr<GraphRun> run;
  const VkCommandBuffer command_buffer;
};

// Every queue has many short graphs in flight, so that they claim and give back rings all the time.
TEST_P(Queues, AllAtOnce) {
  constexpr uint32_t kRounds = 40;
  std::vector<std::unique_ptr<QueueWork>> works;
  for (const ComputeQueue& queue : context().queues) {
    const auto key = static_cast<uint32_t>(1 + 1000 * works.size());
    works.push_back(
        std::make_unique<QueueWork>(context(), queue, key, 1, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
  }
  for (uint32_t round = 0; round < kRounds; ++round)
    for (const auto& work : works)
      ASSERT_EQ(Submit({.queue = work->queue, .command_buffers = {work->command_buffer}}), VK_SUCCESS);
  WaitForQueues(context());
  for (const auto& work : works) EXPECT_TRUE(work->Ran(kRounds)) << "key " << work->key;
}

// Graphs of different sizes, so that small ones may sit in rings that large ones need.
TEST_P(Queues, SmallAndLargeGraphsSideBySide) {
  constexpr uint32_t kRounds = 6;
  std::vector<std::unique_ptr<QueueWork>> works;
  for (const ComputeQueue& queue : context().queues) {
    const auto i = static_cast<uint32_t>(works.size());
    works.push_back(std::make_unique<QueueWork>(context(), queue, 7 + i, i % 3 == 0 ? 300 : 1 + i,
                                                VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT));
  }
  // Backwards and forwards: the first submission of a queue may come before or after that of a larger graph.
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (const auto& work : works)
      ASSERT_EQ(Submit({.queue = work->queue, .command_buffers = {work->command_buffer}}), VK_SUCCESS);
    std::reverse(works.begin(), works.end());
  }
  WaitForQueues(context());
  for (const auto& work : works) EXPECT_TRUE(work->Ran(kRounds)) << "key " << work->key;
}

TEST_P(Queues, WaitsForWhatAnotherQueueSignalsLater) {
  const auto& queues = context().queues;
  if (queues.size() < 2) GTEST_SKIP() << "one queue";
  const Semaphore semaphore(context(), VK_SEMAPHORE_TYPE_TIMELINE);
  // Of another family if there is one, and of the same.
  uint64_t value = 0;
  for (const ComputeQueue& waiting : {queues.back(), queues[1]}) {
    const QueueWork later(context(), queues[0], 3);
    const QueueWork waits(context(), waiting, 5);
    ++value;
    ASSERT_EQ(Submit({.queue = waits.queue,
                      .command_buffers = {waits.command_buffer},
                      .wait = SemaphorePoint{semaphore.handle(), value}}),
              VK_SUCCESS);
    ASSERT_EQ(Submit({.queue = later.queue,
                      .command_buffers = {later.command_buffer},
                      .signal = SemaphorePoint{semaphore.handle(), value}}),
              VK_SUCCESS);
    WaitForQueues(context());
    EXPECT_TRUE(waits.Ran(1));
    EXPECT_TRUE(later.Ran(1));
  }
}

TEST_P(Queues, WaitsForTheHost) {
  const Semaphore semaphore(context(), VK_SEMAPHORE_TYPE_TIMELINE);
  const QueueWork work(context(), context().queues[0], 9);
  ASSERT_EQ(Submit({.queue = work.queue,
                    .command_buffers = {work.command_buffer},
                    .wait = SemaphorePoint{semaphore.handle(), 1},
                    .signal = SemaphorePoint{semaphore.handle(), 2}}),
            VK_SUCCESS);
  // Recorded and submitted while the first one waits.
  const QueueWork next(context(), context().queues[0], 11, 50);
  ASSERT_EQ(Submit({.queue = next.queue,
                    .command_buffers = {next.command_buffer},
                    .wait = SemaphorePoint{semaphore.handle(), 2}}),
            VK_SUCCESS);
  EXPECT_TRUE(work.Ran(0));
  auto signal = MakeStruct<VkSemaphoreSignalInfo>();
  signal.semaphore = semaphore.handle();
  signal.value = 1;
  ASSERT_EQ(vkSignalSemaphore(context().device, &signal), VK_SUCCESS);
  WaitForQueues(context());
  EXPECT_TRUE(work.Ran(1));
  EXPECT_TRUE(next.Ran(1));
}

// A chain of binary semaphores that runs through all queues.
TEST_P(Queues, BinarySemaphoresFromQueueToQueue) {
  constexpr uint32_t kLinks = 12;
  std::vector<std::unique_ptr<Semaphore>> semaphores;
  std::vector<std::unique_ptr<QueueWork>> works;
  for (uint32_t link = 0; link < kLinks; ++link) {
    semaphores.push_back(std::make_unique<Semaphore>(context(), VK_SEMAPHORE_TYPE_BINARY));
    const auto& queues = context().queues;
    // Strides of 5, so that families alternate too.
    works.push_back(std::make_unique<QueueWork>(context(), queues[link * 5 % queues.size()], 1 + link));
    Submission submission = {.queue = works[link]->queue, .command_buffers = {works[link]->command_buffer}};
    if (link > 0) submission.wait = SemaphorePoint{semaphores[link - 1]->handle()};
    if (link + 1 < kLinks) submission.signal = SemaphorePoint{semaphores[link]->handle()};
    ASSERT_EQ(Submit(submission), VK_SUCCESS);
  }
  WaitForQueues(context());
  for (const auto& work : works) EXPECT_TRUE(work->Ran(1)) << "key " << work->key;
}

// One command buffer, pending on two queues; its scratch makes the second wait for the first.
TEST_P(Queues, OneCommandBufferPendingOnTwoQueues) {
  const auto siblings = Siblings();
  if (!siblings) GTEST_SKIP() << "no family with two queues";
  const QueueWork work(context(), siblings->first, 13, 20, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  const Semaphore semaphore(context(), VK_SEMAPHORE_TYPE_TIMELINE);
  constexpr uint32_t kRounds = 10;
  uint64_t value = 0;
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (VkQueue queue : {siblings->first.handle, siblings->second.handle}) {
      Submission submission = {.queue = queue, .command_buffers = {work.command_buffer}};
      submission.wait = SemaphorePoint{semaphore.handle(), value};
      submission.signal = SemaphorePoint{semaphore.handle(), ++value};
      ASSERT_EQ(Submit(submission), VK_SUCCESS);
    }
  }
  WaitForQueues(context());
  EXPECT_TRUE(work.Ran(2 * kRounds));
}

// Rings are found at execution: what was recorded before a ring grew uses it all the same.
TEST_P(Queues, RingsGrowAfterRecording) {
  const ComputeQueue& queue = context().queues[0];
  const auto usage = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  const QueueWork small(context(), queue, 3, 1, usage);
  const QueueWork medium(context(), queue, 5, 100, usage);
  const QueueWork huge(context(), queue, 7, 1500, usage);
  for (const QueueWork* work : {&small, &huge, &small, &medium, &huge, &medium, &small})
    ASSERT_EQ(Submit({.queue = queue.handle, .command_buffers = {work->command_buffer}}), VK_SUCCESS);
  // In one submission, with the largest in the middle.
  ASSERT_EQ(Submit({.queue = queue.handle,
                    .command_buffers = {small.command_buffer, huge.command_buffer, medium.command_buffer}}),
            VK_SUCCESS);
  WaitForQueues(context());
  EXPECT_TRUE(small.Ran(4));
  EXPECT_TRUE(medium.Ran(3));
  EXPECT_TRUE(huge.Ran(3));
}

TEST_P(Queues, CommandBuffersForOneSubmission) {
  const ComputeQueue& queue = context().queues[0];
  const auto run = KeyedRun(context(), 21, 4);
  const CommandPool pool(context(), queue.family, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT);
  for (uint32_t i = 0; i < 5; ++i)
    ASSERT_EQ(Submit({.queue = queue.handle,
                      .command_buffers = {pool.Record(*run, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT)}}),
              VK_SUCCESS);
  WaitForQueues(context());
  EXPECT_TRUE(run->Matches(KeyedWords(21 * 4, 5)));
}

// Every way in which a recording can end, and what survives it.
TEST_P(Queues, PoolsAreResetTrimmedAndDestroyed) {
  const ComputeQueue& queue = context().queues[0];
  const auto run = KeyedRun(context(), 2, 3);
  uint32_t times = 0;
  const auto submit = [&](VkCommandBuffer command_buffer) {
    ASSERT_EQ(Submit({.queue = queue.handle, .command_buffers = {command_buffer}}), VK_SUCCESS);
    WaitForQueues(context());
    EXPECT_TRUE(run->Matches(KeyedWords(2 * 3, ++times)));
  };
  const CommandPool other(context(), queue.family);
  const VkCommandBuffer survivor = other.Record(*run);
  {
    const CommandPool pool(context(), queue.family, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT);
    const VkCommandBuffer command_buffer = pool.Record(*run);
    submit(command_buffer);
    vkTrimCommandPool(context().device, pool.handle(), 0);
    submit(command_buffer);
    EXPECT_EQ(vkResetCommandPool(context().device, pool.handle(), VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT),
              VK_SUCCESS);
    vkTrimCommandPool(context().device, pool.handle(), 0);
    RecordInto(command_buffer, *run);
    submit(command_buffer);
    RecordInto(command_buffer, *run);  // vkBeginCommandBuffer resets
    submit(command_buffer);
    EXPECT_EQ(vkResetCommandBuffer(command_buffer, 0), VK_SUCCESS);
    RecordInto(command_buffer, *run);
    const VkCommandBuffer freed = pool.Record(*run);
    vkFreeCommandBuffers(context().device, pool.handle(), 1, &freed);
    submit(command_buffer);
    (void)pool.Record(*run);  // never submitted
  }
  submit(survivor);
}

// Instances and devices that know nothing of each other.
TEST_P(Queues, TwoInstances) {
  std::string error;
  auto second = Context::Create(error);
  ASSERT_NE(second, nullptr) << error;
  const auto usage = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  const QueueWork here(context(), context().queues[0], 3, 10, usage);
  {
    const QueueWork there(*second, second->queues[0], 5, 10, usage);
    for (const QueueWork* work : {&here, &there, &there, &here})
      ASSERT_EQ(Submit({.queue = work->queue, .command_buffers = {work->command_buffer}}), VK_SUCCESS);
    WaitForQueues(*second);
    EXPECT_TRUE(there.Ran(2));
  }
  second->DestroyDevice();
  ReportUnexpectedMessages(*second);
  second.reset();
  ASSERT_EQ(Submit({.queue = here.queue, .command_buffers = {here.command_buffer}}), VK_SUCCESS);
  WaitForQueues(context());
  EXPECT_TRUE(here.Ran(3));
}

INSTANTIATE_TEST_SUITE_P(Submits, Queues, testing::Values(SubmitCommand::kQueueSubmit, SubmitCommand::kQueueSubmit2),
                         [](const testing::TestParamInfo<SubmitCommand>& info) {
                           return info.param == SubmitCommand::kQueueSubmit ? "vkQueueSubmit" : "vkQueueSubmit2";
                         });

}  // namespace
}  // namespace trellis::test
