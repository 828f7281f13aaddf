// Bounded mode, one workgroup: sizes the launches that read what the last step sent, and lets the last turn that has anything to do run a portion.
#version 460
#extension GL_GOOGLE_include_directive : require

#include "../shared/kernel.glsl"
#include "../shared/regions.glsl"
#include "check_grids.glsl"
#include "launch_size.glsl"

layout(local_size_x = 128) in;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer StepPlanReference { StepPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer StepLaunchReference { StepLaunch step; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer StepTurnReference { StepTurn turn; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer StepStateReference { StepState state; };

const uint kStepLaunchBytes = 88u;
const uint kStepTurnBytes = 16u;

// Between these stand the launches that keep notes.
shared uint noted_begin;
shared uint noted_end;
shared uint chosen_turn;  // one more than its number; 0: none has anything to do

StepLaunch LoadStepLaunch(StepPlan plan, uint index) { return StepLaunchReference(ElementAddress(plan.launches, index, kStepLaunchBytes)).step; }
StepTurn LoadStepTurn(StepPlan plan, uint index) { return StepTurnReference(ElementAddress(plan.turns, index, kStepTurnBytes)).turn; }

// Workgroups of the launch's queue. Those that have run, or are running, are LaunchInput::workgroup_count.
UintReference TotalOf(StepPlan plan, uint index) { return UintReference(ElementAddress(plan.totals, index, 4u)); }
LaunchInputReference InputOf(ClosePlan close, uint index) { return LaunchInputReference(ElementAddress(close.inputs, index, kLaunchInputBytes)); }

// One invocation alone reads and writes what is kept about a launch.
bool IsMine(uint index) { return index % kLevelsWorkgroup == gl_LocalInvocationIndex; }
uint FirstOfMine(uint begin) { return begin + (gl_LocalInvocationIndex + kLevelsWorkgroup - begin % kLevelsWorkgroup) % kLevelsWorkgroup; }

void SetQueue(StepPlan plan, ClosePlan close, uint index, Records records, uvec2 notes, uint workgroups) {
  InputOf(close, index).launch = LaunchInput(records, notes, 0u, 0u, uvec2(0u), 0u, 0u);
  TotalOf(plan, index).value = workgroups;
}

void StartRoots(StepPlan plan, ClosePlan close) {
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    const uvec2 root = LoadStepLaunch(plan, index).root;
    LaunchInput from = LaunchInput(DenseRecords(uvec2(0u), 0u, 0u), uvec2(0u), 0u, 0u, uvec2(0u), 0u, 0u);
    if (!IsNull(root)) from = LaunchInputReference(root).launch;
    SetQueue(plan, close, index, from.records, from.notes, from.workgroup_count);
  }
}

uint RecordsIn(RegionReference region) { return min(region.region.reserved, region.region.records.count); }

void SetSize(StepPlan plan, ClosePlan close, uint index, StepLaunch step, uvec2 notes, LaunchSize size) {
  RegionReference region = RegionOf(close.regions, step.region);
  ReportLoss(close.reports, close.origin, step.launch.identity, step.level, RecordsIn(region) - size.records);
  Records taken = region.region.records;
  taken.count = size.records;
  SetQueue(plan, close, index, taken, notes, size.workgroups);
}

// The launches [begin, end) that keep no notes. Tells where the others are.
void SizePlainLaunches(StepPlan plan, ClosePlan close, uint begin, uint end) {
  if (gl_LocalInvocationIndex == 0u) {
    noted_begin = 0xffffffffu;
    noted_end = 0u;
  }
  barrier();
  for (uint index = FirstOfMine(begin); index < end; index += kLevelsWorkgroup) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    if (step.launch.note_words != kNoNotes) {
      atomicMin(noted_begin, index);
      atomicMax(noted_end, index + 1u);
      continue;
    }
    const uint records = RecordsIn(RegionOf(close.regions, step.region));
    const uint most = MostWorkgroups(close);
    SetSize(plan, close, index, step, uvec2(0u),
            step.launch.kind == kLaunchStaticGrid ? SizeStaticGrid(step.launch, records, most) : SizeCoalescing(step.launch, records, most));
  }
  barrier();
}

// Called by all invocations, with the same arguments.
void SizeNotedLaunch(StepPlan plan, ClosePlan close, uint index, StepLaunch step) {
  RegionReference region = RegionOf(close.regions, step.region);
  const uint records = RecordsIn(region);
  const uvec2 notes = NotesOf(region, step.launch.notes_before);
  const Share whole = Share(index, 0u, 1u);
  LaunchSize size;
  Landmarks none;
  const bool is_known = SizeLaunch(close, step.launch, whole, region, records, notes, size, none);
  close.level = step.level;
  if (kValidate && step.launch.kind == kLaunchDynamicGrid) CheckGrids(close, step.launch, region, PartOf(whole, records));
  if (is_known && IsMine(index)) SetSize(plan, close, index, step, notes, size);
  barrier();
}

void SizeLaunches(StepPlan plan, ClosePlan close, uint begin, uint end) {
  SizePlainLaunches(plan, close, begin, end);
  const uint last = noted_end;
  for (uint index = noted_begin; index < last; ++index) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    if (step.launch.note_words != kNoNotes) SizeNotedLaunch(plan, close, index, step);
  }
}

void ChooseTurn(StepPlan plan, ClosePlan close) {
  if (gl_LocalInvocationIndex == 0u) chosen_turn = 0u;
  barrier();
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    if (TotalOf(plan, index).value != InputOf(close, index).launch.workgroup_count) atomicMax(chosen_turn, LoadStepLaunch(plan, index).turn + 1u);
  }
  barrier();
}

// All that read the regions are deeper, and so they have nothing left.
void OpenRegionsOf(StepPlan plan, ClosePlan close, StepTurn turn) {
  const ControlBlock control = ControlBlockReference(close.control).control;
  for (uint i = turn.opening_begin + gl_LocalInvocationIndex; i < turn.opening_end; i += kLevelsWorkgroup) {
    const RegionPlan opening = LoadRegionPlan(plan.openings, i);
    RegionReference region = RegionOf(close.regions, opening.region);
    const uint lost = region.region.lost;
    OpenRegion(close.regions, control.ring, control.dump, opening);
    region.region.lost = lost;  // report_losses tells of it
  }
}

void RunChosenTurn(StepPlan plan, ClosePlan close) {
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    const StepLaunch step = LoadStepLaunch(plan, index);
    LaunchInputReference from = InputOf(close, index);
    uint workgroups = 0u;
    if (step.turn + 1u == chosen_turn) {
      const uint first = from.launch.workgroup_count;
      const uint left = TotalOf(plan, index).value - first;
      workgroups = min(min(PackedWorkgroups(step.launch, left), step.quota) * step.launch.packed, left);
      from.launch.first_workgroup = first;
      from.launch.workgroup_count = first + workgroups;
    }
    ArgumentsReference(ElementAddress(close.arguments, index, kArgumentsBytes)).arguments =
        SplitIntoRows(DispatchedWorkgroups(step.launch, workgroups), close.max_workgroups_x);
  }
  if (chosen_turn != 0u) OpenRegionsOf(plan, close, LoadStepTurn(plan, chosen_turn - 1u));
}

// Records of which all workgroups have run.
uint RecordsDone(LaunchPlan launch, LaunchInput from) {
  const uint workgroups = from.workgroup_count;
  if (workgroups == 0u) return 0u;
  if (launch.kind == kLaunchStaticGrid) return workgroups / GridWorkgroups(launch);
  if (launch.kind == kLaunchCoalescing) return min(SaturatingMultiply(workgroups, launch.coalesce), from.records.count);
  // The last record whose first workgroup is not above the number of those that have run: it is not done with.
  uint low = 0u;
  uint high = from.records.count;
  while (high - low > 1u) {
    const uint middle = low + (high - low) / 2u;
    if (UintReference(ElementAddress(from.notes, middle, launch.note_words * 4u)).value <= workgroups) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void ReportWhatIsLeft(StepPlan plan, ClosePlan close, uint steps) {
  for (uint index = gl_LocalInvocationIndex; index < plan.launch_count; index += kLevelsWorkgroup) {
    const LaunchInput from = InputOf(close, index).launch;
    if (TotalOf(plan, index).value == from.workgroup_count) continue;
    const StepLaunch step = LoadStepLaunch(plan, index);
    const uint left = from.records.count - RecordsDone(step.launch, from);
    Report(close.reports, LossReport(close.origin, kReportLeft, step.launch.identity, step.level, 0u, left));
  }
  if (gl_LocalInvocationIndex == 0u && plan.reported_steps != 0u)
    Report(close.reports, LossReport(close.origin, kReportSteps, 0u, 0u, plan.reported_steps, steps));
}

void main() {
  const StepPlan plan = StepPlanReference(push.plan).plan;
  const ClosePlan close = ClosePlanReference(plan.close).plan;
  StepState state = StepState(kNoSlot, 0u);
  StepTurn sent = StepTurn(0u, 0u, 0u, 0u);
  if (plan.phase == kFirstStep) {
    StartRoots(plan, close);
    sent.consumer_end = plan.entry_launches;
  } else {
    state = StepStateReference(plan.state).state;
    // Nothing ran, so nothing was sent; no launch has had any workgroups since then, and none will.
    if (plan.phase == kLaterStep && state.turn == kNoSlot) return;
    if (state.turn != kNoSlot) sent = LoadStepTurn(plan, state.turn);
  }
  if (sent.consumer_begin < sent.consumer_end) SizeLaunches(plan, close, sent.consumer_begin, sent.consumer_end);
  if (plan.phase == kAfterSteps) {
    ReportWhatIsLeft(plan, close, state.steps);
    return;
  }
  ChooseTurn(plan, close);
  RunChosenTurn(plan, close);
  if (gl_LocalInvocationIndex == 0u) StepStateReference(plan.state).state = StepState(chosen_turn - 1u, state.steps + uint(chosen_turn != 0u));
}
