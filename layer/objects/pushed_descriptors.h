// SPDX-License-Identifier: Apache-2.0
// Push descriptors of one set, kept so that they can be pushed again.
#pragma once

#include <span>
#include <vector>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// One descriptor write with everything it points to, acceleration structures in pNext too. Inline uniform blocks and
// mutable descriptors cannot be pushed.
struct PushedWrite {
  VkWriteDescriptorSet write = {};  // its pointers mean nothing
  std::vector<VkDescriptorImageInfo> images;
  std::vector<VkDescriptorBufferInfo> buffers;
  std::vector<VkBufferView> texel_buffers;
  std::vector<VkAccelerationStructureKHR> acceleration_structures;
  std::vector<VkAccelerationStructureNV> acceleration_structures_nv;
  std::vector<VkDeviceAddress> partitioned_acceleration_structures;
};

// Threading: that of its command buffer (externally synchronised).
class PushedDescriptors {
 public:
  // For vkCmdPushDescriptorSet. Valid while the object it came from is neither changed nor destroyed.
  struct WriteList {
    std::vector<VkWriteDescriptorSet> writes;
    // The writes point to these.
    std::vector<VkWriteDescriptorSetAccelerationStructureKHR> acceleration_structures;
    std::vector<VkWriteDescriptorSetAccelerationStructureNV> acceleration_structures_nv;
    std::vector<VkWriteDescriptorSetPartitionedAccelerationStructureNV> partitioned_acceleration_structures;

    WriteList() = default;
    WriteList(WriteList&&) = default;
    WriteList(const WriteList&) = delete;
  };

  // Adds writes; older ones that a new one covers completely are dropped, so that pushing in a loop does not grow this.
  void Push(std::span<const VkWriteDescriptorSet> writes);

  // Adds what vkCmdPushDescriptorSetWithTemplate pushes: `data` is read as `entries` say.
  void PushWithTemplate(std::span<const VkDescriptorUpdateTemplateEntry> entries, const void* data);

  // In the order in which they were pushed.
  [[nodiscard]] WriteList Writes() const;

 private:
  void Add(PushedWrite write);

  std::vector<PushedWrite> writes_;
};

}  // namespace trellis
