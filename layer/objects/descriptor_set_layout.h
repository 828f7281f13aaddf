// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// What the layer needs to know about a set layout after the application destroyed it.
struct DescriptorSetLayout {
  struct Binding {
    uint32_t number = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    uint32_t count = 0;
    VkShaderStageFlags stages = 0;
    std::vector<VkSampler> immutable_samplers;

    bool operator==(const Binding&) const = default;
  };

  uint32_t dynamic_offset_count = 0;  // how many elements of pDynamicOffsets a set of this layout takes
  VkDescriptorSetLayoutCreateFlags flags = 0;
  std::vector<Binding> bindings;  // by number

  // "Identically defined", but for what stands in pNext of the create info.
  bool operator==(const DescriptorSetLayout&) const = default;
};

// Pure.
[[nodiscard]] DescriptorSetLayout DescribeSetLayout(const VkDescriptorSetLayoutCreateInfo& info);

// The sets of a pipeline layout, by number. Null: a null set layout, or one that the layer does not know.
using SetLayouts = std::vector<std::shared_ptr<const DescriptorSetLayout>>;

// Whether a set that was bound with a pipeline layout of sets `a` counts for one of sets `b` too: both define sets
// 0 to `set` identically. Null fits everything. Push constant ranges, which matter too, are not looked at.
[[nodiscard]] bool CompatibleForSet(const SetLayouts& a, const SetLayouts& b, uint32_t set);

// A descriptor update template for push descriptors: its entries, so that the pushed data can be turned into descriptor
// writes.
struct DescriptorUpdateTemplate {
  VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_COMPUTE;  // as the application gave it
  uint32_t set = 0;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

}  // namespace trellis
