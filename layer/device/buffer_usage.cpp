// SPDX-License-Identifier: Apache-2.0
#include "layer/device/buffer_usage.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

constexpr VkBufferUsageFlags2 kScratch = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
constexpr VkBufferUsageFlags2 kScratchBelow = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT;

const VkBufferUsageFlags2CreateInfo* FindFlags2(const void* chain) {
  return FindStruct<VkBufferUsageFlags2CreateInfo>(chain);
}

// For the structures that have `pNext` and a 32-bit `usage`.
template <typename Info>
const Info* EditUsage(const Info& info, bool flatten_usage2, Arena& arena) {
  const VkBufferUsageFlags2CreateInfo* flags2 = FindFlags2(info.pNext);
  const VkBufferUsageFlags2 usage = EffectiveUsage(info.usage, info.pNext);
  const bool flatten = flags2 && flatten_usage2;
  if (!IsScratchUsage(usage) && !flatten) return &info;

  Info* copy = arena.Copy(info);
  const VkBufferUsageFlags2 below = TranslateBufferUsage(usage);
  if (flatten) RemoveFromChain(copy, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO, arena);
  if (flags2 && !flatten) {
    EditStruct<VkBufferUsageFlags2CreateInfo>(copy, arena)->usage = below;
  } else {
    copy->usage = static_cast<VkBufferUsageFlags>(below);
  }
  return copy;
}

}  // namespace

VkBufferUsageFlags2 TranslateBufferUsage(VkBufferUsageFlags2 usage) {
  return IsScratchUsage(usage) ? (usage & ~kScratch) | kScratchBelow : usage;
}

bool IsScratchUsage(VkBufferUsageFlags2 usage) { return (usage & kScratch) != 0; }

VkBufferUsageFlags2 EffectiveUsage(VkBufferUsageFlags usage, const void* chain) {
  const VkBufferUsageFlags2CreateInfo* flags2 = FindFlags2(chain);
  return flags2 ? flags2->usage : usage;
}

const VkBufferCreateInfo* EditBufferCreateInfo(const VkBufferCreateInfo& info, bool flatten_usage2, Arena& arena) {
  return EditUsage(info, flatten_usage2, arena);
}

const VkPhysicalDeviceExternalBufferInfo* EditExternalBufferInfo(const VkPhysicalDeviceExternalBufferInfo& info,
                                                                 bool flatten_usage2, Arena& arena) {
  return EditUsage(info, flatten_usage2, arena);
}

const VkDescriptorBufferBindingInfoEXT* EditDescriptorBufferBinding(const VkDescriptorBufferBindingInfoEXT& info,
                                                                    bool flatten_usage2, Arena& arena) {
  return EditUsage(info, flatten_usage2, arena);
}

}  // namespace trellis
