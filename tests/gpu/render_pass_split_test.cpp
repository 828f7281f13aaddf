// SPDX-License-Identifier: Apache-2.0
// Graphs between the draws of a render pass instance: the picture is what it is without them, bit for bit, although
// neither depth, stencil nor samples are stored at its end; and the graphs give their words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/gpu/own_device.h"
#include "tests/gpu/split_cases.h"
#include "tests/support/basic_modules.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

class RenderPassSplit : public OwnDeviceTest, public testing::WithParamInterface<SplitCase> {
 protected:
  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (!context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
  }
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_SPLIT_RENDER_PASSES", "on"}};
  }
  [[nodiscard]] static SceneOptions Scene() { return {GetParam().kind, GetParam().multisampled, false}; }
};

// A scene, and a graph to be dispatched between its draws. Prepare first.
struct SceneWithGraph {
  SceneWithGraph(Context& context, const SceneOptions& options)
      : scene(context, options, kRectangles), run(context, {.dispatches = 0}), commands(context) {
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source"});
  }

  SplitScene scene;
  GraphRun run;
  Commands commands;
};

// Rectangles drawn in portions, with a dispatch between them and at both ends.
void RecordPicture(VkCommandBuffer command_buffer, SplitScene& scene, GraphRun& run,
                   const std::vector<uint32_t>& portions) {
  run.RecordGraph(command_buffer);
  scene.Begin(command_buffer);
  uint32_t first = 0;
  for (const uint32_t count : portions) {
    if (first == 0) scene.Draw(command_buffer, first, count);
    if (first != 0) scene.DrawMore(command_buffer, first, count);
    run.DispatchGraph(command_buffer);
    first += count;
  }
  EXPECT_EQ(first, kRectangles.size());
  scene.End(command_buffer);
  scene.Copy(command_buffer);
}

TEST_P(RenderPassSplit, DrawsBeforeAndBehindAGraph) {
  SceneWithGraph all(context(), Scene());
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  RecordPicture(commands.Begin(), scene, run, {3, 5});
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (uint32_t submission = 1; submission <= 3; ++submission) {
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(SamePicture(scene, Paint(kRectangles)));
    EXPECT_TRUE(run.Matches(ChainResult(2 * submission)));
  }
  EXPECT_TRUE(run.GuardsIntact());
}

TEST_P(RenderPassSplit, AGraphBetweenAllDraws) {
  SceneWithGraph all(context(), Scene());
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  RecordPicture(commands.Begin(), scene, run, std::vector<uint32_t>(kRectangles.size(), 1));
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(scene, Paint(kRectangles)));
  EXPECT_TRUE(run.Matches(ChainResult(static_cast<uint32_t>(kRectangles.size()))));
  EXPECT_TRUE(run.GuardsIntact());
}

// The clears of the instance are done although nothing is drawn before the graph.
TEST_P(RenderPassSplit, AGraphThatComesFirst) {
  SceneWithGraph all(context(), Scene());
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  const VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  scene.Begin(command_buffer);
  run.DispatchGraph(command_buffer);
  scene.Draw(command_buffer, 0, 4);
  scene.End(command_buffer);
  scene.Copy(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(scene, Paint({kRectangles.begin(), kRectangles.begin() + 4})));
  EXPECT_TRUE(run.Matches(ChainResult()));
}

// A condition that begins inside of the instance holds for the nodes, and for the draws behind the graph.
TEST_P(RenderPassSplit, ConditionalRenderingInside) {
  if (context().optional.CmdBeginConditionalRendering == nullptr) GTEST_SKIP() << "no VK_EXT_conditional_rendering";
  const Buffer predicate(context(), 64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  SceneWithGraph all(context(), Scene());
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  const VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  scene.Begin(command_buffer);
  scene.Draw(command_buffer, 0, 3);
  auto info = MakeStruct<VkConditionalRenderingBeginInfoEXT>();
  info.buffer = predicate.handle();
  context().optional.CmdBeginConditionalRendering(command_buffer, &info);
  run.DispatchGraph(command_buffer);
  scene.DrawMore(command_buffer, 3, 2);
  context().optional.CmdEndConditionalRendering(command_buffer);
  scene.DrawMore(command_buffer, 5, 3);
  scene.End(command_buffer);
  scene.Copy(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  std::vector<Rectangle> without = kRectangles;
  without.erase(without.begin() + 3, without.begin() + 5);
  for (const bool holds : {false, true}) {
    predicate.words()[0] = holds ? 1 : 0;
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(SamePicture(scene, Paint(holds ? kRectangles : without))) << holds;
    EXPECT_TRUE(run.Matches(holds ? ChainResult() : std::vector<uint32_t>())) << holds;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RenderPassSplit, testing::ValuesIn(kCases), CaseName);

// Without the setting: an instance that stores everything is split on every device.
class RenderPassSplitByDefault : public GpuTest, public testing::WithParamInterface<SplitCase> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
  }
};

TEST_P(RenderPassSplitByDefault, WhatStoresEverythingIsSplit) {
  const SplitCase& one = GetParam();
  SceneWithGraph all(context(), {one.kind, one.multisampled, true});
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  RecordPicture(commands.Begin(), scene, run, {5, 3});
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(scene, Paint(kRectangles)));
  EXPECT_TRUE(run.Matches(ChainResult(2)));
}

// Devices with shaderMeshEnqueue store what the application does not.
TEST_P(RenderPassSplitByDefault, WhatDoesNotIsSplitWithMeshNodes) {
  if (!context().features.mesh_enqueue) GTEST_SKIP() << "no mesh shaders";
  const SplitCase& one = GetParam();
  SceneWithGraph all(context(), {one.kind, one.multisampled, false});
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  RecordPicture(commands.Begin(), scene, run, {5, 3});
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(scene, Paint(kRectangles)));
  EXPECT_TRUE(run.Matches(ChainResult(2)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RenderPassSplitByDefault, testing::ValuesIn(kCases), CaseName);

class RenderPassSplitOff : public OwnDeviceTest, public testing::WithParamInterface<SplitCase> {
 protected:
  void SetUp() override {
    OwnDeviceTest::SetUp();
    if (!HasFatalFailure() && !context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
  }
  [[nodiscard]] std::vector<EnvironmentSetting> Settings() const override {
    return {{"TRELLIS_SPLIT_RENDER_PASSES", "off"}};
  }
};

// And the same command buffer is as good as new when it is recorded again.
TEST_P(RenderPassSplitOff, WhatDoesNotIsRefused) {
  constexpr const char* kRefusal = "TRELLIS-render-pass-split";
  const SplitCase& one = GetParam();
  SceneWithGraph all(context(), {one.kind, one.multisampled, false});
  auto& [scene, run, commands] = all;
  ASSERT_TRUE(run.Prepare());
  context().messages.Expect(kRefusal);
  VkCommandBuffer command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  scene.Begin(command_buffer);
  run.DispatchGraph(command_buffer);
  scene.End(command_buffer);
  EXPECT_LT(commands.End(), 0);
  EXPECT_EQ(context().messages.Find(kRefusal).size(), 1u);
  context().messages.Clear();

  command_buffer = commands.Begin();
  run.RecordGraph(command_buffer);
  run.DispatchGraph(command_buffer);
  scene.Begin(command_buffer);
  scene.Draw(command_buffer, 0, static_cast<uint32_t>(kRectangles.size()));
  scene.End(command_buffer);
  scene.Copy(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(scene, Paint(kRectangles)));
  EXPECT_TRUE(run.Matches(ChainResult()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RenderPassSplitOff, testing::ValuesIn(kCases), CaseName);

// The layer of tests/poison_layer does what it is there for, in the run that has it.
// Without anything stored for the sake of splits.
class PoisonLayer : public RenderPassSplitOff {};

TEST_P(PoisonLayer, LosesWhatIsNotStoredOrNotLoaded) {
  for (const bool loads : {false, true}) {
    SplitScene scene(context(), {GetParam().kind, false, false, /*clears_picture=*/!loads, /*stores_picture=*/loads},
                     kRectangles);
    Commands commands(context());
    const VkCommandBuffer command_buffer = commands.Begin();
    scene.Begin(command_buffer);
    if (!loads) scene.Draw(command_buffer, 0, 3);
    scene.End(command_buffer);
    scene.Copy(command_buffer);
    ASSERT_EQ(commands.End(), VK_SUCCESS);
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(SamePicture(scene, std::vector<uint32_t>(scene.Pixels().size(), 0x99999999)));
  }
}

std::vector<SplitCase> PoisonCases() {
  const char* const layers = std::getenv("VK_INSTANCE_LAYERS");
  if (layers == nullptr || std::string_view(layers).find("poison") == std::string_view::npos) return {};
  return {{InstanceKind::kDynamic, false}, {InstanceKind::kObject, false}, {InstanceKind::kObject2, false}};
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PoisonLayer);
INSTANTIATE_TEST_SUITE_P(Kinds, PoisonLayer, testing::ValuesIn(PoisonCases()), CaseName);

}  // namespace
}  // namespace trellis::test
