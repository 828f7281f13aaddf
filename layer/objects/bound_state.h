// SPDX-License-Identifier: Apache-2.0
// What the application has bound in a command buffer at one of the bind points that graphs touch, and its push
// constants. Threading: that of the command buffer (externally synchronised).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/descriptor_set_layout.h"
#include "layer/objects/pushed_descriptors.h"

namespace trellis {

// The pipeline layout that a bind names.
struct BindLayout {
  VkPipelineLayout handle = VK_NULL_HANDLE;
  std::shared_ptr<const SetLayouts> sets;  // null when the layer does not know the layout
};

// What is bound at one set number.
struct BoundSet {
  enum class Kind : uint8_t { kNone, kDescriptorSet, kPushDescriptors, kDescriptorBuffer, kEmbeddedSamplers };

  Kind kind = Kind::kNone;
  uint64_t sequence = 0;  // order of the binds of one command buffer; a rebind gets a new number
  BindLayout layout;      // the one that the application bound it with
  VkDescriptorSet descriptor_set = VK_NULL_HANDLE;  // kDescriptorSet
  std::vector<uint32_t> dynamic_offsets;            // kDescriptorSet
  PushedDescriptors pushed;                         // kPushDescriptors
  uint32_t buffer_index = 0;                        // kDescriptorBuffer
  VkDeviceSize buffer_offset = 0;                   // kDescriptorBuffer
};

// A shader object, or null, bound for a stage.
struct BoundShader {
  VkShaderStageFlagBits stage = {};
  VkShaderEXT shader = VK_NULL_HANDLE;
};

struct BindPointState {
  VkPipeline pipeline = VK_NULL_HANDLE;  // as the application sees it
  std::vector<BoundShader> shaders;      // each stage once; empty where `pipeline` is set
  std::vector<BoundSet> sets;            // by set number

  void BindPipeline(VkPipeline bound) {
    pipeline = bound;
    shaders.clear();
  }
  void BindShader(VkShaderStageFlagBits stage, VkShaderEXT shader);

  // The entry of a set number for a new bind: emptied and numbered, but for push descriptors on top of push descriptors
  // of a compatible layout, which add up.
  BoundSet& Rebind(uint32_t set, BoundSet::Kind kind, const BindLayout& layout, uint64_t sequence);

  // Several sets at once, as vkCmdBindDescriptorSets takes them. Where the layout is not known the first set gets all
  // dynamic offsets. Uses up `count` sequence numbers.
  void BindSets(const BindLayout& layout, uint32_t first, uint32_t count, const VkDescriptorSet* descriptor_sets,
                std::span<const uint32_t> dynamic_offsets, uint64_t& sequence);

  // vkCmdSetDescriptorBufferOffsetsEXT. Uses up `count` sequence numbers.
  void BindDescriptorBuffers(const BindLayout& layout, uint32_t first, uint32_t count, const uint32_t* buffer_indices,
                             const VkDeviceSize* offsets, uint64_t& sequence);

  // Entries that hold something, as (set number, entry), in the order in which they were bound.
  [[nodiscard]] std::vector<std::pair<uint32_t, const BoundSet*>> InOrder() const;
};

// One vkCmdPushConstants that still has an effect.
struct PushConstantCall {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkShaderStageFlags stages = 0;
  uint32_t offset = 0;
  std::vector<uint8_t> bytes;
};

class PushConstantState {
 public:
  // Calls that this one overwrites completely, for the same layout and stages, are dropped.
  void Push(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, std::span<const uint8_t> bytes);

  // In the order in which they were made.
  [[nodiscard]] const std::vector<PushConstantCall>& Calls() const { return calls_; }
  // What stage COMPUTE sees, up to the highest byte that was pushed; bytes between that never were are 0.
  [[nodiscard]] const std::vector<uint8_t>& ComputeBytes() const { return compute_bytes_; }
  // The same of stages MESH and FRAGMENT. What lies in ranges of both is pushed for both
  // (VUID-vkCmdPushConstants-offset-01796), so that they never disagree.
  [[nodiscard]] const std::vector<uint8_t>& DrawBytes() const { return draw_bytes_; }

 private:
  std::vector<PushConstantCall> calls_;
  std::vector<uint8_t> compute_bytes_;
  std::vector<uint8_t> draw_bytes_;
};

}  // namespace trellis
