#include "layer/dispatch/loader_chain.h"

namespace trellis {

namespace {

template <typename LoaderInfo>
LoaderInfo* FindLoaderInfo(const void* chain, VkStructureType type, VkLayerFunction function) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
    if (at->sType != type) continue;
    auto* info = const_cast<LoaderInfo*>(reinterpret_cast<const LoaderInfo*>(at));
    if (info->function == function) return info;
  }
  return nullptr;
}

}  // namespace

VkLayerInstanceLink* TakeInstanceLink(void* chain) {
  auto* info = FindLoaderInfo<VkLayerInstanceCreateInfo>(chain, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                                         VK_LAYER_LINK_INFO);
  if (!info || !info->u.pLayerInfo) return nullptr;
  VkLayerInstanceLink* link = info->u.pLayerInfo;
  info->u.pLayerInfo = link->pNext;
  return link;
}

VkLayerDeviceLink* TakeDeviceLink(void* chain) {
  auto* info =
      FindLoaderInfo<VkLayerDeviceCreateInfo>(chain, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (!info || !info->u.pLayerInfo) return nullptr;
  VkLayerDeviceLink* link = info->u.pLayerInfo;
  info->u.pLayerInfo = link->pNext;
  return link;
}

PFN_vkSetDeviceLoaderData FindSetDeviceLoaderData(const void* chain) {
  auto* info = FindLoaderInfo<VkLayerDeviceCreateInfo>(chain, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                                       VK_LOADER_DATA_CALLBACK);
  return info ? info->u.pfnSetDeviceLoaderData : nullptr;
}

}  // namespace trellis
