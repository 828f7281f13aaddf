// SPDX-License-Identifier: Apache-2.0
// Between two levels: turns what one level appended into launches of the next, and opens the regions that the next one appends to.
//
// Workgroups [0, part_count): one per part of a launch. The ones after them: one region per invocation.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "check_grids.glsl"
#include "launch_size.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

// Returns the address of the launch's record state. Null if it has none, or no memory for it.
uvec2 FindRecordState(SizingPlan plan, LaunchPlan launch, uint records) {
  const uvec2 regions = CurrentRegions(plan.consumed);
  RegionReference region = RegionOf(regions, launch.slot);
  if (launch.state_words == kNoRecordState) return uvec2(0u);
  if (region.region.state_words == 0u) return RecordStateOf(region, launch.state_words_before);
  // All numbers of records are known, so everyone finds the same places.
  uint own = 0u;
  for (uint i = gl_LocalInvocationIndex; i < launch.first_with_state; i += kLevelsWorkgroup) {
    const LaunchPlan other = LaunchPlanReference(plan.launches).at[i];
    RegionReference before = RegionOf(regions, other.slot);
    if (other.first_with_state == i) own = SaturatingAdd(own, StateUnits(before, RecordsIn(before)));
  }
  uint all;
  ScanWorkgroup(own, all);
  return RecordStateInPool(region, RegionOf(regions, ControlBlockReference(plan.control).control.heap_slot), all, launch.state_words_before, records);
}

// Called by all invocations of a workgroup.
void PrepareLaunch(SizingPlan plan, Share share) {
  const LaunchPlan launch = LaunchPlanReference(plan.launches).at[share.launch];
  RegionReference region = RegionOf(CurrentRegions(plan.consumed), launch.slot);
  const uint present = RecordsIn(region);
  if (share.part != 0u && IsEmpty(PartOf(share, present))) return;
  const uvec2 record_state = FindRecordState(plan, launch, present);
  const uint records = launch.state_words != kNoRecordState && IsNull(record_state) ? 0u : present;
  LaunchSize size;
  SearchIndex search_index;
  const bool is_known = SizeLaunch(plan, launch, share, region, records, record_state, size, search_index);
  if (kValidate && launch.kind == kLaunchDynamicGrid) CheckGrids(plan, launch, region, PartOf(share, records));
  if (!is_known || gl_LocalInvocationIndex != 0u) return;
  Records taken = region.region.records;
  taken.count = size.records;
  const LaunchInput whole_launch = LaunchInput(taken, record_state, size.workgroups, 0u, search_index.address, search_index.shift, size.slices);
  if (IsDrawn(launch)) {
    WriteDraws(plan, launch, whole_launch);
  } else {
    InputOf(plan, launch.position).launch = whole_launch;
    ArgumentsReference(plan.arguments).at[launch.position] =
        SplitIntoRows(DispatchedWorkgroups(launch, size.workgroups), plan.max_workgroups_x, size.slices);
  }
  // Losses of the allocation, once for all launches of the region; and records beyond the maximum of slices.
  const uint lost = plan.reports_losses != 0u && launch.identity == launch.slot ? LostOf(region) : 0u;
  ReportLoss(plan.reports, plan.origin, launch.identity, plan.level, SaturatingAdd(lost, present - size.records));
}

void ReportHeapLoss(SizingPlan plan) {
  if (plan.heap_slot == kNoSlot) return;
  ReportLoss(plan.reports, plan.origin, plan.heap_slot, plan.level, RegionOf(plan.consumed, plan.heap_slot).region.lost);
}

void main() {
  const SizingPlan plan = SizingPlanReference(push.plan).plan;
  const ControlBlock control = ControlBlockReference(plan.control).control;
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (workgroup < plan.part_count) {
    if (workgroup == 0u && gl_LocalInvocationIndex == 0u) ReportHeapLoss(plan);
    PrepareLaunch(plan, ShareOf(plan, workgroup));
  } else {
    const uint opening = (workgroup - plan.part_count) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (opening < plan.opening_count) OpenRegion(plan.regions, control.ring, control.dump, RegionPlanReference(plan.openings).at[opening]);
  }
}
