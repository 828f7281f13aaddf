// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/mesh_nodes.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace trellis::test {
namespace {

constexpr VkShaderStageFlags kStages =
    VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

// As shaders/tiles.mesh has them.
struct Pushed {
  uint32_t added = 0;
  uint32_t unused = 0;
  uint32_t extent[2] = {kSide, kSide};
};

}  // namespace

LayoutOptions LayoutOfNodes() {
  return {.push_constant_bytes = sizeof(Pushed), .push_constant_stages = kStages, .stages = kStages};
}

void Painting::PaintRectangle(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t value) {
  for (uint32_t row = y; row < std::min(y + height, kSide); ++row)
    for (uint32_t column = x; column < std::min(x + width, kSide); ++column)
      pixels_[size_t{row} * kSide + column] = value;
}

void Painting::Paint(const Tiles& tiles, uint32_t added) {
  for (uint32_t y = 0; y < tiles.grid[1]; ++y)
    for (uint32_t x = 0; x < tiles.grid[0]; ++x)
      PaintRectangle(tiles.corner[0] + x * tiles.step[0], tiles.corner[1] + y * tiles.step[1], tiles.size[0],
                     tiles.size[1], tiles.value + added + y * tiles.grid[0] + x);
}

MeshLibrary::MeshLibrary(const Context& context, const MeshNode& node, const Layout& layout) : context_(context) {
  const StageModule mesh(context, node.mesh);
  std::vector<VkPipelineShaderStageCreateInfo> stages = {mesh.Stage(VK_SHADER_STAGE_MESH_BIT_EXT)};
  auto name = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  if (node.name) {
    name.pName = node.name->c_str();
    name.index = node.index;
    stages[0].pNext = &name;
  }
  std::optional<StageModule> fragment;
  if (!node.fragment.empty()) {
    fragment.emplace(context, node.fragment);
    stages.push_back(fragment->Stage(VK_SHADER_STAGE_FRAGMENT_BIT));
  }
  ColorState state;
  VkPipelineCreateFlags2CreateInfo flags = kNodeLibraryFlags;
  flags.pNext = &state.rendering;
  state.info.pNext = &flags;
  state.info.stageCount = static_cast<uint32_t>(stages.size());
  state.info.pStages = stages.data();
  state.info.layout = layout.handle();
  state.info.renderPass = node.render_pass;
  if (node.edit) node.edit(state);
  if (state.info.renderPass) flags.pNext = nullptr;
  result_ = vkCreateGraphicsPipelines(context.device, VK_NULL_HANDLE, 1, &state.info, nullptr, &handle_);
}

void MeshNodeTest::SetUp() {
  OwnDeviceTest::SetUp();
  if (HasFatalFailure()) return;
  if (!context().has_graphics) GTEST_SKIP() << "the queue has no graphics";
  if (!context().features.mesh_enqueue) GTEST_SKIP() << "no mesh shaders";
  layout_ = std::make_unique<Layout>(context(), LayoutOfNodes());
  buffers_.emplace_back(context(), 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  pixels_ = Buffer(context(), size_t{kSide} * kSide * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  sets_ = std::make_unique<DescriptorSets>(context(), *layout_, LayoutOfNodes(), buffers_);
  image_ = std::make_unique<ColorImage>(context(), VkExtent2D{kSide, kSide});
}

void MeshNodeTest::TearDown() {
  image_.reset();
  sets_.reset();
  graph_.reset();
  libraries_.clear();
  layout_.reset();
  buffers_.clear();
  scratch_ = {};
  pixels_ = {};
  OwnDeviceTest::TearDown();
}

void MeshNodeTest::Link(const std::vector<MeshNode>& nodes, const std::vector<GraphNode>& compute) {
  std::vector<VkPipeline> handles;
  for (const MeshNode& node : nodes) {
    libraries_.push_back(std::make_unique<MeshLibrary>(context(), node, *layout_));
    ASSERT_EQ(libraries_.back()->result(), VK_SUCCESS);
    handles.push_back(libraries_.back()->handle());
  }
  const GraphStages stages(context(), compute);
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(LinkLibraries(context(), handles, stages, *layout_, VK_NULL_HANDLE, 0, pipeline), VK_SUCCESS);
  graph_ = std::make_unique<Graph>(context(), pipeline);
  scratch_ = GuardedBuffer(context(), graph_->ScratchSize().minSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
}

void MeshNodeTest::BindGraph(VkCommandBuffer command_buffer, uint32_t added) {
  constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
  Pushed pushed;
  pushed.added = added;
  vkCmdBindPipeline(command_buffer, kGraph, graph_->handle());
  vkCmdBindDescriptorSets(command_buffer, kGraph, layout_->handle(), 0, 1, sets_->sets().data(), 0, nullptr);
  vkCmdPushConstants(command_buffer, layout_->handle(), kStages, 0, sizeof(pushed), &pushed);
}

void MeshNodeTest::Dispatch(VkCommandBuffer command_buffer, const std::vector<GraphInput>& inputs) {
  RecordGraphDispatch(context(), command_buffer, *graph_, scratch_, inputs);
}

void MeshNodeTest::SetViewport(VkCommandBuffer command_buffer) {
  const VkViewport viewport = {0, 0, kSide, kSide, 0, 1};
  const VkRect2D scissor = {{0, 0}, {kSide, kSide}};
  vkCmdSetViewport(command_buffer, 0, 1, &viewport);
  vkCmdSetScissor(command_buffer, 0, 1, &scissor);
}

void MeshNodeTest::Render(const std::function<void(VkCommandBuffer)>& record) {
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  RecordScratchInitialization(context(), command_buffer, *graph_, scratch_);
  image_->BeginRendering(command_buffer);
  SetViewport(command_buffer);
  record(command_buffer);
  image_->EndRendering(command_buffer);
  CopyPixels(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
}

void MeshNodeTest::Expect(const Painting& painting, const std::vector<uint32_t>& counts) {
  for (uint32_t i = 0; i < kSide * kSide; ++i)
    ASSERT_EQ(pixels()[i], painting.pixels()[i]) << "pixel " << i % kSide << ", " << i / kSide;
  const auto counted = words().words();
  for (size_t i = 0; i < counted.size(); ++i) ASSERT_EQ(counted[i], i < counts.size() ? counts[i] : 0) << "word " << i;
  EXPECT_TRUE(words().GuardsIntact());
  EXPECT_TRUE(scratch_.GuardsIntact());
}

GraphInput InputOf(const std::string& node, const std::vector<Tiles>& tiles, uint32_t index) {
  return InputOfRecords(node, tiles, index);
}

}  // namespace trellis::test
