// The barrier between the two parts of a render pass instance that a graph splits: it is enough, and so is nothing
// less.
#include <gtest/gtest.h>

#include "layer/objects/render_pass.h"
#include "tests/replay/barrier_test_base.h"

namespace trellis::test {
namespace {

using Kind = Command::Kind;

class InstanceBarrierTest : public BarrierTest {
 protected:
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
  }
  // Nothing of a graph stands inside of an instance.
  void ExpectEndsNeeded() {
    for (const size_t position : PositionsOf(device_.stream(), Kind::kEndInstance))
      EXPECT_FALSE(CheckStream(world_, Without(device_.stream(), position)).empty()) << Describe(device_.stream());
  }

  std::shared_ptr<RenderPass> render_pass_;
};

TEST_F(InstanceBarrierTest, DynamicInstances) {
  BeginDynamic();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  EndDynamic();
  ExpectExact(BarriersFor(2) + 1);
  ExpectEndsNeeded();
}

TEST_F(InstanceBarrierTest, RenderPassObjects) {
  BeginObject();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  EndObject();
  ExpectExact(BarriersFor(2) + 1);
  ExpectEndsNeeded();
}

// One between the parts for each graph, and one between the graphs, which have one ring and one scratch.
TEST_F(InstanceBarrierTest, SeveralGraphsInOneInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("b"), NodeBuilder("b")}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EndDynamic();
  ExpectExact(2 * BarriersFor(2) + 2);
  ExpectEndsNeeded();
}

}  // namespace
}  // namespace trellis::test
