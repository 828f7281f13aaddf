#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct Device;

// Bytes of push constants that launching a node needs above the application's.
inline constexpr uint32_t kLaunchPushConstantBytes = 8;

// The push constants of the layout that nodes use. Sizes and offsets are bytes.
struct NodePushConstants {
  uint32_t push_constant_end = 0;        // end of the highest of the application's ranges that include COMPUTE
  uint32_t launch_offset = 0;            // where nodes find the address of their launch block; a multiple of 8
  uint32_t node_push_constant_size = 0;  // launch_offset + 8, at most maxPushConstantsSize
  // launch_offset is more than PushConstantState::kShadowBytes, or launch_offset + 8 more than maxPushConstantsSize:
  // nodes cannot be launched with this layout.
  bool push_constants_full = false;
};

// Pure.
[[nodiscard]] NodePushConstants PlanNodePushConstants(uint32_t range_count, const VkPushConstantRange* ranges,
                                                      uint32_t max_push_constants_size);

// A pipeline layout of the application, and the one made from it for the nodes of a graph. Read-only after creation.
// Ownership: shared by the device's table and by every graph pipeline made with it. `node_layout` is ours and dies with
// this object; `handle` is the application's and must not be used after it destroyed it.
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
  // Elements of pDynamicOffsets that each set takes; 0 for a null set layout.
  std::vector<uint32_t> dynamic_offset_counts;
};

// Makes the object for a layout that was just created as `handle`.
[[nodiscard]] VkResult MakePipelineLayout(const Device& device, const VkPipelineLayoutCreateInfo& info,
                                          VkPipelineLayout handle, std::shared_ptr<PipelineLayout>& layout);

}  // namespace trellis
