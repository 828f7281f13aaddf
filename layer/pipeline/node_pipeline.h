// SPDX-License-Identifier: Apache-2.0
// The driver's pipeline for a node.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/captured_states.h"
#include "layer/objects/device.h"
#include "layer/objects/pipeline_layout.h"
#include "layer/objects/rendering_shape.h"

namespace trellis {

// Ownership: shared by all nodes of one creation that need the same, by libraries, and by the graphs linked of them.
// Destroyed with the last of these, unless it was made with the application's allocator: the application may take that
// away as soon as vkDestroyPipeline has returned, so such a pipeline belongs to one graph alone, which calls Release.
// Threading: immutable between FinishCreation and Release.
class NodePipeline {
 public:
  NodePipeline(const Device& device, std::shared_ptr<PipelineLayout> layout)
      : device_(device), layout_(std::move(layout)) {}
  // Takes over a pipeline that was made without an allocator.
  NodePipeline(const Device& device, std::shared_ptr<PipelineLayout> layout, VkPipeline handle)
      : device_(device), layout_(std::move(layout)), handle_(handle) {}
  ~NodePipeline() {
    if (handle_) device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator_);
  }
  NodePipeline(const NodePipeline&) = delete;
  NodePipeline& operator=(const NodePipeline&) = delete;

  // `command`: the driver's vkCreateComputePipelines, or vkCreateGraphicsPipelines for a mesh node. Returns its result.
  // Once. Until FinishCreation, while the application's command runs, the destructor uses `allocator` too.
  template <typename Command, typename CreateInfo>
  [[nodiscard]] VkResult Create(Command command, VkPipelineCache cache, const CreateInfo& info,
                                const VkAllocationCallbacks* allocator) {
    allocator_ = allocator;
    has_allocator_ = allocator != nullptr;
    const VkResult result = command(device_.handle, cache, 1, &info, allocator, &handle_);
    // Drivers may write something even if they fail.
    if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
    return result;
  }
  void FinishCreation() {
    // What was made without one may come from a library, which other threads link at the same time.
    if (has_allocator_) allocator_ = nullptr;
  }
  // Destroys the pipeline if it was made with an allocator; `allocator` must be compatible with that. The first call
  // wins.
  void Release(const VkAllocationCallbacks* allocator) {
    if (!handle_ || !has_allocator_) return;
    device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator);
    handle_ = VK_NULL_HANDLE;
  }

  [[nodiscard]] VkPipeline handle() const { return handle_; }
  // Numbers of the sets that the node uses.
  [[nodiscard]] const std::set<uint32_t>& descriptor_sets() const { return descriptor_sets_; }
  void SetDescriptorSets(std::set<uint32_t> sets) { descriptor_sets_ = std::move(sets); }
  // For mesh nodes only.
  [[nodiscard]] CapturedStates dynamic_states() const { return dynamic_states_; }
  [[nodiscard]] const RenderingShape& rendering_shape() const { return rendering_shape_; }
  void SetDrawState(CapturedStates dynamic_states, const RenderingShape& rendering_shape) {
    dynamic_states_ = dynamic_states;
    rendering_shape_ = rendering_shape;
  }
  // It was compiled for layout().node_layout and layout().launch_offset, or draw_layout and draw.launch_offset.
  [[nodiscard]] const PipelineLayout& layout() const { return *layout_; }

 private:
  const Device& device_;
  const std::shared_ptr<PipelineLayout> layout_;
  VkPipeline handle_ = VK_NULL_HANDLE;
  std::set<uint32_t> descriptor_sets_;
  CapturedStates dynamic_states_;
  RenderingShape rendering_shape_;
  const VkAllocationCallbacks* allocator_ = nullptr;
  bool has_allocator_ = false;
};

}  // namespace trellis
