// SPDX-License-Identifier: Apache-2.0
// Mesh shaders without anything behind them: as nodes, and drawn by hand.
#pragma once

#include <vector>

#include "bench/framework/pipelines.h"

namespace trellis::bench {

inline constexpr VkExtent2D kMeshExtent = {8, 8};
inline constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_COMPUTE_BIT;

// So many nodes of an array, as libraries for graphs, and as many pipelines of the same work to be drawn by hand. Push
// constants are those of both stages.
class MeshPipelines {
 public:
  MeshPipelines(const Gpu& gpu, uint32_t count, const char* name, Words node, Words by_hand);
  ~MeshPipelines();
  MeshPipelines(const MeshPipelines&) = delete;
  MeshPipelines& operator=(const MeshPipelines&) = delete;

  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }
  [[nodiscard]] const std::vector<VkPipeline>& nodes() const { return nodes_; }
  [[nodiscard]] VkPipeline by_hand(uint32_t index) const { return by_hand_[index]; }

 private:
  const Gpu& gpu_;
  const VkPipelineLayout layout_;
  std::vector<VkPipeline> nodes_;
  std::vector<VkPipeline> by_hand_;
};

// A render pass instance without attachments.
void BeginEmptyRendering(VkCommandBuffer commands);

// Commands of VK_EXT_mesh_shader.
[[nodiscard]] PFN_vkCmdDrawMeshTasksEXT DrawMeshTasksOf(const Gpu& gpu);
[[nodiscard]] PFN_vkCmdDrawMeshTasksIndirectEXT DrawMeshTasksIndirectOf(const Gpu& gpu);

}  // namespace trellis::bench
