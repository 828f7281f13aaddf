// SPDX-License-Identifier: Apache-2.0
// What tests write to descriptors.
#pragma once

#include <cstdint>

#include "layer/dispatch/struct_type.h"
#include "layer/dispatch/vulkan.h"

namespace trellis::test {

// Of storage buffers. `info`: `count` of them, which have to live as long as the write is used.
[[nodiscard]] inline VkWriteDescriptorSet BufferWrite(uint32_t binding, const VkDescriptorBufferInfo* info,
                                                      uint32_t count = 1) {
  auto write = MakeStruct<VkWriteDescriptorSet>();
  write.dstBinding = binding;
  write.descriptorCount = count;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = info;
  return write;
}

}  // namespace trellis::test
