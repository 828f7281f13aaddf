// SPDX-License-Identifier: Apache-2.0
// Mesh shaders without anything behind them: as nodes, and drawn by hand.
#pragma once

#include "bench/framework/pipelines.h"

namespace trellis::bench {

inline constexpr VkExtent2D kMeshExtent = {8, 8};
inline constexpr VkShaderStageFlags kMeshStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_COMPUTE_BIT;

// Push constants of both stages. The caller destroys it.
[[nodiscard]] VkPipelineLayout CreateMeshLayout(const Gpu& gpu);

// A node of an array.
struct MeshNodeName {
  const char* name;
  uint32_t index;
};
// With `node` a library for graphs. The caller destroys it.
[[nodiscard]] VkPipeline CreateMeshPipeline(const Gpu& gpu, Words words, VkPipelineLayout layout,
                                            const MeshNodeName* node);

// A render pass instance without attachments.
void BeginEmptyRendering(VkCommandBuffer commands);

// Commands of VK_EXT_mesh_shader.
[[nodiscard]] PFN_vkCmdDrawMeshTasksEXT DrawMeshTasksOf(const Gpu& gpu);
[[nodiscard]] PFN_vkCmdDrawMeshTasksIndirectEXT DrawMeshTasksIndirectOf(const Gpu& gpu);

}  // namespace trellis::bench
