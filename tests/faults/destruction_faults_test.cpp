// SPDX-License-Identifier: Apache-2.0
// What an application destroys goes, even if there is no memory left at all.
#include <gtest/gtest.h>

#include "tests/faults/attempt.h"
#include "tests/faults/graph_parts.h"

namespace trellis::test {
namespace {

class DestructionFaults : public ::testing::Test {
 protected:
  DestructionFaults() {
    instance_.emplace(driver_, std::vector<const char*>{}, settings_.chain());
    device_.emplace(*instance_);
    parts_.emplace(*device_);
    scratch_.emplace(*device_);
    MakePipelines();
    RecordAndSubmit();
  }

  void MakePipelines() {
    const VkExecutionGraphPipelineCreateInfoAMDX graph_info = parts_->GraphInfo();
    EXPECT_EQ(TRELLIS_CALL(*device_, CreateExecutionGraphPipelinesAMDX)(device_->handle(), VK_NULL_HANDLE, 1,
                                                                        &graph_info, nullptr, &graph_),
              VK_SUCCESS);
    const VkComputePipelineCreateInfo library_info = parts_->LibraryInfo(0);
    EXPECT_EQ(TRELLIS_CALL(*device_, CreateComputePipelines)(device_->handle(), VK_NULL_HANDLE, 1, &library_info,
                                                             nullptr, &library_),
              VK_SUCCESS);
  }

  void RecordAndSubmit() {
    const VkCommandBuffer command_buffer = device_->Begin();
    TRELLIS_CALL(*device_, CmdBindPipeline)(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph_);
    const OnePayload payload;
    TRELLIS_CALL(*device_, CmdDispatchGraphAMDX)(command_buffer, scratch_->address(), Scratch::kBytes, &payload.counts);
    EXPECT_EQ(TRELLIS_CALL(*device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
    VkQueue queue = VK_NULL_HANDLE;
    TRELLIS_CALL(*device_, GetDeviceQueue)(device_->handle(), 0, 0, &queue);
    VkSubmitInfo submit = {};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &command_buffer;
    EXPECT_EQ(TRELLIS_CALL(*device_, QueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  }

  void DestroyPipelines() {
    for (const VkPipeline pipeline : {graph_, library_})
      TRELLIS_CALL(*device_, DestroyPipeline)(device_->handle(), pipeline, nullptr);
  }

  FakeDriver driver_;
  const QuietSettings settings_{1};
  std::optional<TestInstance> instance_;
  std::optional<TestDevice> device_;
  std::optional<GraphParts> parts_;
  std::optional<Scratch> scratch_;
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkPipeline library_ = VK_NULL_HANDLE;
};

TEST_F(DestructionFaults, ObjectsOneByOne) {
  FailAllocation(0, Failures::kForGood);
  {
    const ScopedShortage shortage;
    DestroyPipelines();
    scratch_.reset();
    parts_.reset();
    device_.reset();  // with the command pool
    instance_.reset();
  }
  EXPECT_FALSE(StopAllocationFailures()) << "destroying takes no memory";
  EXPECT_EQ(driver_.LiveObjects() - driver_.CountOf("CreateCommandPool"), 0u);
}

TEST_F(DestructionFaults, TheDeviceWithAllThatTheLayerMadeForIt) {
  scratch_.reset();
  parts_.reset();
  FailAllocation(0, Failures::kForGood);
  {
    const ScopedShortage shortage;
    device_.reset();
    instance_.reset();
  }
  EXPECT_FALSE(StopAllocationFailures()) << "destroying takes no memory";
  EXPECT_EQ(driver_.LiveObjects() - driver_.CountOf("CreateCommandPool"), 0u);
}

}  // namespace
}  // namespace trellis::test
