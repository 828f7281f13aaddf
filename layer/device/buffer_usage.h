// SPDX-License-Identifier: Apache-2.0
// The scratch usage bit in terms that every driver knows. Pure.
#pragma once

#include "layer/dispatch/arena.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

[[nodiscard]] constexpr bool IsScratchUsage(VkBufferUsageFlags2 usage) {
  return (usage & VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX) != 0;
}

// VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX becomes the usages that a replayed graph makes of scratch: storage
// and indirect arguments through addresses, and transfer destination. Serves 32-bit and 64-bit flags; other bits stay.
[[nodiscard]] constexpr VkBufferUsageFlags2 TranslateBufferUsage(VkBufferUsageFlags2 usage) {
  constexpr VkBufferUsageFlags2 kScratch = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  constexpr VkBufferUsageFlags2 kScratchBelow =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  return IsScratchUsage(usage) ? (usage & ~kScratch) | kScratchBelow : usage;
}

// The usage that counts: that of VkBufferUsageFlags2CreateInfo if there is one in the chain.
template <typename Info>
[[nodiscard]] VkBufferUsageFlags2 EffectiveUsage(const Info& info) {
  const auto* flags2 = FindStruct<VkBufferUsageFlags2CreateInfo>(info.pNext);
  return flags2 ? flags2->usage : info.usage;
}

// For the structures that have `pNext` and a 32-bit `usage`. `info` itself if nothing has to change, else an edited
// copy in the arena. With `flatten_usage2` the layer below does not know VkBufferUsageFlags2CreateInfo: its low half
// goes into the 32-bit member and the structure out of the chain.
template <typename Info>
[[nodiscard]] const Info* EditBufferUsage(const Info& info, bool flatten_usage2, Arena& arena) {
  const VkBufferUsageFlags2 usage = EffectiveUsage(info);
  const bool has_flags2 = FindStruct<VkBufferUsageFlags2CreateInfo>(info.pNext) != nullptr;
  const bool flatten = has_flags2 && flatten_usage2;
  if (!IsScratchUsage(usage) && !flatten) return &info;

  Info* copy = arena.Copy(info);
  const VkBufferUsageFlags2 below = TranslateBufferUsage(usage);
  if (flatten) RemoveFromChain(copy, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO, arena);
  if (has_flags2 && !flatten) {
    EditStruct<VkBufferUsageFlags2CreateInfo>(copy, arena)->usage = below;
  } else {
    copy->usage = static_cast<VkBufferUsageFlags>(below);
  }
  return copy;
}

}  // namespace trellis
