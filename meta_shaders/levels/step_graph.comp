// SPDX-License-Identifier: Apache-2.0
// Bounded mode, one workgroup: sizes the launches that read what the last step sent, and lets the deepest level that has anything to do run a portion.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "../shared/step_plan.h"
#include "check_grids.glsl"
#include "launch_size.glsl"

layout(local_size_x = kLevelsWorkgroup) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer StepPlanReference { StepPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer StepLaunchReference { StepLaunch at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer StepLevelReference { StepLevel at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer StepStateReference { StepState state; };

// Between these stand the launches that keep record state.
shared uint stateful_begin;
shared uint stateful_end;
shared uint chosen_level;  // one more than its number; 0: none has anything to do

StepLaunch LoadStepLaunch(StepPlan plan, uint index) { return StepLaunchReference(plan.launches).at[index]; }
StepLevel LoadStepLevel(StepPlan plan, uint level) { return StepLevelReference(plan.levels).at[level]; }

// Workgroups of the launch's queue. Those that have run, or are running, are LaunchInput::workgroup_count.
UintReference TotalOf(StepPlan plan, uint index) { return UintReference(ElementAddress(plan.totals, index, 4u)); }

// One invocation alone reads and writes what is kept about a launch.
bool IsMine(uint index) { return index % kLevelsWorkgroup == gl_LocalInvocationIndex; }
uint FirstOfMine(uint begin) { return begin + (gl_LocalInvocationIndex + kLevelsWorkgroup - begin % kLevelsWorkgroup) % kLevelsWorkgroup; }

// Launches that send nothing run whole: no portion ends in one of their slices. Those of others wait, and run one after the other.
void SetQueue(StepPlan plan, SizingPlan sizing, uint index, uint load, LaunchInput whole) {
  const bool waits = load != 0u && whole.slices > 1u;
  TotalOf(plan, index).value = waits ? 0u : whole.workgroup_count;
  whole.workgroup_count = 0u;
  if (whole.slices <= 1u) whole.slices = 0u;
  if (waits) {
    whole.slices = whole.records.count;
    whole.records.count = 0u;
  }
  InputOf(sizing, index).launch = whole;
}

// To the next slice of a launch, when all workgroups of the one before have run.
void TakeSlice(StepPlan plan, SizingPlan sizing, uint index, LaunchPlan launch) {
  LaunchInputReference from = InputOf(sizing, index);
  const uint first = from.launch.records.count;
  uint records;
  uint workgroups;
  if (launch.kind == kLaunchStaticGrid) {
    const uint each = GridWorkgroups(launch);
    records = min(from.launch.slices, MaxWorkgroups(sizing) / each);
    workgroups = records * each;
  } else {
    SliceReference table = SliceReference(from.launch.search_index);
    uint slice = 0u;
    while (table.at[slice].first_record != first && slice + 1u < kMaxSlices) ++slice;
    records = table.at[slice + 1u].first_record - first;
    workgroups = table.at[slice].workgroup_count;
  }
  from.launch.records.first = first;
  from.launch.records.count = first + records;
  from.launch.slices -= records;
  from.launch.workgroup_count = 0u;
  TotalOf(plan, index).value = workgroups;
}

void StartRoots(StepPlan plan, SizingPlan sizing) {
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    LaunchInput from = LaunchInput(Records(uvec2(0u), uvec2(0u), 0u, 0u, 0u, 0u), uvec2(0u), 0u, 0u, uvec2(0u), 0u, 1u);
    if (!IsNull(step.root)) from = LaunchInputReference(step.root).launch;
    SetQueue(plan, sizing, index, step.load, from);
  }
}

void SetSize(StepPlan plan, SizingPlan sizing, uint index, StepLaunch step, uvec2 record_state, LaunchSize size, uvec2 slices) {
  RegionReference region = RegionOf(sizing.regions, step.region);
  ReportLoss(sizing.reports, sizing.origin, step.launch.identity, step.level, RecordsIn(region) - size.records);
  Records taken = region.region.records;
  taken.count = size.records;
  SetQueue(plan, sizing, index, step.load, LaunchInput(taken, record_state, size.workgroups, 0u, slices, 0u, size.slices));
}

// The launches [begin, end) that keep no record state. Tells where the others are.
void SizePlainLaunches(StepPlan plan, SizingPlan sizing, uint begin, uint end) {
  if (gl_LocalInvocationIndex == 0u) {
    stateful_begin = 0xffffffffu;
    stateful_end = 0u;
  }
  barrier();
  for (uint index = FirstOfMine(begin); index < end; index += kLevelsWorkgroup) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    if (step.launch.state_words != kNoRecordState) {
      atomicMin(stateful_begin, index);
      atomicMax(stateful_end, index + 1u);
      continue;
    }
    const uint records = RecordsIn(RegionOf(sizing.regions, step.region));
    const uint max_workgroups = MaxWorkgroupsOf(sizing, step.launch);
    SetSize(plan, sizing, index, step, uvec2(0u),
            step.launch.kind == kLaunchStaticGrid ? SizeStaticGrid(step.launch, records, max_workgroups) : SizeCoalescing(step.launch, records, max_workgroups),
            uvec2(0u));
  }
  barrier();
}

// Called by all invocations, with the same arguments. `units_before`: those that the pool gives to regions before this one.
void SizeStatefulLaunch(StepPlan plan, SizingPlan sizing, uint index, StepLaunch step, uint units_before) {
  RegionReference region = RegionOf(sizing.regions, step.region);
  const uint records = RecordsIn(region);
  const uvec2 record_state =
      region.region.state_words == 0u ? RecordStateOf(region, step.launch.state_words_before)
                                      : RecordStateInPool(region, RegionOf(sizing.regions, step.pool), units_before, step.launch.state_words_before, records);
  const Share whole = Share(index, 0u, 1u);
  LaunchSize size;
  SearchIndex slices;  // summed_count is 0: there is no search index
  const bool is_known = SizeLaunch(sizing, step.launch, whole, region, records, record_state, size, slices);
  sizing.level = step.level;
  if (kValidate && step.launch.kind == kLaunchDynamicGrid) CheckGrids(sizing, step.launch, region, PartOf(whole, records));
  if (is_known && IsMine(index)) SetSize(plan, sizing, index, step, record_state, size, slices.address);
  // One invocation has written the table of slices, and another one may take the first slice.
  memoryBarrierBuffer();
  barrier();
}

void SizeLaunches(StepPlan plan, SizingPlan sizing, uint begin, uint end) {
  SizePlainLaunches(plan, sizing, begin, end);
  const uint last = stateful_end;
  uint taken = 0u;   // units of the pool
  uint before = 0u;  // by regions before that of the launch; launches of one region stand together
  uint current = kNoSlot;
  for (uint index = stateful_begin; index < last; ++index) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    if (step.launch.state_words == kNoRecordState) continue;
    if (step.region != current) {
      RegionReference region = RegionOf(sizing.regions, step.region);
      before = taken;
      taken = SaturatingAdd(taken, StateUnits(region, RecordsIn(region)));
      current = step.region;
    }
    SizeStatefulLaunch(plan, sizing, index, step, before);
  }
}

// Whether all workgroups of the launch's queue have run. More may wait.
bool IsDone(StepPlan plan, SizingPlan sizing, uint index) { return TotalOf(plan, index).value == InputOf(sizing, index).launch.workgroup_count; }

void ChooseLevel(StepPlan plan, SizingPlan sizing) {
  if (gl_LocalInvocationIndex == 0u) chosen_level = 0u;
  barrier();
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    if (IsDone(plan, sizing, index) && InputOf(sizing, index).launch.slices != 0u) {
      const StepLaunch step = LoadStepLaunch(plan, index);
      if (step.load != 0u) TakeSlice(plan, sizing, index, step.launch);
    }
    if (!IsDone(plan, sizing, index)) atomicMax(chosen_level, LoadStepLaunch(plan, index).level + 1u);
  }
  barrier();
}

// All that read the regions are deeper, and so they have nothing left.
void OpenRegionsOf(StepPlan plan, SizingPlan sizing, StepLevel level) {
  const ControlBlock control = ControlBlockReference(sizing.control).control;
  for (uint i = level.opening_begin + gl_LocalInvocationIndex; i < level.opening_end; i += kLevelsWorkgroup) {
    const RegionPlan opening = RegionPlanReference(plan.openings).at[i];
    RegionReference region = RegionOf(sizing.regions, opening.region);
    const uint lost = LostOf(region);
    OpenRegion(sizing.regions, control.ring, control.dump, opening);
    region.region.lost = lost;  // report_losses tells of it
  }
}

// Workgroups of the dispatch that the next level's queue has room for, when the launches before have sent `before`.
uint PortionOf(StepLaunch step, uint workgroups, uint before) {
  if (step.load == 0u) return workgroups;
  return before >= kWholeQueue ? 0u : min(workgroups, (kWholeQueue - before) / step.load);
}

// Starts the chosen level: its first launches run whole, one in part, and those behind it not at all.
void RunChosenLevel(StepPlan plan, SizingPlan sizing) {
  uint before = 0u;
  for (uint chunk = 0u; chunk < plan.launch_count; chunk += kLevelsWorkgroup) {
    const uint index = chunk + gl_LocalInvocationIndex;
    const bool exists = index < plan.launch_count;
    const StepLaunch step = LoadStepLaunch(plan, min(index, plan.launch_count - 1u));
    LaunchInputReference from = InputOf(sizing, min(index, plan.launch_count - 1u));
    const bool may_run = exists && step.level + 1u == chosen_level;
    const uint first = may_run ? from.launch.workgroup_count : 0u;
    const uint left = may_run ? TotalOf(plan, index).value - first : 0u;
    const uint packed = PackedWorkgroups(step.launch, left);
    uint total;
    const uint own_before = SaturatingAdd(before, ScanWorkgroup(SaturatingMultiply(packed, step.load), total));
    before = SaturatingAdd(before, total);
    const uint workgroups = min(SaturatingMultiply(PortionOf(step, packed, own_before), step.launch.packed), left);
    if (may_run) {
      from.launch.first_workgroup = first;
      from.launch.workgroup_count = first + workgroups;
    }
    if (exists && IsDrawn(step.launch)) {
      LaunchInput drawn = from.launch;
      drawn.workgroup_count = workgroups;  // all of the launch: a draw enqueues nothing
      WriteDraws(sizing, step.launch, drawn);
    } else if (exists) {
      ArgumentsReference(sizing.arguments).at[index] =
          SplitIntoRows(DispatchedWorkgroups(step.launch, workgroups), sizing.max_workgroups_x, step.load == 0u ? max(from.launch.slices, 1u) : 1u);
    }
  }
  if (chosen_level != 0u) OpenRegionsOf(plan, sizing, LoadStepLevel(plan, chosen_level - 1u));
}

// Records of which all workgroups have run.
uint RecordsDone(LaunchPlan launch, LaunchInput from) {
  const uint workgroups = from.workgroup_count;
  if (workgroups == 0u) return from.records.first;
  if (launch.kind == kLaunchStaticGrid) return from.records.first + workgroups / GridWorkgroups(launch);
  if (launch.kind == kLaunchCoalescing) return min(SaturatingMultiply(workgroups, launch.coalesce), from.records.count);
  // The last record whose first workgroup is not above the number of those that have run: it is not done with.
  return FindNotAbove(from.record_state, launch.state_words * 4u, from.records.first, from.records.count, workgroups);
}

void ReportWhatIsLeft(StepPlan plan, SizingPlan sizing, uint steps) {
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    const LaunchInput from = InputOf(sizing, index).launch;
    const StepLaunch step = LoadStepLaunch(plan, index);
    uint left = step.load != 0u ? from.slices : 0u;
    if (!IsDone(plan, sizing, index)) left += from.records.count - RecordsDone(step.launch, from);
    Report(sizing.reports, DeviceReport(sizing.origin, kReportLeft, step.launch.identity, step.level, 0u, left));
  }
  if (gl_LocalInvocationIndex == 0u && plan.reported_steps != 0u)
    Report(sizing.reports, DeviceReport(sizing.origin, kReportSteps, 0u, 0u, plan.reported_steps, steps));
}

// The launches of the first level, or those behind the level that ran in the last step.
uvec2 LaunchesToSize(StepPlan plan, StepState state) {
  if (plan.phase == kFirstStep) return uvec2(0u, plan.entry_launches);
  if (state.level == kNoSlot || state.level + 1u == plan.level_count) return uvec2(0u);
  const StepLevel level = LoadStepLevel(plan, state.level + 1u);
  return uvec2(level.launch_begin, level.launch_end);
}

void main() {
  const StepPlan plan = StepPlanReference(push.plan).plan;
  const SizingPlan sizing = SizingPlanReference(plan.sizing).plan;
  StepState state = StepState(kNoSlot, 0u);
  if (plan.phase == kFirstStep) {
    StartRoots(plan, sizing);
  } else {
    state = StepStateReference(plan.state).state;
    // Nothing ran, so nothing was sent; no launch has had any workgroups since then, and none will.
    if (plan.phase == kLaterStep && state.level == kNoSlot) return;
  }
  const uvec2 arrived = LaunchesToSize(plan, state);
  if (arrived.x < arrived.y) SizeLaunches(plan, sizing, arrived.x, arrived.y);
  if (plan.phase == kAfterSteps) {
    ReportWhatIsLeft(plan, sizing, state.steps);
    return;
  }
  ChooseLevel(plan, sizing);
  RunChosenLevel(plan, sizing);
  if (gl_LocalInvocationIndex == 0u) StepStateReference(plan.state).state = StepState(chosen_level - 1u, state.steps + uint(chosen_level != 0u));
}
