// SPDX-License-Identifier: Apache-2.0
// Render passes of the application, and the two that the layer makes of one to split its instances.
#pragma once

#include <cstdint>
#include <memory>

#include "layer/objects/split_obstacle.h"

namespace trellis {

struct Device;

// Read-only after creation. `first` and `second` are ours and die with this object; both are compatible with the
// application's render pass, so its framebuffers and pipelines serve them.
struct RenderPass {
  explicit RenderPass(const Device& owner) : device(owner) {}
  ~RenderPass();
  RenderPass(const RenderPass&) = delete;
  RenderPass& operator=(const RenderPass&) = delete;

  const Device& device;
  SplitObstacle obstacle;  // with one there are no parts
  VkRenderPass first =
      VK_NULL_HANDLE;  // with store operations that keep all contents; null: the application's has them
  VkRenderPass second = VK_NULL_HANDLE;              // loads what the first one has stored
  uint32_t depth_attachment = VK_ATTACHMENT_UNUSED;  // of the only subpass
};

// Makes the object for a render pass that was just created with `info`, a VkRenderPassCreateInfo or
// VkRenderPassCreateInfo2. Parts that cannot be made are an obstacle.
template <typename CreateInfo>
[[nodiscard]] std::shared_ptr<RenderPass> MakeRenderPass(const Device& device, const CreateInfo& info);

}  // namespace trellis
