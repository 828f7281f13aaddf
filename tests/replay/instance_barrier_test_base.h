// SPDX-License-Identifier: Apache-2.0
// Records graphs inside render pass instances and checks their barriers.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "layer/dispatch/struct_type.h"
#include "layer/objects/render_pass.h"
#include "layer/replay/replay.h"
#include "tests/replay/barrier_test_base.h"

namespace trellis::test {

class InstanceBarrierTest : public BarrierTest {
 protected:
  explicit InstanceBarrierTest(const Variant& variant = {}) : BarrierTest(variant) {}

  void BeginDynamic() {
    auto info = MakeStruct<VkRenderingInfo>();
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
    auto create = MakeStruct<VkRenderPassCreateInfo>();
    create.subpassCount = 1;
    create.pSubpasses = &subpass;
    render_pass_ = MakeRenderPass(device_.device(), create);
    ASSERT_FALSE(render_pass_->obstacle);
    auto info = MakeStruct<VkRenderPassBeginInfo>();
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
