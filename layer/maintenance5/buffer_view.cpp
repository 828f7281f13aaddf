// SPDX-License-Identifier: Apache-2.0
#include "layer/maintenance5/buffer_view.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

const VkBufferViewCreateInfo* WithoutBufferUsage2(const VkBufferViewCreateInfo& info, Arena& arena) {
  constexpr VkStructureType kType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
  if (!FindInChain(info.pNext, kType)) return &info;
  VkBufferViewCreateInfo* copy = arena.Copy(info);
  RemoveFromChain(copy, kType, arena);
  return copy;
}

}  // namespace trellis
