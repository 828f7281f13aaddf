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

// Of the launch. Null if there are none, or no memory for them.
uvec2 FindNotes(ClosePlan plan, LaunchPlan launch, uint records) {
  const uvec2 regions = CurrentRegions(plan.consumed);
  RegionReference region = RegionOf(regions, launch.slot);
  if (launch.note_words == kNoNotes) return uvec2(0u);
  if (region.region.note_words == 0u) return NotesOf(region, launch.notes_before);
  // All numbers of records are known, so everyone finds the same places.
  uint own = 0u;
  for (uint i = gl_LocalInvocationIndex; i < launch.first_noted; i += kLevelsWorkgroup) {
    const LaunchPlan other = LaunchPlanReference(plan.launches).at[i];
    RegionReference before = RegionOf(regions, other.slot);
    if (other.first_noted == i) own = SaturatingAdd(own, NoteUnits(before, RecordsIn(before)));
  }
  uint all;
  ScanWorkgroup(own, all);
  return NotesInPool(region, RegionOf(regions, ControlBlockReference(plan.control).control.heap_slot), all, launch.notes_before, records);
}

// Called by all invocations of a workgroup.
void CloseLaunch(ClosePlan plan, Share share) {
  const LaunchPlan launch = LaunchPlanReference(plan.launches).at[share.launch];
  RegionReference region = RegionOf(CurrentRegions(plan.consumed), launch.slot);
  const uint present = RecordsIn(region);
  if (share.part != 0u && IsEmpty(PartOf(share, present))) return;
  const uvec2 notes = FindNotes(plan, launch, present);
  const uint records = launch.note_words != kNoNotes && IsNull(notes) ? 0u : present;
  LaunchSize size;
  Landmarks landmarks;
  const bool is_known = SizeLaunch(plan, launch, share, region, records, notes, size, landmarks);
  if (kValidate && launch.kind == kLaunchDynamicGrid) CheckGrids(plan, launch, region, PartOf(share, records));
  if (!is_known || gl_LocalInvocationIndex != 0u) return;
  Records taken = region.region.records;
  taken.count = size.records;
  const LaunchInput whole_launch = LaunchInput(taken, notes, size.workgroups, 0u, landmarks.address, landmarks.shift, size.slices);
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

void ReportHeapLoss(ClosePlan plan) {
  if (plan.heap_slot == kNoSlot) return;
  ReportLoss(plan.reports, plan.origin, plan.heap_slot, plan.level, RegionOf(plan.consumed, plan.heap_slot).region.lost);
}

void main() {
  const ClosePlan plan = ClosePlanReference(push.plan).plan;
  const ControlBlock control = ControlBlockReference(plan.control).control;
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  if (workgroup < plan.part_count) {
    if (workgroup == 0u && gl_LocalInvocationIndex == 0u) ReportHeapLoss(plan);
    CloseLaunch(plan, ShareOf(plan, workgroup));
  } else {
    const uint opening = (workgroup - plan.part_count) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (opening < plan.opening_count) OpenRegion(plan.regions, control.ring, control.dump, RegionPlanReference(plan.openings).at[opening]);
  }
}
