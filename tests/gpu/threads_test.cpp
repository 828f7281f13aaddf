// SPDX-License-Identifier: Apache-2.0
// Many threads: each records into a pool of its own, makes graphs of its own, or submits to a queue of its own.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/gpu/own_device.h"
#include "tests/gpu/queue_work.h"
#include "tests/support/gpu_test.h"
#include "tests/support/on_threads.h"

namespace trellis::test {
namespace {

constexpr uint32_t kThreads = 8;

class Threads : public OwnDeviceTest {
 protected:
  [[nodiscard]] VkResult Submit(VkQueue queue, VkCommandBuffer command_buffer) const {
    return test::Submit(SubmitCommand::kQueueSubmit, {.queue = queue, .command_buffers = {command_buffer}});
  }
};

// One pipeline, one descriptor set; a pool, a scratch and many command buffers for each thread. The first graphs ever
// recorded on this device, so that what the layer makes on first use is asked for by all threads at once.
TEST_F(Threads, RecordOneGraph) {
  constexpr uint32_t kRecordings = 12;
  const auto run = KeyedRun(context(), 1);
  std::vector<std::unique_ptr<CommandPool>> pools(kThreads);
  std::vector<GuardedBuffer> scratches(kThreads);
  std::vector<std::vector<VkCommandBuffer>> recorded(kThreads);
  OnThreads(kThreads, [&](uint32_t thread) {
    pools[thread] = std::make_unique<CommandPool>(context(), context().queue_family);
    scratches[thread] =
        GuardedBuffer(context(), run->graph().ScratchSize().minSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    for (uint32_t i = 0; i < kRecordings; ++i) {
      const VkCommandBuffer command_buffer = recorded[thread].emplace_back(pools[thread]->Allocate());
      RecordKeyed(context(), command_buffer, *run, scratches[thread], (thread + 1) << (i % 3));
    }
  });
  for (const auto& command_buffers : recorded)
    for (VkCommandBuffer command_buffer : command_buffers)
      ASSERT_EQ(Submit(context().queue, command_buffer), VK_SUCCESS);
  WaitForQueues(context());
  // Every thread adds (thread + 1) * (1 + 2 + 4) for each three recordings.
  EXPECT_TRUE(run->Matches(KeyedWords(kThreads * (kThreads + 1) / 2 * 7 * kRecordings / 3, 1)));
  for (const GuardedBuffer& scratch : scratches) EXPECT_TRUE(scratch.GuardsIntact());
}

// Modules, layouts, pipelines, buffers and pools made and destroyed side by side.
TEST_F(Threads, CreateAndRecord) {
  std::vector<std::unique_ptr<GraphRun>> runs(kThreads);
  std::vector<std::unique_ptr<CommandPool>> pools(kThreads);
  std::vector<VkCommandBuffer> command_buffers(kThreads);
  OnThreads(kThreads, [&](uint32_t thread) {
    for (uint32_t repeat = 0; repeat < 2; ++repeat) {
      pools[thread] = std::make_unique<CommandPool>(context(), context().queue_family);
      runs[thread] = KeyedRun(context(), thread + 1, 2 + thread);
      command_buffers[thread] = pools[thread]->Record(*runs[thread]);
    }
  });
  for (VkCommandBuffer command_buffer : command_buffers) ASSERT_EQ(Submit(context().queue, command_buffer), VK_SUCCESS);
  WaitForQueues(context());
  for (uint32_t thread = 0; thread < kThreads; ++thread)
    EXPECT_TRUE(runs[thread]->Matches(KeyedWords((thread + 1) * (2 + thread), 1))) << "thread " << thread;
}

// A thread for each queue, each with a pool that it resets and records anew while the others' graphs run; one more
// makes and destroys graphs.
TEST_F(Threads, SubmitToAQueueEach) {
  constexpr uint32_t kRounds = 25;
  const auto count = static_cast<uint32_t>(context().queues.size());
  std::vector<std::unique_ptr<GraphRun>> runs(count);
  std::atomic<uint32_t> submitting = count;
  const auto submit = [&](uint32_t thread) {
    const ComputeQueue& queue = context().queues[thread];
    runs[thread] = KeyedRun(context(), thread + 1);
    const CommandPool pool(context(), queue.family);
    VkCommandBuffer command_buffer = pool.Allocate();
    for (uint32_t round = 0; round < kRounds; ++round) {
      RecordInto(command_buffer, *runs[thread], VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
      EXPECT_EQ(Submit(queue.handle, command_buffer), VK_SUCCESS);
      EXPECT_EQ(Submit(queue.handle, command_buffer), VK_SUCCESS);
      EXPECT_EQ(vkQueueWaitIdle(queue.handle), VK_SUCCESS);
      EXPECT_EQ(vkResetCommandPool(context().device, pool.handle(), 0), VK_SUCCESS);
    }
    --submitting;
  };
  OnThreads(count + 1, [&](uint32_t thread) {
    if (thread < count) return submit(thread);
    while (submitting != 0) (void)KeyedRun(context(), 1);
  });
  for (uint32_t thread = 0; thread < count; ++thread)
    EXPECT_TRUE(runs[thread]->Matches(KeyedWords(thread + 1, 2 * kRounds))) << "queue " << thread;
}

}  // namespace
}  // namespace trellis::test
