// SPDX-License-Identifier: Apache-2.0
// State shared by both ways to draw a frame: descriptors, commands, and the image.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "samples/hello_graph/gpu.h"
#include "samples/mesh_terrain/frame.h"
#include "samples/mesh_terrain/picture.h"
#include "samples/mesh_terrain/tiles.h"

namespace terrain {

using Recording = std::function<void(VkCommandBuffer)>;

class Scene {
 public:
  static constexpr uint32_t kMaxTiles = 1 << 16;  // that draws without a graph read

  Scene(const hello::Gpu& gpu, VkExtent2D extent);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  [[nodiscard]] const hello::Gpu& gpu() const { return gpu_; }
  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  // The buffer for the draws without a graph; not while a frame is drawn.
  [[nodiscard]] std::span<Tile> tiles() const { return {mapped_tiles_, kMaxTiles}; }
  [[nodiscard]] const Canvas& canvas() const { return *canvas_; }
  // Replaces the canvas by an empty one. No frame may be drawn meanwhile.
  void Resize(VkExtent2D extent);
  void BindSet(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point) const;

  // Executes what `record` records, and waits for it.
  void Run(const Recording& record) const;
  // Records the frame into the canvas: `draw` records draws inside of a dynamic rendering instance. Frames that are
  // submitted to one queue may follow each other without waiting.
  void Record(VkCommandBuffer command_buffer, const Frame& frame, const Recording& draw) const;
  // Draws the frame, waits, and returns the picture. `draw` is that of Record.
  [[nodiscard]] Picture Render(const Frame& frame, const Recording& draw) const;

 private:
  void MakeLayout();
  void MakeSet();

  const hello::Gpu& gpu_;
  std::optional<Canvas> canvas_;
  const hello::Buffer frame_;
  const hello::Buffer tiles_;
  Tile* const mapped_tiles_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptor_pool_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
};

// A pipeline that draws into the canvas. With a name it is a library: a node of that name for graphs.
VkPipeline MakeMeshPipeline(const Scene& scene, std::span<const uint32_t> mesh, std::span<const uint32_t> fragment,
                            const char* node);

}  // namespace terrain
