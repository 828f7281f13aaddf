#pragma once

#include <cstdint>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// What the layer needs to know about a set layout after the application destroyed it.
struct DescriptorSetLayout {
  uint32_t dynamic_offset_count = 0;  // how many elements of pDynamicOffsets a set of this layout takes
};

// A descriptor update template for push descriptors: its entries, so that the pushed data can be turned into descriptor
// writes.
struct DescriptorUpdateTemplate {
  VkPipelineBindPoint bind_point = VK_PIPELINE_BIND_POINT_COMPUTE;  // as the application gave it
  uint32_t set = 0;
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

}  // namespace trellis
