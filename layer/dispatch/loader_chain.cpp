// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/loader_chain.h"

#include "layer/dispatch/struct_chain.h"

namespace trellis {

namespace {

template <typename LoaderInfo>
const LoaderInfo* FindLoaderInfo(const void* chain, VkLayerFunction function) {
  while (const auto* info = FindStruct<LoaderInfo>(chain)) {
    if (info->function == function) return info;
    chain = info->pNext;
  }
  return nullptr;
}

// The loader's structures of one type differ in what they are for: all of them up to the one that is wanted are copied.
template <typename Link, typename LoaderInfo, typename Info>
Link* TakeLink(Info& info, Arena& arena) {
  void* head = &info;
  while (auto* copy = EditStruct<LoaderInfo>(head, arena)) {
    if (copy->function == VK_LAYER_LINK_INFO) {
      Link* link = copy->u.pLayerInfo;
      if (link) copy->u.pLayerInfo = link->pNext;
      return link;
    }
    head = copy;
  }
  return nullptr;
}

}  // namespace

VkLayerInstanceLink* TakeInstanceLink(VkInstanceCreateInfo& info, Arena& arena) {
  return TakeLink<VkLayerInstanceLink, VkLayerInstanceCreateInfo>(info, arena);
}

VkLayerDeviceLink* TakeDeviceLink(VkDeviceCreateInfo& info, Arena& arena) {
  return TakeLink<VkLayerDeviceLink, VkLayerDeviceCreateInfo>(info, arena);
}

PFN_vkSetDeviceLoaderData FindSetDeviceLoaderData(const void* chain) {
  const auto* info = FindLoaderInfo<VkLayerDeviceCreateInfo>(chain, VK_LOADER_DATA_CALLBACK);
  return info ? info->u.pfnSetDeviceLoaderData : nullptr;
}

}  // namespace trellis
