// SPDX-License-Identifier: Apache-2.0
// Entry, first pass: adds up the payloads that every slot gets, in Region::reserved, and reports what is wrong with the infos. The workgroup that is done
// last places the regions.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "check_infos.glsl"
#include "infos.glsl"
#include "place_regions.glsl"

layout(local_size_x = kEntryWorkgroup) in;

// Infos of a tile mostly name the same node: those that name the node of the first one are added up before they meet the counter.
shared uint common_slot;
shared uint common_sum;
shared uint done_before;

void CountTile(EntryPlan plan, InfoArray infos, uint index) {
  EntryInfo info;
  info.slot = kNoSlot;
  info.count = 0u;
  if (index < infos.count) {
    info = LoadInfo(plan, infos, index);
    CheckInfo(plan, info);
  }
  if (gl_LocalInvocationIndex == 0u) {
    common_slot = info.slot;
    common_sum = 0u;
  }
  barrier();
  if (info.slot != kNoSlot && info.count != 0u) {
    // So that no sum of a workgroup wraps.
    if (info.slot == common_slot && info.count <= kMaxPlainCount) {
      atomicAdd(common_sum, info.count);
    } else {
      ReserveRanks(RegionOf(plan.regions, info.slot), info.count);
    }
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u && common_sum != 0u) ReserveRanks(RegionOf(plan.regions, common_slot), common_sum);
}

// Whether all other workgroups are done. None waits for another one.
bool IsLast(EntryPlan plan) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0u) done_before = atomicAdd(ControlBlockReference(plan.control).control.workgroups_done, 1u);
  barrier();
  memoryBarrierBuffer();
  return done_before == gl_NumWorkGroups.x - 1u;
}

void main() {
  const EntryPlan plan = EntryPlanReference(push.plan).plan;
  const InfoArray infos = LoadInfoArray(plan);
  BeginChecks();
  const uint tiles = DivideUp(infos.count, kEntryWorkgroup);
  for (uint tile = gl_WorkGroupID.x; tile < tiles; tile += gl_NumWorkGroups.x)
    CountTile(plan, infos, tile * kEntryWorkgroup + gl_LocalInvocationIndex);
  ReportChecks(plan);
  if (gl_GlobalInvocationID.x == 0u) CheckCountInfo(plan);
  if (IsLast(plan)) PlaceRegions(plan);
}
