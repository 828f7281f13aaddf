// Recording graph dispatches, and submitting them.
#include <gtest/gtest.h>

#include "tests/faults/attempt.h"
#include "tests/faults/graph_parts.h"

namespace trellis::test {
namespace {

constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

// A device with a graph, memory for it, a queue, and a command buffer.
class GraphAttempt : public Attempt {
 public:
  GraphAttempt() {
    parts_.emplace(*device_);
    scratch_.emplace(*device_);
    const VkExecutionGraphPipelineCreateInfoAMDX info = parts_->GraphInfo();
    TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(handle(), VK_NULL_HANDLE, 1, &info, nullptr, &graph_);
    VkCommandPoolCreateInfo pool_info = {};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    TRELLIS_CALL(*device_, CreateCommandPool)(handle(), &pool_info, nullptr, &pool_);
    const VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                                  VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    TRELLIS_CALL(*device_, AllocateCommandBuffers)(handle(), &allocate, &command_buffer_);
  }
  ~GraphAttempt() override {
    TRELLIS_CALL(*device_, DestroyCommandPool)(handle(), pool_, nullptr);
    TRELLIS_CALL(*device_, DestroyPipeline)(handle(), graph_, nullptr);
    scratch_.reset();
    parts_.reset();
  }
  void Release() override {}

 protected:
  // A dispatch of each form, with state of all kinds around it.
  VkResult Record() {
    VkCommandBufferBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    const VkResult begun = Call(TRELLIS_CALL(*device_, BeginCommandBuffer), command_buffer_, &begin);
    if (begun != VK_SUCCESS) return begun;
    Bind();
    Call(TRELLIS_CALL(*device_, CmdInitializeGraphScratchMemoryAMDX), command_buffer_, graph_, scratch_->address(),
         Scratch::kBytes);
    Dispatch();
    return Call(TRELLIS_CALL(*device_, EndCommandBuffer), command_buffer_);
  }

  const VkCommandBuffer& command_buffer() const { return command_buffer_; }

 private:
  void Bind() {
    const auto pipeline = HandleFromU64<VkPipeline>(0x777);
    const auto set = HandleFromU64<VkDescriptorSet>(0x888);
    const uint32_t constants[4] = {1, 2, 3, 4};
    Call(TRELLIS_CALL(*device_, CmdBindPipeline), command_buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    Call(TRELLIS_CALL(*device_, CmdBindPipeline), command_buffer_, kGraph, graph_);
    for (const VkPipelineBindPoint bind_point : {VK_PIPELINE_BIND_POINT_COMPUTE, kGraph})
      Call(TRELLIS_CALL(*device_, CmdBindDescriptorSets), command_buffer_, bind_point, parts_->layout(), 0, 1, &set, 0,
           nullptr);
    Call(TRELLIS_CALL(*device_, CmdPushConstants), command_buffer_, parts_->layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
         static_cast<uint32_t>(sizeof(constants)), constants);
  }
  void Dispatch() {
    const VkDeviceAddress scratch = scratch_->address();
    VkDispatchGraphInfoAMDX node = {};
    node.payloadCount = 1;
    VkDispatchGraphCountInfoAMDX counts = {};
    counts.count = 1;
    counts.infos.hostAddress = &node;
    counts.stride = sizeof(node);
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphAMDX), command_buffer_, scratch, Scratch::kBytes, &counts);
    counts.infos.deviceAddress = 0x4000;
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphIndirectAMDX), command_buffer_, scratch, Scratch::kBytes, &counts);
    Call(TRELLIS_CALL(*device_, CmdDispatchGraphIndirectCountAMDX), command_buffer_, scratch, Scratch::kBytes,
         VkDeviceAddress{0x4000});
  }

  std::optional<GraphParts> parts_;
  std::optional<Scratch> scratch_;
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;
};

class Recording : public GraphAttempt {
 public:
  VkResult Run() override {
    const size_t before = driver_.CountOf("CmdDispatchIndirect");
    const VkResult result = Record();
    const bool complete = driver_.CountOf("CmdDispatchIndirect") >= before + 6;
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

  [[nodiscard]] VkQueue MakeQueue() const {
    VkQueue queue = VK_NULL_HANDLE;
    Call(TRELLIS_CALL(*device_, GetDeviceQueue), handle(), 0, 0, &queue);
    return queue;
  }
  [[nodiscard]] VkResult Submit(VkQueue queue) const {
    VkSubmitInfo submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &command_buffer();
    return Call(TRELLIS_CALL(*device_, QueueSubmit), queue, 1, &submit, VkFence{VK_NULL_HANDLE});
  }

  VkResult Run() override {
    const VkResult first = Submit(queue_);
    if (first != VK_SUCCESS) return first;
    VkCommandBufferSubmitInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    info.commandBuffer = command_buffer();
    VkSubmitInfo2 submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
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
  const VkQueue queue = submission.MakeQueue();
  ASSERT_TRUE(StopAllocationFailures());
  ASSERT_NE(queue, VkQueue{VK_NULL_HANDLE});
  EXPECT_EQ(submission.Submit(queue), VK_ERROR_OUT_OF_HOST_MEMORY) << "it has no ring";
  EXPECT_EQ(submission.Submit(submission.MakeQueue()), VK_SUCCESS);
}

}  // namespace
}  // namespace trellis::test
