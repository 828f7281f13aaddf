// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "layer/dispatch/arena.h"
#include "layer/objects/rendering_shape.h"
#include "layer/objects/split_obstacle.h"

namespace trellis {

struct DeviceDispatch;
struct RenderPass;

// The render pass instance that is open in a recording, and what it takes to end it in the middle and begin it again.
// Threading: that of the command buffer.
class RenderPassInstance {
 public:
  RenderPassInstance() = default;
  RenderPassInstance(const RenderPassInstance&) = delete;
  RenderPassInstance& operator=(const RenderPassInstance&) = delete;

  [[nodiscard]] bool is_open() const { return kind_ != Kind::kNone; }

  // Begins an instance and returns what goes down for it: `info`, or a copy that lives until the next Begin.
  // `stores_attachments`: Device::StoresAttachments.
  [[nodiscard]] const VkRenderingInfo* Begin(const VkRenderingInfo& info, bool stores_attachments);
  // `render_pass`: null if it is not known. `subpass`: as vkCmdBeginRenderPass2 got it, which is also called again.
  [[nodiscard]] const VkRenderPassBeginInfo* Begin(const VkRenderPassBeginInfo& info, const RenderPass* render_pass,
                                                   const VkSubpassBeginInfo& subpass);
  [[nodiscard]] const VkRenderPassBeginInfo* Begin(const VkRenderPassBeginInfo& info, const RenderPass* render_pass,
                                                   VkSubpassContents contents);
  void End();

  // What begins and ends inside; ignored while no instance is open.
  void BeginQuery() { queries_ += is_open() ? 1 : 0; }
  void EndQuery() { queries_ -= queries_ != 0 ? 1 : 0; }
  void SetTransformFeedback(bool active) { transform_feedback_ = active && is_open(); }
  void SetConditionalRendering(bool active) { conditional_rendering_ = active && is_open(); }
  void SetLocations(const VkRenderingAttachmentLocationInfo& info);
  void SetInputIndices(const VkRenderingInputAttachmentIndexInfo& info);

  // Conditional rendering began inside.
  [[nodiscard]] bool has_conditional_rendering() const { return conditional_rendering_; }
  [[nodiscard]] bool is_dynamic() const { return kind_ == Kind::kDynamic; }
  // While one is open.
  [[nodiscard]] const RenderingShape& shape() const { return shape_; }

  // Looks for what keeps the instance from being split where the recording is.
  [[nodiscard]] SplitObstacle FindObstacle() const;
  // Records the end of the instance and the begin of its second part. Only where there is no obstacle.
  void RecordEnd(const DeviceDispatch& dispatch, VkCommandBuffer command_buffer) const;
  void RecordSecondPart(const DeviceDispatch& dispatch, VkCommandBuffer command_buffer) const;

 private:
  enum class Kind : uint8_t { kNone, kDynamic, kObject };

  void Open(Kind kind, const SplitObstacle& obstacle);
  // A copy without a chain, or null if there is nothing to keep. An obstacle stands until all behind it is copied.
  template <typename Info>
  Info* BeginCopy(const Info& info);

  Kind kind_ = Kind::kNone;
  RenderingShape shape_;
  SplitObstacle obstacle_;
  uint32_t queries_ = 0;
  bool transform_feedback_ = false;
  bool conditional_rendering_ = false;
  // How the second part begins; null where there is an obstacle. With what they point to they lie in the arena.
  const VkRenderingInfo* rendering_ = nullptr;
  const VkRenderPassBeginInfo* render_pass_ = nullptr;
  std::optional<VkSubpassContents> contents_;  // of vkCmdBeginRenderPass
  VkSubpassBeginInfo subpass_ = {};            // of vkCmdBeginRenderPass2
  const VkRenderingAttachmentLocationInfo* locations_ = nullptr;
  const VkRenderingInputAttachmentIndexInfo* input_indices_ = nullptr;
  Arena arena_;
};

}  // namespace trellis
