// SPDX-License-Identifier: Apache-2.0
// Graphs of mesh nodes that paint tiles (shaders/tiles.mesh) into an image of integers.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/gpu/own_device.h"
#include "tests/support/buffer.h"
#include "tests/support/graph.h"
#include "tests/support/libraries.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {

inline constexpr uint32_t kSide = 64;  // of the image, in pixels

// The payload of shaders/tiles.mesh.
struct Tiles {
  uint32_t grid[2];
  uint32_t corner[2];
  uint32_t step[2];
  uint32_t size[2];
  uint32_t value;
  uint32_t counter;
};

// What is painted one after the other.
class Painting {
 public:
  Painting() : pixels_(size_t{kSide} * kSide) {}

  // `added`: to all values, by push constants.
  void Paint(const Tiles& tiles, uint32_t added = 0);
  void PaintRectangle(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t value);
  [[nodiscard]] const std::vector<uint32_t>& pixels() const { return pixels_; }

 private:
  std::vector<uint32_t> pixels_;
};

// A mesh node to be made.
struct MeshNode {
  std::span<const uint32_t> mesh;
  std::span<const uint32_t> fragment;  // empty: there is none
  std::optional<std::string> name = {};
  uint32_t index = 0;                         // with a name
  VkRenderPass render_pass = VK_NULL_HANDLE;  // null: dynamic rendering
  // May change what vkCreateGraphicsPipelines gets.
  std::function<void(ColorState&)> edit = {};
};

// A library of a mesh node.
class MeshLibrary {
 public:
  MeshLibrary(const Context& context, const MeshNode& node, const Layout& layout);
  ~MeshLibrary() { vkDestroyPipeline(context_.device, handle_, nullptr); }
  MeshLibrary(const MeshLibrary&) = delete;
  MeshLibrary& operator=(const MeshLibrary&) = delete;

  [[nodiscard]] VkPipeline handle() const { return handle_; }
  [[nodiscard]] VkResult result() const { return result_; }

 private:
  const Context& context_;
  VkPipeline handle_ = VK_NULL_HANDLE;
  VkResult result_ = VK_SUCCESS;
};

// The layout of all nodes: one buffer, and the push constants of shaders/tiles.mesh.
[[nodiscard]] LayoutOptions LayoutOfNodes();

// On a device with shaderMeshEnqueue; skips where there are no mesh shaders.
class MeshNodeTest : public OwnDeviceTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // The nodes as libraries, linked with the stages of `compute` into a graph that `graph()` is then.
  void Link(const std::vector<MeshNode>& nodes, const std::vector<GraphNode>& compute = {});
  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] const GuardedBuffer& scratch() const { return scratch_; }
  [[nodiscard]] GuardedBuffer& words() { return buffers_[0]; }
  [[nodiscard]] const DescriptorSets& sets() const { return *sets_; }
  [[nodiscard]] ColorImage& image() { return *image_; }

  // Binds the graph with its set, and pushes `added`.
  void BindGraph(VkCommandBuffer command_buffer, uint32_t added = 0);
  // One dispatch: count payloads of the node.
  void Dispatch(VkCommandBuffer command_buffer, const std::vector<GraphInput>& inputs);
  // Viewport and scissor are the image.
  static void SetViewport(VkCommandBuffer command_buffer);
  // Runs what `record` records between the begin and the end of rendering. Then the image is in `pixels()`.
  void Render(const std::function<void(VkCommandBuffer)>& record);
  [[nodiscard]] std::span<const uint32_t> pixels() const { return pixels_.words(); }
  // Records the copy of the image into `pixels()`.
  void CopyPixels(VkCommandBuffer command_buffer) { image_->CopyTo(command_buffer, pixels_.handle()); }

  // Compares the image, and the workgroups that were counted.
  void Expect(const Painting& painting, const std::vector<uint32_t>& counts);

 private:
  std::unique_ptr<Layout> layout_;
  std::vector<std::unique_ptr<MeshLibrary>> libraries_;
  std::unique_ptr<Graph> graph_;
  std::vector<GuardedBuffer> buffers_;
  GuardedBuffer scratch_;
  Buffer pixels_;
  std::unique_ptr<DescriptorSets> sets_;
  std::unique_ptr<ColorImage> image_;
};

template <typename Record>
[[nodiscard]] GraphInput InputOfRecords(const std::string& node, const std::vector<Record>& records,
                                        uint32_t index = 0) {
  GraphInput input = {.node = node, .index = index, .count = static_cast<uint32_t>(records.size())};
  const auto* bytes = reinterpret_cast<const uint8_t*>(records.data());
  input.payloads.assign(bytes, bytes + records.size() * sizeof(Record));
  input.stride = sizeof(Record);
  return input;
}
[[nodiscard]] GraphInput InputOf(const std::string& node, const std::vector<Tiles>& tiles, uint32_t index = 0);

}  // namespace trellis::test
