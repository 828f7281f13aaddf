// SPDX-License-Identifier: Apache-2.0
// Recording graph dispatches, and submitting them.
#include <gtest/gtest.h>

#include <array>

#include "tests/faults/command_attempt.h"

namespace trellis::test {
namespace {

// Dispatches of each form, with state of all kinds around them.
class GraphAttempt : public CommandAttempt {
 public:
  GraphAttempt() {
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts().GraphInfo();
    TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &graph_);
  }
  void Release() override {}

 protected:
  void Dispatch() override {
    Bind();
    OnePayload payload;
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphAMDX), command_buffer(), scratch(), Scratch::kBytes, &payload.counts);
    payload.counts.infos.deviceAddress = 0x4000;
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphIndirectAMDX), command_buffer(), scratch(), Scratch::kBytes,
         &payload.counts);
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphIndirectCountAMDX), command_buffer(), scratch(), Scratch::kBytes,
         VkDeviceAddress{0x4000});
    DispatchInside();
  }

 private:
  // A render pass instance whose copy does not fit into the command buffer.
  void DispatchInside() {
    auto color = MakeStruct<VkRenderingAttachmentInfo>();
    color.imageView = HandleFromU64<VkImageView>(0x999);
    std::array<VkRenderingAttachmentInfo, 32> colors;
    colors.fill(color);
    auto info = MakeStruct<VkRenderingInfo>();
    info.layerCount = 1;
    info.colorAttachmentCount = static_cast<uint32_t>(colors.size());
    info.pColorAttachments = colors.data();
    const OnePayload payload;
    Call(TRELLIS_CALL(*device_, CmdBeginRendering), command_buffer(), &info);
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphAMDX), command_buffer(), scratch(), Scratch::kBytes, &payload.counts);
    Call(TRELLIS_CALL(*device_, CmdEndRendering), command_buffer());
  }

  void Bind() {
    const auto pipeline = HandleFromU64<VkPipeline>(0x777);
    const auto set = HandleFromU64<VkDescriptorSet>(0x888);
    const uint32_t constants[4] = {1, 2, 3, 4};
    Call(TRELLIS_CALL(*device_, CmdBindPipeline), command_buffer(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    for (const VkPipelineBindPoint bind_point :
         {VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX})
      Call(TRELLIS_CALL(*device_, CmdBindDescriptorSets), command_buffer(), bind_point, parts().layout(), 0, 1, &set, 0,
           nullptr);
    Call(TRELLIS_CALL(*device_, CmdPushConstants), command_buffer(), parts().layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
         static_cast<uint32_t>(sizeof(constants)), constants);
  }
};

class Recording : public GraphAttempt {
 public:
  VkResult Run() override {
    const size_t before = driver_.CountOf("CmdDispatchIndirect");
    const VkResult result = Record();
    const bool complete = driver_.CountOf("CmdDispatchIndirect") >= before + 8;
    EXPECT_TRUE(complete || result != VK_SUCCESS) << "not all of it was recorded";
    return result;
  }
};

class Submission : public GraphAttempt {
 public:
  Submission() {
    EXPECT_EQ(Record(), VK_SUCCESS);
    queue_ = MakeQueue();
  }

  VkResult Run() override {
    const VkResult first = Submit(queue_);
    if (first != VK_SUCCESS) return first;
    auto info = MakeStruct<VkCommandBufferSubmitInfo>();
    info.commandBuffer = command_buffer();
    auto submit = MakeStruct<VkSubmitInfo2>();
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &info;
    return Call(TRELLIS_CALL(*device_, QueueSubmit2), queue_, 1, &submit, VkFence{VK_NULL_HANDLE});
  }

 private:
  VkQueue queue_ = VK_NULL_HANDLE;
};

TEST(RecordingFaults, WithoutMemory) {
  FailAllocations([] { return std::make_unique<Recording>(); });
}
TEST(RecordingFaults, OnAFailingDriver) {
  FailDriverCommands([] { return std::make_unique<Recording>(); });
}
TEST(SubmissionFaults, WithoutMemory) {
  FailAllocations([] { return std::make_unique<Submission>(); });
}
TEST(SubmissionFaults, OnAFailingDriver) {
  FailDriverCommands([] { return std::make_unique<Submission>(); });
}

TEST(SubmissionFaults, AQueueThatCouldNotBeNotedGetsNoGraph) {
  const Submission submission;
  FailAllocation(0, Failures::kForGood);
  const VkQueue queue = submission.MakeQueue(1);
  ASSERT_TRUE(StopAllocationFailures());
  ASSERT_NE(queue, VkQueue{VK_NULL_HANDLE});
  EXPECT_EQ(submission.Submit(queue), VK_ERROR_OUT_OF_HOST_MEMORY) << "it has no ring";
  EXPECT_EQ(submission.Submit(submission.MakeQueue(1)), VK_SUCCESS) << "asked for again";
}

}  // namespace
}  // namespace trellis::test
