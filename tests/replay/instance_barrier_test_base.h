// SPDX-License-Identifier: Apache-2.0
// Records graphs inside render pass instances and checks their barriers.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "layer/objects/render_pass.h"
#include "layer/replay/replay.h"
#include "tests/replay/barrier_test_base.h"

namespace trellis::test {

class InstanceBarrierTest : public BarrierTest {
 protected:
  explicit InstanceBarrierTest(const Variant& variant = {}) : BarrierTest(variant) {}

  void BeginDynamic() {
    VkRenderingInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    CommandBuffer& recording = device_.command_buffer();
    device_.device().dispatch.CmdBeginRendering(recording.handle, recording.render_pass.Begin(info, true));
  }
  void EndDynamic() {
    CommandBuffer& recording = device_.command_buffer();
    recording.render_pass.End();
    device_.device().dispatch.CmdEndRendering(recording.handle);
    LeaveInstance(recording);
  }
  void BeginObject() {
    VkSubpassDescription subpass = {};
    VkRenderPassCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
    create.subpassCount = 1;
    create.pSubpasses = &subpass;
    render_pass_ = MakeRenderPass(device_.device(), create);
    ASSERT_FALSE(render_pass_->obstacle);
    VkRenderPassBeginInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    CommandBuffer& recording = device_.command_buffer();
    device_.device().dispatch.CmdBeginRenderPass(
        recording.handle, recording.render_pass.Begin(info, render_pass_.get(), VK_SUBPASS_CONTENTS_INLINE),
        VK_SUBPASS_CONTENTS_INLINE);
  }
  void EndObject() {
    CommandBuffer& recording = device_.command_buffer();
    recording.render_pass.End();
    device_.device().dispatch.CmdEndRenderPass(recording.handle);
    LeaveInstance(recording);
  }
  // Nothing of a graph stands inside of an instance.
  void ExpectEndsNeeded() {
    for (const size_t position : PositionsOf(device_.stream(), Command::Kind::kEndInstance))
      EXPECT_FALSE(CheckStream(world_, Without(device_.stream(), position)).empty()) << Describe(device_.stream());
  }

  std::shared_ptr<RenderPass> render_pass_;
};

}  // namespace trellis::test
