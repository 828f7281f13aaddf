// SPDX-License-Identifier: Apache-2.0
// Dynamic state, and draws of mesh nodes that overwrite it.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>

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
    auto begin = MakeStruct<VkCommandBufferBeginInfo>();
    auto rendering = MakeStruct<VkRenderingInfo>();
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

// Libraries of mesh nodes, two at once.
class LibraryCreation : public Attempt {
 public:
  LibraryCreation() : Attempt(1, true) {
    auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
    module_info.codeSize = sizeof(kTilesNode);
    module_info.pCode = kTilesNode;
    TRELLIS_CALL(*device_, CreateShaderModule)(handle(), &module_info, nullptr, &module_);
    const VkPushConstantRange range = {kDrawn, 0, 20};
    auto layout_info = MakeStruct<VkPipelineLayoutCreateInfo>();
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    TRELLIS_CALL(*device_, CreatePipelineLayout)(handle(), &layout_info, nullptr, &layout_);
  }
  ~LibraryCreation() override {
    TRELLIS_CALL(*device_, DestroyPipelineLayout)(handle(), layout_, nullptr);
    TRELLIS_CALL(*device_, DestroyShaderModule)(handle(), module_, nullptr);
  }

  VkResult Run() override {
    auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
    flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    const VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   nullptr,
                                                   0,
                                                   VK_SHADER_STAGE_MESH_BIT_EXT,
                                                   module_,
                                                   "main",
                                                   nullptr};
    auto info = MakeStruct<VkGraphicsPipelineCreateInfo>(&flags);
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = layout_;
    const std::array infos = {info, info};
    const VkResult result = Call(TRELLIS_CALL(*device_, CreateGraphicsPipelines), handle(),
                                 VkPipelineCache{VK_NULL_HANDLE}, 2, infos.data(), nullptr, libraries_.data());
    if (result != VK_SUCCESS) Release();  // one of them may have been made
    return result;
  }
  void Release() override {
    for (VkPipeline& library : libraries_)
      TRELLIS_CALL(*device_, DestroyPipeline)(handle(), std::exchange(library, VK_NULL_HANDLE), nullptr);
  }

 private:
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::array<VkPipeline, 2> libraries_ = {};
};

TEST(MeshLibraryFaults, WithoutMemory) {
  FailAllocations([] { return std::make_unique<LibraryCreation>(); });
}
TEST(MeshLibraryFaults, OnAFailingDriver) {
  FailDriverCommands([] { return std::make_unique<LibraryCreation>(); });
}

}  // namespace
}  // namespace trellis::test
