// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/begin_chain.h"

#include <algorithm>

#include "layer/dispatch/struct_chain.h"

namespace trellis {
namespace {

const char* NameForeignStruct(VkStructureType type) {
  switch (type) {
    case VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT:
      return "multisampled rendering to single-sampled attachments does not store all samples";
    case VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT:
    case VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT:
      return "it has a fragment density map";
    case VK_STRUCTURE_TYPE_RENDER_PASS_STRIPE_BEGIN_INFO_ARM:
      return "it is rendered in stripes";
    default:
      return "its pNext chains hold a structure that Trellis does not know to be harmless there";
  }
}

void CopySampleLocations(VkSampleLocationsInfoEXT& info, Arena& arena) {
  info.pNext = nullptr;
  info.pSampleLocations = arena.CopyArray(info.pSampleLocations, info.sampleLocationsCount);
}

// The layout transitions of a second part begin with the sample locations that the first part ends with.
void CopySampleLocations(VkRenderPassSampleLocationsBeginInfoEXT& info, uint32_t depth_attachment, Arena& arena) {
  auto* const after = arena.CopyArray(info.pPostSubpassSampleLocations, info.postSubpassSampleLocationsCount);
  for (uint32_t i = 0; i < info.postSubpassSampleLocationsCount; ++i)
    CopySampleLocations(after[i].sampleLocationsInfo, arena);
  info.pPostSubpassSampleLocations = after;
  if (depth_attachment != VK_ATTACHMENT_UNUSED && info.postSubpassSampleLocationsCount != 0) {
    info.attachmentInitialSampleLocationsCount = 1;
    info.pAttachmentInitialSampleLocations =
        arena.Copy(VkAttachmentSampleLocationsEXT{depth_attachment, after[0].sampleLocationsInfo});
    return;
  }
  auto* const initial =
      arena.CopyArray(info.pAttachmentInitialSampleLocations, info.attachmentInitialSampleLocationsCount);
  for (uint32_t i = 0; i < info.attachmentInitialSampleLocationsCount; ++i)
    CopySampleLocations(initial[i].sampleLocationsInfo, arena);
  info.pAttachmentInitialSampleLocations = initial;
}

void CopyArrays(VkBaseOutStructure* copy, uint32_t depth_attachment, Arena& arena) {
  switch (copy->sType) {
    case VK_STRUCTURE_TYPE_DEVICE_GROUP_RENDER_PASS_BEGIN_INFO: {
      auto& info = *reinterpret_cast<VkDeviceGroupRenderPassBeginInfo*>(copy);
      info.pDeviceRenderAreas = arena.CopyArray(info.pDeviceRenderAreas, info.deviceRenderAreaCount);
      break;
    }
    case VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO: {
      auto& info = *reinterpret_cast<VkRenderPassAttachmentBeginInfo*>(copy);
      info.pAttachments = arena.CopyArray(info.pAttachments, info.attachmentCount);
      break;
    }
    case VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_RENDER_AREAS_RENDER_PASS_BEGIN_INFO_QCOM: {
      auto& info = *reinterpret_cast<VkMultiviewPerViewRenderAreasRenderPassBeginInfoQCOM*>(copy);
      info.pPerViewRenderAreas = arena.CopyArray(info.pPerViewRenderAreas, info.perViewRenderAreaCount);
      break;
    }
    case VK_STRUCTURE_TYPE_RENDER_PASS_SAMPLE_LOCATIONS_BEGIN_INFO_EXT:
      CopySampleLocations(*reinterpret_cast<VkRenderPassSampleLocationsBeginInfoEXT*>(copy), depth_attachment, arena);
      break;
    default:
      break;
  }
}

}  // namespace

SplitObstacle FindForeignStruct(const void* chain, std::span<const VkStructureType> known) {
  for (auto at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext)
    if (std::find(known.begin(), known.end(), at->sType) == known.end())
      return {NameForeignStruct(at->sType), at->sType};
  return {};
}

const void* CopyBeginChain(const void* chain, Arena& arena, uint32_t depth_attachment) {
  VkBaseOutStructure head = {};
  VkBaseOutStructure* last = &head;
  for (auto at = static_cast<const VkBaseInStructure*>(chain); at != nullptr; at = at->pNext) {
    last->pNext = static_cast<VkBaseOutStructure*>(arena.Copy(at, StructSize(at->sType)));
    last = last->pNext;
    last->pNext = nullptr;
    CopyArrays(last, depth_attachment, arena);
  }
  return head.pNext;
}

}  // namespace trellis
