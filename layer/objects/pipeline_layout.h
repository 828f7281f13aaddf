// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/descriptor_set_layout.h"

namespace trellis {

struct Device;

// Stages that see what is pushed for mesh nodes.
inline constexpr VkShaderStageFlags kDrawStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

// The push constants of the layout that nodes use. Sizes and offsets are bytes.
//
// Where the device has 8 bytes above those that the application uses, the address of the launch block lies there.
// Where it has not, that address and the address of a copy of the application's push constants are all that is pushed.
struct NodePushConstants {
  uint32_t push_constant_end = 0;        // end of the highest of the application's ranges that include the stages
  uint32_t application_size = 0;         // push_constant_end rounded up to 8: what nodes may read
  uint32_t launch_offset = 0;            // where nodes find the address of their launch block; a multiple of 8
  uint32_t node_push_constant_size = 0;  // at most maxPushConstantsSize
  std::optional<uint32_t> copy_offset;   // where nodes find the address of the copy, if they read one
};

// Pure.
[[nodiscard]] NodePushConstants PlanNodePushConstants(uint32_t range_count, const VkPushConstantRange* ranges,
                                                      VkShaderStageFlags stages, uint32_t max_push_constants_size);

// A pipeline layout of the application, and those made from it for the nodes of a graph. Read-only after creation.
// Ownership: shared by the device's table and by every graph pipeline made with it. `node_layout` and `draw_layout` are
// ours and die with this object; `handle` is the application's and must not be used after it destroyed it.
struct PipelineLayout : NodePushConstants {
  explicit PipelineLayout(const Device& owner) : device(owner) {}
  ~PipelineLayout();
  PipelineLayout(const PipelineLayout&) = delete;
  PipelineLayout& operator=(const PipelineLayout&) = delete;

  const Device& device;
  VkPipelineLayout handle = VK_NULL_HANDLE;
  // The same sets and flags as `handle`, and exactly one push constant range: {COMPUTE, 0, node_push_constant_size}.
  // Made at once, because the set layouts may be destroyed right afterwards. Never null.
  VkPipelineLayout node_layout = VK_NULL_HANDLE;
  // The same for mesh nodes, with the range {MESH | FRAGMENT, 0, draw.node_push_constant_size}: what lies in one range
  // is pushed with all of its stages. Null without shaderMeshEnqueue, and where the application's push constants leave
  // no room for an address: fragment shaders are not ours to read a copy.
  VkPipelineLayout draw_layout = VK_NULL_HANDLE;
  NodePushConstants draw;
  SetLayouts sets;
};

// What the layer knows of the sets that a create info names.
[[nodiscard]] SetLayouts SetLayoutsOf(const Device& device, const VkPipelineLayoutCreateInfo& info);

// Makes the object for a layout that was just created as `handle`.
[[nodiscard]] VkResult MakePipelineLayout(const Device& device, const VkPipelineLayoutCreateInfo& info,
                                          VkPipelineLayout handle, std::shared_ptr<PipelineLayout>& layout);

}  // namespace trellis
