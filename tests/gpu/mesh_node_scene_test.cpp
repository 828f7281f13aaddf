// SPDX-License-Identifier: Apache-2.0
// Mesh nodes in render pass instances of each kind, with depth, stencil and multisampling: the picture is the one that
// the application's own draws make, bit for bit.
#include <cstring>

#include "test_nodes/rectangles.h"
#include "tests/gpu/mesh_nodes.h"
#include "tests/gpu/split_cases.h"
#include "tests/rectangles_frag_spv.h"

namespace trellis::test {
namespace {

class SceneTest : public MeshNodeTest {
 protected:
  void SetUp() override {
    MeshNodeTest::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    const SceneOptions options = Scene();
    if (options.imageless && !context().features.imageless_framebuffer) GTEST_SKIP() << "no imageless framebuffers";
    scene_ = std::make_unique<SplitScene>(context(), options, kRectangles);
    Link({{.mesh = kRectanglesNode, .fragment = kRectanglesFragSpv, .edit = [this](ColorState& state) {
             scene_->EditState(state);
           }}});
    std::memcpy(words().words().data(), kRectangles.data(), kRectangles.size() * sizeof(Rectangle));
  }
  void TearDown() override {
    scene_.reset();
    MeshNodeTest::TearDown();
  }
  [[nodiscard]] virtual SceneOptions Scene() const = 0;

  // Rectangles of the scene, in one payload.
  void DispatchRectangles(VkCommandBuffer command_buffer, uint32_t first, uint32_t count) {
    Dispatch(command_buffer, {{.node = "main", .count = 1, .payloads = Bytes({count, first}), .stride = 8}});
  }

  // The application's draws and the graph's take turns.
  void ExpectPictureBetweenDraws();

  std::unique_ptr<SplitScene> scene_;
};

void SceneTest::ExpectPictureBetweenDraws() {
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  scene_->Begin(command_buffer);
  scene_->Draw(command_buffer, 0, 2);
  BindGraph(command_buffer);
  DispatchRectangles(command_buffer, 2, 3);
  scene_->DrawMore(command_buffer, 5, 1);
  DispatchRectangles(command_buffer, 6, 2);
  scene_->End(command_buffer);
  scene_->Copy(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  for (int submission = 0; submission < 2; ++submission) {
    ASSERT_EQ(commands.Submit(), VK_SUCCESS);
    EXPECT_TRUE(SamePicture(*scene_, Paint(kRectangles)));
  }
}

class MeshNodeScene : public SceneTest, public testing::WithParamInterface<SplitCase> {
  [[nodiscard]] SceneOptions Scene() const override { return {GetParam().kind, GetParam().multisampled, false}; }
};

TEST_P(MeshNodeScene, BetweenDraws) { ExpectPictureBetweenDraws(); }

TEST_P(MeshNodeScene, NothingElse) {
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  scene_->Begin(command_buffer);
  BindGraph(command_buffer);
  DispatchRectangles(command_buffer, 0, static_cast<uint32_t>(kRectangles.size()));
  scene_->End(command_buffer);
  scene_->Copy(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(SamePicture(*scene_, Paint(kRectangles)));
}

INSTANTIATE_TEST_SUITE_P(Of, MeshNodeScene, testing::ValuesIn(kCases), CaseName);

class MeshNodeImageless : public SceneTest {
  [[nodiscard]] SceneOptions Scene() const override { return {.kind = InstanceKind::kObject, .imageless = true}; }
};

TEST_F(MeshNodeImageless, BetweenDraws) { ExpectPictureBetweenDraws(); }

}  // namespace
}  // namespace trellis::test
