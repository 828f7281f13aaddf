// SPDX-License-Identifier: Apache-2.0
// The infos of a dispatch, as the application left them in device memory.
#ifndef TRELLIS_META_SHADERS_ENTRY_INFOS_GLSL
#define TRELLIS_META_SHADERS_ENTRY_INFOS_GLSL

#include "../shared/entry_plan.h"
#include "../shared/kernel.glsl"
#include "../shared/segments.glsl"


layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer EntryPlanReference { EntryPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer EntryNodeReference { EntryNode at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer EntryStateReference { EntryState state; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer EntryChunkReference { EntryChunk at[]; };

// address + index * stride for a 64-bit stride.
uvec2 StridedAddress(uvec2 address, uint index, uvec2 stride) {
  return AddressAdd64(address, Multiply64(index, stride.x) + uvec2(0u, index * stride.y));
}

struct InfoArray {
  uvec2 base;
  uvec2 stride;
  uint count;
};

// As the application says it.
InfoArray LoadStatedInfos(EntryPlan plan) {
  if (IsNull(plan.count_info)) return InfoArray(plan.infos, plan.info_stride, plan.info_count);
  // VkDispatchGraphCountInfoAMDX: count at 0, infos at 8, stride at 16.
  UintArrayReference words = UintArrayReference(plan.count_info);
  return InfoArray(uvec2(words.at[2], words.at[3]), uvec2(words.at[4], words.at[5]), words.at[0]);
}

// As it can be read.
InfoArray LoadInfoArray(EntryPlan plan) {
  InfoArray infos = LoadStatedInfos(plan);
  if (IsNull(infos.base)) infos.count = 0u;
  return infos;
}

// What one info asks for. A count of 0 is nothing to do.
struct EntryInfo {
  uint slot;  // kNoSlot: the info is ignored, for the reason `defect`
  uint defect;  // kReportNoNode or kReportNoPayloads
  uint payload_bytes;
  uint count;
  uvec2 payloads;
  uvec2 payload_stride;
};

EntryInfo LoadInfo(EntryPlan plan, InfoArray infos, uint index) {
  // VkDispatchGraphInfoAMDX: nodeIndex at 0, payloadCount at 4, payloads at 8, payloadStride at 16. The stride has no alignment rule.
  const uvec2 address = StridedAddress(infos.base, index, infos.stride);
  uint words[6];
  for (uint i = 0u; i < 6u; ++i) words[i] = ReadBytes(AddressAdd(address, i * 4u), 4u);
  EntryNode node = EntryNode(kNoSlot, 0u);
  if (words[0] < plan.node_count) node = EntryNodeReference(plan.nodes).at[words[0]];
  EntryInfo info = EntryInfo(node.slot, kReportNoNode, node.payload_bytes, words[1], uvec2(words[2], words[3]), uvec2(words[4], words[5]));
  if (info.slot != kNoSlot && info.count != 0u && info.payload_bytes != 0u && IsNull(info.payloads)) {
    info.slot = kNoSlot;
    info.defect = kReportNoPayloads;
  }
  return info;
}

// Gives the first of the ranks, which saturate.
uint ReserveRanks(RegionReference region, uint count) {
  if (count <= kMaxPlainCount) {
    const uint before = atomicAdd(region.region.reserved, count);
    if (before >= kMaxCounted) atomicMin(region.region.reserved, kMaxCounted);
    return before;
  }
  uint expected = atomicOr(region.region.reserved, 0u);
  for (;;) {
    const uint before = atomicCompSwap(region.region.reserved, expected, min(SaturatingAdd(expected, count), kMaxCounted));
    if (before == expected) return before;
    expected = before;
  }
}

#endif  // TRELLIS_META_SHADERS_ENTRY_INFOS_GLSL
