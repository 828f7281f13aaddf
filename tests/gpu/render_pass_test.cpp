// SPDX-License-Identifier: Apache-2.0
// Graphs in and around render pass instances of every kind, begun by every command.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

constexpr VkExtent2D kExtent = {4, 4};

// A render pass object without attachments.
class EmptyRenderPass {
 public:
  explicit EmptyRenderPass(const Context& context) : context_(context) {
    VkSubpassDescription subpass = {};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    auto info = MakeStruct<VkRenderPassCreateInfo>();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    EXPECT_EQ(vkCreateRenderPass(context.device, &info, nullptr, &render_pass_), VK_SUCCESS);
    auto frame = MakeStruct<VkFramebufferCreateInfo>();
    frame.renderPass = render_pass_;
    frame.width = kExtent.width;
    frame.height = kExtent.height;
    frame.layers = 1;
    EXPECT_EQ(vkCreateFramebuffer(context.device, &frame, nullptr, &framebuffer_), VK_SUCCESS);
  }
  ~EmptyRenderPass() {
    vkDestroyFramebuffer(context_.device, framebuffer_, nullptr);
    vkDestroyRenderPass(context_.device, render_pass_, nullptr);
  }
  EmptyRenderPass(const EmptyRenderPass&) = delete;
  EmptyRenderPass& operator=(const EmptyRenderPass&) = delete;

  [[nodiscard]] VkRenderPassBeginInfo BeginInfo() const {
    auto info = MakeStruct<VkRenderPassBeginInfo>();
    info.renderPass = render_pass_;
    info.framebuffer = framebuffer_;
    info.renderArea.extent = kExtent;
    return info;
  }

 private:
  const Context& context_;
  VkRenderPass render_pass_ = VK_NULL_HANDLE;
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
};

// A way to begin a render pass instance and to end it.
struct Instance {
  std::function<void(VkCommandBuffer)> begin, end;
};

class RenderPasses : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
    render_pass_ = std::make_unique<EmptyRenderPass>(context());
    image_ = std::make_unique<ColorImage>(context(), kExtent);
  }
  void TearDown() override {
    image_.reset();
    render_pass_.reset();
    GpuTest::TearDown();
  }

  [[nodiscard]] std::vector<Instance> Instances() const {
    const VkRenderPassBeginInfo info = render_pass_->BeginInfo();
    return {{[info](VkCommandBuffer command_buffer) {
               vkCmdBeginRenderPass(command_buffer, &info, VK_SUBPASS_CONTENTS_INLINE);
             },
             vkCmdEndRenderPass},
            {[info](VkCommandBuffer command_buffer) {
               auto subpass = MakeStruct<VkSubpassBeginInfo>();
               subpass.contents = VK_SUBPASS_CONTENTS_INLINE;
               vkCmdBeginRenderPass2(command_buffer, &info, &subpass);
             },
             [](VkCommandBuffer command_buffer) {
               const auto subpass = MakeStruct<VkSubpassEndInfo>();
               vkCmdEndRenderPass2(command_buffer, &subpass);
             }},
            {[this](VkCommandBuffer command_buffer) { image_->BeginRendering(command_buffer); },
             [this](VkCommandBuffer command_buffer) { image_->EndRendering(command_buffer); }}};
  }

 private:
  std::unique_ptr<EmptyRenderPass> render_pass_;
  std::unique_ptr<ColorImage> image_;
};

// All three commands, inside of instances that store everything.
TEST_F(RenderPasses, DispatchesInsideRun) {
  for (const DispatchCommand command :
       {DispatchCommand::kHost, DispatchCommand::kIndirect, DispatchCommand::kIndirectCount}) {
    for (const Instance& instance : Instances()) {
      GraphRun run(context(), {.dispatches = 0, .command = command});
      run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
      run.Input({.node = "Source"});
      ASSERT_TRUE(run.Prepare());
      Commands commands(context());
      const VkCommandBuffer command_buffer = commands.Begin();
      run.RecordGraph(command_buffer);
      instance.begin(command_buffer);
      run.DispatchGraph(command_buffer);
      run.DispatchGraph(command_buffer);
      instance.end(command_buffer);
      run.DispatchGraph(command_buffer);
      ASSERT_EQ(commands.End(), VK_SUCCESS);
      ASSERT_EQ(commands.Submit(), VK_SUCCESS);
      EXPECT_TRUE(run.Matches(ChainResult(3)));
      EXPECT_TRUE(run.GuardsIntact());
    }
  }
}

// Scratch may be initialised inside; dispatches stand before and behind.
TEST_F(RenderPasses, ScratchInsideAndGraphsAround) {
  for (const Instance& instance : Instances()) {
    GraphRun run(context(), {.dispatches = 0});
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source"});
    ASSERT_TRUE(run.Prepare());
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    run.RecordGraph(command_buffer);
    run.DispatchGraph(command_buffer);
    instance.begin(command_buffer);
    context().graph.CmdInitializeGraphScratchMemory(command_buffer, run.graph().handle(), run.scratch().address(),
                                                    run.scratch().size());
    instance.end(command_buffer);
    run.DispatchGraph(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(run.Matches(ChainResult(2)));
    EXPECT_TRUE(run.GuardsIntact());
  }
}

}  // namespace
}  // namespace trellis::test
