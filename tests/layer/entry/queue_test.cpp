// SPDX-License-Identifier: Apache-2.0
// Submissions of graphs: rings for every queue, failures of the driver, devices that are lost, several devices,
// threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "layer/memory/ring_pool.h"
#include "layer/objects/registry.h"
#include "layer/replay/reports/device_reports.h"
#include "meta_shaders/shared/report_data.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/support/on_threads.h"

namespace trellis::test {
namespace {

// The smallest ring: exactly what is asked for is allocated.
constexpr VkDeviceSize kRingBytes = 256 * 1024;
constexpr uint32_t kThreads = 8;
constexpr uint32_t kQueues = 16;

// A device with a command buffer that holds a graph.
class SubmittingDevice {
 public:
  explicit SubmittingDevice(const TestInstance& instance)
      : device_(instance, kGraphExtensions, nullptr, nullptr, kQueues), command_buffer_(RecordGraph()) {}

  [[nodiscard]] const TestDevice& device() const { return device_; }

  // One that has not been asked for.
  [[nodiscard]] VkQueue MakeQueue() const {
    EXPECT_LT(next_queue_.load(), kQueues);
    VkQueue queue = VK_NULL_HANDLE;
    TRELLIS_CALL(device_, GetDeviceQueue)(device_.handle(), 0, next_queue_++, &queue);
    return queue;
  }
  // A command buffer that needs a ring.
  [[nodiscard]] VkCommandBuffer RecordGraph(VkDeviceSize ring_bytes = kRingBytes) const {
    const VkCommandBuffer command_buffer = device_.Begin();
    const auto recording = CommandBuffers().Find(command_buffer);
    recording->holds_graph = true;
    recording->ring_bytes = ring_bytes;
    EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
    return command_buffer;
  }

  [[nodiscard]] VkResult Submit(VkQueue queue) const { return Submit(queue, command_buffer_); }
  [[nodiscard]] VkResult Submit(VkQueue queue, VkCommandBuffer command_buffer) const {
    VkSubmitInfo submit = {};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &command_buffer;
    return TRELLIS_CALL(device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE);
  }
  [[nodiscard]] VkResult Submit2(VkQueue queue, PFN_vkQueueSubmit2 command) const {
    VkCommandBufferSubmitInfo command_buffer = {};
    command_buffer.commandBuffer = command_buffer_;
    VkSubmitInfo2 submit = {};
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &command_buffer;
    return command(queue, 1, &submit, VK_NULL_HANDLE);
  }

  [[nodiscard]] uint32_t Rings() const {
    const auto pool = RingPoolOf(*FindDevice(device_.handle()), 0);
    return pool ? (*pool)->RingCount() : 0;
  }

 private:
  const TestDevice device_;
  const VkCommandBuffer command_buffer_;
  mutable std::atomic<uint32_t> next_queue_ = 0;
};

class Submissions : public ::testing::Test {
 protected:
  FakeDriver driver_{DriverOptions{.queue_count = kQueues}};
  TestInstance instance_{driver_};
  SubmittingDevice submitting_{instance_};
};

TEST_F(Submissions, every_form_makes_a_ring_for_a_queue_that_has_none) {
  const TestDevice& device = submitting_.device();
  EXPECT_EQ(submitting_.Submit(submitting_.MakeQueue()), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 1u);
  EXPECT_EQ(submitting_.Submit2(submitting_.MakeQueue(), TRELLIS_CALL(device, QueueSubmit2)), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 2u);
  const VkQueue queue = submitting_.MakeQueue();
  EXPECT_EQ(submitting_.Submit2(queue, TRELLIS_CALL(device, QueueSubmit2KHR)), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 3u);
  EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 3u);
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 2u);
  EXPECT_EQ(driver_.CountOf("QueueSubmit2"), 2u);
}

TEST_F(Submissions, queues_that_were_asked_for_by_structure_get_rings_too) {
  const TestDevice& device = submitting_.device();
  auto info = MakeStruct<VkDeviceQueueInfo2>();
  VkQueue queue = VK_NULL_HANDLE;
  TRELLIS_CALL(device, GetDeviceQueue2)(device.handle(), &info, &queue);
  EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 1u);
}

TEST_F(Submissions, failures_of_the_driver_are_passed_on_and_change_nothing) {
  const VkQueue queue = submitting_.MakeQueue();
  for (const VkResult failure : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST}) {
    driver_.queue_result = failure;
    EXPECT_EQ(submitting_.Submit(queue), failure);
    EXPECT_EQ(submitting_.Submit2(queue, TRELLIS_CALL(submitting_.device(), QueueSubmit2)), failure);
    driver_.queue_result = VK_SUCCESS;
    EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
    EXPECT_EQ(submitting_.Rings(), 1u);
  }
}

TEST_F(Submissions, without_memory_for_rings_nothing_is_submitted) {
  const VkQueue queue = submitting_.MakeQueue();
  const VkCommandBuffer large = submitting_.RecordGraph(2 * kRingBytes);
  driver_.next_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;  // the table of rings
  EXPECT_EQ(submitting_.Submit(queue), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(submitting_.Rings(), 0u);  // makes the table
  driver_.next_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(submitting_.Submit(queue), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 0u);
  EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  driver_.next_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(submitting_.Submit(queue, large), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  driver_.next_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;  // for whoever allocates: the small graph must not
  EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  driver_.next_result = VK_SUCCESS;
  EXPECT_EQ(submitting_.Submit(queue, large), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 3u);
}

TEST_F(Submissions, a_lost_device_is_told_of_by_every_command_that_may) {
  const TestDevice& device = submitting_.device();
  const VkQueue queue = submitting_.MakeQueue();
  ASSERT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  ASSERT_TRUE(DeviceReports::Of(*FindDevice(device.handle())));  // so that there is something to poll
  driver_.queue_result = VK_ERROR_DEVICE_LOST;
  const VkFence fence = HandleFromU64<VkFence>(16);
  const VkSemaphoreWaitInfo wait = {};
  uint64_t value = 0;
  EXPECT_EQ(submitting_.Submit(queue), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(submitting_.Submit2(queue, TRELLIS_CALL(device, QueueSubmit2)), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(submitting_.Submit2(queue, TRELLIS_CALL(device, QueueSubmit2KHR)), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, QueueWaitIdle)(queue), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, DeviceWaitIdle)(device.handle()), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, GetFenceStatus)(device.handle(), fence), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, WaitForFences)(device.handle(), 1, &fence, VK_TRUE, 0), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, WaitSemaphores)(device.handle(), &wait, 0), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(TRELLIS_CALL(device, GetSemaphoreCounterValue)(device.handle(), VK_NULL_HANDLE, &value),
            VK_ERROR_DEVICE_LOST);
  // A lost device is still reset, recorded for, and destroyed (by the fixture).
  EXPECT_NE(submitting_.RecordGraph(), VkCommandBuffer{VK_NULL_HANDLE});
}

// Nobody waited for the work that wrote it by a command that could have told.
TEST_F(Submissions, what_is_left_to_tell_is_told_when_the_device_goes) {
  const TestInstance instance(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME});
  std::vector<std::string> heard;
  const Messenger messenger(instance,
                            [&heard](const HeardMessage& message) { heard.emplace_back(message.data.pMessageIdName); });
  {
    const SubmittingDevice device(instance);
    const auto reports = DeviceReports::Of(*FindDevice(device.device().handle()));
    ASSERT_TRUE(reports);
    auto* header = reinterpret_cast<shared::DeviceReportHeader*>((*reports)->address());
    auto* report = reinterpret_cast<shared::DeviceReport*>(header + 1);
    report->kind = shared::kReportLost;
    report->records = 3;
    header->written = 1;
    EXPECT_TRUE(heard.empty());
  }
  EXPECT_THAT(heard, ::testing::ElementsAre("TRELLIS-records-lost"));
}

TEST_F(Submissions, devices_have_rings_of_their_own) {
  FakeDriver other_driver;
  const TestInstance other_instance(other_driver);
  const VkQueue queue = submitting_.MakeQueue();
  {
    const SubmittingDevice same_instance(instance_);
    const SubmittingDevice other(other_instance);
    EXPECT_EQ(other.Submit(other.MakeQueue()), VK_SUCCESS);
    EXPECT_EQ(same_instance.Submit(same_instance.MakeQueue()), VK_SUCCESS);
    EXPECT_EQ(same_instance.Submit(same_instance.MakeQueue()), VK_SUCCESS);
    EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
    EXPECT_EQ(other.Rings(), 1u);
    EXPECT_EQ(same_instance.Rings(), 2u);
    EXPECT_EQ(submitting_.Rings(), 1u);
    EXPECT_EQ(other_driver.CountOf("QueueSubmit"), 1u);
    EXPECT_EQ(driver_.CountOf("QueueSubmit"), 3u);
  }
  EXPECT_EQ(other_driver.memories.size(), 0u) << "rings go with their device";
  EXPECT_EQ(submitting_.Submit(queue), VK_SUCCESS);
  EXPECT_EQ(submitting_.Rings(), 1u);
}

// Whoever got through has a ring, whatever the others ask for at the same time.
TEST_F(Submissions, threads_with_a_queue_each) {
  OnThreads(kThreads, [&](uint32_t thread) {
    const VkQueue queue = submitting_.MakeQueue();
    for (VkDeviceSize step = 1; step <= 4; ++step)
      EXPECT_EQ(submitting_.Submit(queue, submitting_.RecordGraph(step * (1 + thread) * kRingBytes)), VK_SUCCESS);
  });
  EXPECT_EQ(driver_.CountOf("QueueSubmit"), 4u * kThreads);
  const auto pool = RingPoolOf(*FindDevice(submitting_.device().handle()), 0);
  ASSERT_TRUE(pool);
  const uint32_t rings = (*pool)->RingCount();
  // Nothing is missing, for the largest of them on any of the queues.
  EXPECT_EQ(submitting_.Submit(submitting_.MakeQueue(), submitting_.RecordGraph(1)), VK_SUCCESS);
  EXPECT_LE((*pool)->RingCount(), rings + 1);
}

TEST_F(Submissions, threads_that_make_and_destroy_what_is_tracked) {
  OnThreads(kThreads, [&](uint32_t) {
    const TestDevice& device = submitting_.device();
    for (uint32_t round = 0; round < 20; ++round) {
      VkBufferCreateInfo buffer_info = {};
      buffer_info.size = 4096;
      buffer_info.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
      VkBuffer buffer = VK_NULL_HANDLE;
      EXPECT_EQ(TRELLIS_CALL(device, CreateBuffer)(device.handle(), &buffer_info, nullptr, &buffer), VK_SUCCESS);
      VkCommandPoolCreateInfo pool_info = {};
      VkCommandBufferAllocateInfo info = {};
      info.commandBufferCount = 1;
      TRELLIS_CALL(device, CreateCommandPool)(device.handle(), &pool_info, nullptr, &info.commandPool);
      VkCommandBuffer command_buffer = VK_NULL_HANDLE;
      TRELLIS_CALL(device, AllocateCommandBuffers)(device.handle(), &info, &command_buffer);
      const VkCommandBufferBeginInfo begin = {};
      TRELLIS_CALL(device, BeginCommandBuffer)(command_buffer, &begin);
      TRELLIS_CALL(device, CmdBindPipeline)
      (command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, HandleFromU64<VkPipeline>(16));
      EXPECT_EQ(TRELLIS_CALL(device, EndCommandBuffer)(command_buffer), VK_SUCCESS);
      TRELLIS_CALL(device, ResetCommandPool)(device.handle(), info.commandPool, 0);
      TRELLIS_CALL(device, DestroyCommandPool)(device.handle(), info.commandPool, nullptr);
      EXPECT_FALSE(CommandBuffers().Find(command_buffer));
      TRELLIS_CALL(device, DestroyBuffer)(device.handle(), buffer, nullptr);
    }
  });
  EXPECT_EQ(FindDevice(submitting_.device().handle())->scratch_buffers.Size(), 0u);
}

}  // namespace
}  // namespace trellis::test
