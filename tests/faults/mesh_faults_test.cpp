// Dynamic state, and draws of mesh nodes that overwrite it.
#include <gtest/gtest.h>

#include "tests/faults/attempt.h"
#include "tests/layer/entry/mesh_graph_fixture.h"

namespace trellis::test {
namespace {

class MeshFaults : public MeshGraph {
 protected:
  // Labels fail without anyone noticing.
  MeshFaults() : MeshGraph({.labels = false}) {}

  void SetUp() override {
    MeshGraph::SetUp();
    VkPipeline node = VK_NULL_HANDLE;
    ASSERT_EQ(MakeNode(layout_, node), VK_SUCCESS);
    graph_ = MakeGraph({node});
    command_buffer_ = device_.Begin();
  }

  VkResult Record() {
    VkCommandBufferBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    VkRenderingInfo rendering = {};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    const VkViewport viewport = {0, 0, 1, 1, 0, 1};
    const uint32_t payload[10] = {1, 1, 0, 0, 1, 1, 1, 1, 0, 0};
    VkDispatchGraphInfoAMDX node = {};
    node.payloadCount = 1;
    node.payloads.hostAddress = payload;
    VkDispatchGraphCountInfoAMDX counts = {};
    counts.count = 1;
    counts.infos.hostAddress = &node;
    counts.stride = sizeof(node);
    const VkResult begun = Call(TRELLIS_CALL(device_, BeginCommandBuffer), command_buffer_, &begin);
    if (begun != VK_SUCCESS) return begun;
    Call(TRELLIS_CALL(device_, CmdBindPipeline), command_buffer_, kGraphics, HandleFromU64<VkPipeline>(0x777));
    Call(TRELLIS_CALL(device_, CmdSetCullMode), command_buffer_, VkCullModeFlags{VK_CULL_MODE_BACK_BIT});
    Call(TRELLIS_CALL(device_, CmdSetViewport), command_buffer_, 0, 1, &viewport);
    Call(TRELLIS_CALL(device_, CmdSetStencilReference), command_buffer_,
         VkStencilFaceFlags{VK_STENCIL_FACE_FRONT_AND_BACK}, 1);
    Call(TRELLIS_CALL(device_, CmdSetViewportWithCount), command_buffer_, 1, &viewport);
    Call(TRELLIS_CALL(device_, CmdBeginRendering), command_buffer_, &rendering);
    Call(TRELLIS_CALL(device_, CmdBindPipeline), command_buffer_, kGraph, graph_);
    Call(TRELLIS_CALL(device_, CmdDispatchGraphAMDX), command_buffer_, scratch_.address(), Scratch::kBytes, &counts);
    Call(TRELLIS_CALL(device_, CmdEndRendering), command_buffer_);
    return Call(TRELLIS_CALL(device_, EndCommandBuffer), command_buffer_);
  }

  // A recording that succeeds holds all of it.
  void ExpectComplete() {
    for (const char* command : {"CmdSetCullMode", "CmdSetStencilReference", "CmdSetViewportWithCount"})
      EXPECT_EQ(driver_.CountOf(command), 2u) << command;
    EXPECT_EQ(driver_.CountOf("CmdDrawMeshTasksEXT"), 1u);
  }

  Scratch scratch_{device_};
  VkPipeline graph_ = VK_NULL_HANDLE;
  VkCommandBuffer command_buffer_ = VK_NULL_HANDLE;
};

TEST_F(MeshFaults, WithoutMemory) {
  ASSERT_EQ(Record(), VK_SUCCESS);  // makes plan memory
  for (const Failures failures : {Failures::kOnce, Failures::kForGood}) {
    bool failed = true;
    for (int64_t number = 0; failed && !HasFailure(); ++number) {
      SCOPED_TRACE(number);
      driver_.ForgetCalls();
      FailAllocation(number, failures);
      const VkResult result = Record();
      failed = StopAllocationFailures();
      EXPECT_EQ(result, failed ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS);
      if (failed) {
        driver_.ForgetCalls();
        EXPECT_EQ(Record(), VK_SUCCESS) << "the same again, without a failure";
      }
      ExpectComplete();
    }
  }
}

}  // namespace
}  // namespace trellis::test
