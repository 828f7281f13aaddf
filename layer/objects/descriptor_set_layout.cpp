// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/descriptor_set_layout.h"

#include <algorithm>

namespace trellis {

namespace {

bool TakesDynamicOffset(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

// For other types pImmutableSamplers is ignored and may point anywhere.
bool MayHaveSamplers(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

}  // namespace

DescriptorSetLayout DescribeSetLayout(const VkDescriptorSetLayoutCreateInfo& info) {
  DescriptorSetLayout layout;
  layout.flags = info.flags;
  for (uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& binding = info.pBindings[i];
    DescriptorSetLayout::Binding& described = layout.bindings.emplace_back();
    described.number = binding.binding;
    described.type = binding.descriptorType;
    described.count = binding.descriptorCount;
    described.stages = binding.stageFlags;
    if (MayHaveSamplers(binding.descriptorType) && binding.pImmutableSamplers)
      described.immutable_samplers.assign(binding.pImmutableSamplers,
                                          binding.pImmutableSamplers + binding.descriptorCount);
    if (TakesDynamicOffset(binding.descriptorType)) layout.dynamic_offset_count += binding.descriptorCount;
  }
  std::sort(layout.bindings.begin(), layout.bindings.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return layout;
}

bool CompatibleForSet(const SetLayouts& a, const SetLayouts& b, uint32_t set) {
  if (set >= a.size() || set >= b.size()) return false;
  return std::equal(a.begin(), a.begin() + set + 1, b.begin(),
                    [](const auto& x, const auto& y) { return !x || !y || x == y || *x == *y; });
}

}  // namespace trellis
