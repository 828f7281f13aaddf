// How many records of a region a launch takes, how many workgroups it needs for them, and its notes about them.
#ifndef TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
#define TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL

#include "../shared/buffers.glsl"
#include "../shared/grid.glsl"
#include "../shared/scan.glsl"

struct LaunchSize {
  uint records;  // fewer than the region holds if a dispatch cannot have the workgroups of all
  uint workgroups;
};

// Workgroups that a dispatch of two dimensions can have. The rounding up in SplitIntoRows adds fewer than 2^16, and must not wrap.
uint MostWorkgroups(ClosePlan plan) { return min(SaturatingMultiply(plan.max_workgroups_x, plan.max_workgroups_y), 0xffff0000u); }

uint GridWorkgroups(LaunchPlan launch) { return SaturatingMultiply(SaturatingMultiply(launch.grid_x, launch.grid_y), launch.grid_z); }

LaunchSize SizeStaticGrid(LaunchPlan launch, uint records, uint most_workgroups) {
  const uint each = GridWorkgroups(launch);
  if (each == 0u) return LaunchSize(records, 0u);
  const uint taken = min(records, most_workgroups / each);
  return LaunchSize(taken, taken * each);
}

LaunchSize SizeCoalescing(LaunchPlan launch, uint records, uint most_workgroups) {
  const uint each = max(launch.coalesce, 1u);
  const uint workgroups = min(records / each + uint(records % each != 0u), most_workgroups);
  return LaunchSize(min(records, SaturatingMultiply(workgroups, each)), workgroups);
}

// Notes of records that all have the same number of workgroups.
void WriteUnfinished(uvec2 notes, uint records, uint workgroups) {
  for (uint record = gl_LocalInvocationIndex; record < records; record += kLevelsWorkgroup)
    UintReference(ElementAddress(notes, record, 4u)).value = workgroups;
}

// ---- dynamic grids: one workgroup scans all records -------------------------------------------------------------------------------------------------

// Records that one invocation takes at a time: fewer barriers a record.
const uint kScanRecords = 8u;

shared uint scan_taken;
shared uint scan_workgroups;

uvec3 RecordGrid(LaunchPlan launch, Region region, uint record) {
  return ReadRecordGrid(ElementAddress(region.records.base, record, region.records.stride), launch.grid_member,
                        uvec3(launch.grid_x, launch.grid_y, launch.grid_z));
}

uint RecordWorkgroups(ClosePlan plan, LaunchPlan launch, Region region, uint record) {
  const uvec3 grid = RecordGrid(launch, region, record);
  return min(SaturatingMultiply(SaturatingMultiply(grid.x, grid.y), grid.z), plan.max_grid_workgroups);
}

void WriteDynamicNotes(LaunchPlan launch, Region region, uvec2 notes, uint record, uint first, uint workgroups) {
  if (launch.note_words != kFullNotes) {
    UintReference(ElementAddress(notes, record, 4u)).value = first;
    return;
  }
  const uvec3 grid = RecordGrid(launch, region, record);
  NotesReference(ElementAddress(notes, record, 16u)).notes = uvec4(first, grid.xy, workgroups);
}

// Writes the notes of every record that is taken. Sums never decrease, so the records taken are a prefix.
LaunchSize SizeDynamicGrid(ClosePlan plan, LaunchPlan launch, Region region, uint records, uvec2 notes, uint most_workgroups) {
  uint taken = 0u;
  uint workgroups = 0u;
  uint before = 0u;
  for (uint tile = 0u; tile < records && before <= most_workgroups; tile += kScanRecords * kLevelsWorkgroup) {
    const uint begin = tile + gl_LocalInvocationIndex * kScanRecords;
    const uint end = min(begin + kScanRecords, records);
    uint counts[kScanRecords];
    uint sum = 0u;
    for (uint record = begin; record < end; ++record) {
      counts[record - begin] = RecordWorkgroups(plan, launch, region, record);
      sum = SaturatingAdd(sum, counts[record - begin]);
    }
    uint tile_total;
    uint first = SaturatingAdd(before, ScanWorkgroup(sum, tile_total));
    for (uint record = begin; record < end; ++record) {
      const uint next = SaturatingAdd(first, counts[record - begin]);
      if (next > most_workgroups) break;
      WriteDynamicNotes(launch, region, notes, record, first, counts[record - begin]);
      taken = record + 1u;
      workgroups = next;
      first = next;
    }
    before = SaturatingAdd(before, tile_total);
  }
  if (gl_LocalInvocationIndex == 0u) {
    scan_taken = 0u;
    scan_workgroups = 0u;
  }
  barrier();
  atomicMax(scan_taken, taken);
  atomicMax(scan_workgroups, workgroups);
  barrier();
  return LaunchSize(scan_taken, scan_workgroups);
}

// Called by all invocations of a workgroup, with the same arguments.
LaunchSize SizeLaunch(ClosePlan plan, LaunchPlan launch, Region region, uint records, uvec2 notes) {
  const uint most_workgroups = MostWorkgroups(plan);
  if (launch.kind == kLaunchDynamicGrid) return SizeDynamicGrid(plan, launch, region, records, notes, most_workgroups);
  const LaunchSize size =
      launch.kind == kLaunchStaticGrid ? SizeStaticGrid(launch, records, most_workgroups) : SizeCoalescing(launch, records, most_workgroups);
  if (launch.note_words != kNoNotes) WriteUnfinished(notes, size.records, GridWorkgroups(launch));
  return size;
}

#endif  // TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
