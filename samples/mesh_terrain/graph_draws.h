// SPDX-License-Identifier: Apache-2.0
// The ground drawn by one graph: compute nodes divide and cull it and enqueue to mesh nodes.
#pragma once

#include <array>
#include <memory>

#include "samples/mesh_terrain/scene.h"

namespace terrain {

class GraphDraws {
 public:
  explicit GraphDraws(const Scene& scene);
  ~GraphDraws();
  GraphDraws(const GraphDraws&) = delete;
  GraphDraws& operator=(const GraphDraws&) = delete;

  // Inside of a rendering instance.
  void Record(VkCommandBuffer command_buffer) const;

 private:
  void Link();
  void MakeScratch();
  [[nodiscard]] uint32_t IndexOf(const char* node) const;

  const Scene& scene_;
  std::array<VkPipeline, 4> mesh_nodes_ = {};
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDeviceSize scratch_size_ = 0;
  std::unique_ptr<hello::Buffer> scratch_;
};

}  // namespace terrain
