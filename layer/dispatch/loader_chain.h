// SPDX-License-Identifier: Apache-2.0
// What the loader hands to a layer in the pNext chains of vkCreateInstance and vkCreateDevice.
#pragma once

#include "layer/dispatch/struct_chain.h"

namespace trellis {

// Advances the loader's link in a copy of its structure, so that the next layer finds its own, and returns null when
// the loader gave no link. The loader's structures of one type differ in what they are for: all of them up to the one
// that is wanted are copied. `info` is a copy of the application's create info.
template <typename LoaderInfo, typename Info>
[[nodiscard]] auto TakeLink(Info& info, Arena& arena) -> decltype(LoaderInfo::u.pLayerInfo) {
  void* head = &info;
  while (auto* copy = EditStruct<LoaderInfo>(head, arena)) {
    if (copy->function == VK_LAYER_LINK_INFO) {
      auto* const link = copy->u.pLayerInfo;
      if (link) copy->u.pLayerInfo = link->pNext;
      return link;
    }
    head = copy;
  }
  return nullptr;
}

[[nodiscard]] inline VkLayerInstanceLink* TakeInstanceLink(VkInstanceCreateInfo& info, Arena& arena) {
  return TakeLink<VkLayerInstanceCreateInfo>(info, arena);
}
[[nodiscard]] inline VkLayerDeviceLink* TakeDeviceLink(VkDeviceCreateInfo& info, Arena& arena) {
  return TakeLink<VkLayerDeviceCreateInfo>(info, arena);
}

}  // namespace trellis
