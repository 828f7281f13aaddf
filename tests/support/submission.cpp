// SPDX-License-Identifier: Apache-2.0
#include "tests/support/submission.h"

namespace trellis::test {
namespace {

VkResult SubmitFirstForm(const Submission& submission) {
  const VkPipelineStageFlags wait_stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  const SemaphorePoint wait = submission.wait.value_or(SemaphorePoint{});
  const SemaphorePoint signal = submission.signal.value_or(SemaphorePoint{});
  auto values = MakeStruct<VkTimelineSemaphoreSubmitInfo>();
  values.waitSemaphoreValueCount = submission.wait ? 1 : 0;
  values.pWaitSemaphoreValues = &wait.value;
  values.signalSemaphoreValueCount = submission.signal ? 1 : 0;
  values.pSignalSemaphoreValues = &signal.value;
  auto info = MakeStruct<VkSubmitInfo>(&values);
  info.waitSemaphoreCount = values.waitSemaphoreValueCount;
  info.pWaitSemaphores = &wait.semaphore;
  info.pWaitDstStageMask = &wait_stage;
  info.commandBufferCount = static_cast<uint32_t>(submission.command_buffers.size());
  info.pCommandBuffers = submission.command_buffers.data();
  info.signalSemaphoreCount = values.signalSemaphoreValueCount;
  info.pSignalSemaphores = &signal.semaphore;
  return vkQueueSubmit(submission.queue, 1, &info, submission.fence);
}

VkSemaphoreSubmitInfo PointInfo(const SemaphorePoint& point) {
  auto info = MakeStruct<VkSemaphoreSubmitInfo>();
  info.semaphore = point.semaphore;
  info.value = point.value;
  info.stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  return info;
}

VkResult SubmitSecondForm(const Submission& submission) {
  const VkSemaphoreSubmitInfo wait = PointInfo(submission.wait.value_or(SemaphorePoint{}));
  const VkSemaphoreSubmitInfo signal = PointInfo(submission.signal.value_or(SemaphorePoint{}));
  std::vector<VkCommandBufferSubmitInfo> command_buffers;
  for (VkCommandBuffer command_buffer : submission.command_buffers) {
    command_buffers.push_back(MakeStruct<VkCommandBufferSubmitInfo>());
    command_buffers.back().commandBuffer = command_buffer;
  }
  auto info = MakeStruct<VkSubmitInfo2>();
  info.waitSemaphoreInfoCount = submission.wait ? 1 : 0;
  info.pWaitSemaphoreInfos = &wait;
  info.commandBufferInfoCount = static_cast<uint32_t>(command_buffers.size());
  info.pCommandBufferInfos = command_buffers.data();
  info.signalSemaphoreInfoCount = submission.signal ? 1 : 0;
  info.pSignalSemaphoreInfos = &signal;
  return vkQueueSubmit2(submission.queue, 1, &info, submission.fence);
}

}  // namespace

CommandPool::CommandPool(const Context& context, uint32_t family, VkCommandPoolCreateFlags flags) : context_(context) {
  auto info = MakeStruct<VkCommandPoolCreateInfo>();
  info.flags = flags;
  info.queueFamilyIndex = family;
  EXPECT_EQ(vkCreateCommandPool(context.device, &info, nullptr, &pool_), VK_SUCCESS);
}

CommandPool::~CommandPool() { vkDestroyCommandPool(context_.device, pool_, nullptr); }

VkCommandBuffer CommandPool::Allocate() const {
  auto info = MakeStruct<VkCommandBufferAllocateInfo>();
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateCommandBuffers(context_.device, &info, &command_buffer), VK_SUCCESS);
  return command_buffer;
}

VkCommandBuffer CommandPool::Record(GraphRun& run, VkCommandBufferUsageFlags usage) const {
  const VkCommandBuffer command_buffer = Allocate();
  RecordInto(command_buffer, run, usage);
  return command_buffer;
}

void RecordInto(VkCommandBuffer command_buffer, GraphRun& run, VkCommandBufferUsageFlags usage) {
  RecordInto(
      command_buffer, [&] { run.RecordGraph(command_buffer); }, usage);
}

void RecordInto(VkCommandBuffer command_buffer, const std::function<void()>& record, VkCommandBufferUsageFlags usage) {
  auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  begin.flags = usage;
  EXPECT_EQ(vkBeginCommandBuffer(command_buffer, &begin), VK_SUCCESS);
  record();
  auto barrier = MakeStruct<VkMemoryBarrier>();
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                       0, nullptr, 0, nullptr);
  EXPECT_EQ(vkEndCommandBuffer(command_buffer), VK_SUCCESS);
}

Semaphore::Semaphore(const Context& context, VkSemaphoreType type) : context_(context) {
  auto type_info = MakeStruct<VkSemaphoreTypeCreateInfo>();
  type_info.semaphoreType = type;
  const auto info = MakeStruct<VkSemaphoreCreateInfo>(&type_info);
  EXPECT_EQ(vkCreateSemaphore(context.device, &info, nullptr, &semaphore_), VK_SUCCESS);
}

Semaphore::~Semaphore() { vkDestroySemaphore(context_.device, semaphore_, nullptr); }

VkResult Submit(SubmitCommand command, const Submission& submission) {
  return command == SubmitCommand::kQueueSubmit ? SubmitFirstForm(submission) : SubmitSecondForm(submission);
}

}  // namespace trellis::test
