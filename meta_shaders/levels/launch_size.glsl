// How many records of a region a launch takes, how many workgroups it needs for them, and its notes about them.
#ifndef TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
#define TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL

#include "../shared/buffers.glsl"
#include "../shared/grid.glsl"
#include "../shared/scan.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer ArgumentsReference { uvec4 arguments; };

struct LaunchSize {
  uint records;  // fewer than the region holds if a dispatch cannot have the workgroups of all
  uint workgroups;
};

// Workgroups that a dispatch of two dimensions can have. The rounding up in SplitIntoRows adds fewer than 2^16, and must not wrap.
uint MostWorkgroups(ClosePlan plan) { return min(SaturatingMultiply(plan.max_workgroups_x, plan.max_workgroups_y), 0xffff0000u); }

// The whole dispatch: as near to one row as the limits allow. The node finds its workgroup as y * NumWorkgroups.x + x.
uvec4 SplitIntoRows(uint workgroups, uint max_x) {
  if (workgroups == 0u) return uvec4(0u);
  const uint rows = (workgroups - 1u) / max_x + 1u;
  return uvec4((workgroups - 1u) / rows + 1u, rows, 1u, 0u);
}

// For so many workgroups of LaunchInput.
uint DispatchedWorkgroups(LaunchPlan launch, uint workgroups) { return workgroups / launch.packed + uint(workgroups % launch.packed != 0u); }

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

// Records that one invocation takes at a time: fewer barriers a record.
const uint kScanRecords = 8u;
const uint kScanTile = kScanRecords * kLevelsWorkgroup;

// What a workgroup has to do with: part `part` of `parts` of one launch.
struct Share {
  uint launch;
  uint part;
  uint parts;
};

Share ShareOf(ClosePlan plan, uint workgroup) {
  const uint parted = plan.parted_count * plan.parts;
  if (workgroup >= parted) return Share(plan.parted_count + (workgroup - parted), 0u, 1u);
  return Share(workgroup / plan.parts, workgroup % plan.parts, plan.parts);
}

// Its records; none if there are too few for so many parts.
struct Part {
  uint begin;
  uint end;
};

Part PartOf(Share share, uint records) {
  const uint each = max((records + share.parts - 1u) / share.parts, kScanTile);
  const uint begin = min(share.part * each, records);
  return Part(begin, min(begin + each, records));
}

// Workgroups with such a part leave before the first barrier: where a level could have had many records and has few, nearly all do.
bool IsEmpty(Part part) { return part.begin >= part.end; }

// Notes of records that all have the same number of workgroups.
void WriteUnfinished(uvec2 notes, Part part, uint records, uint workgroups) {
  for (uint record = part.begin + gl_LocalInvocationIndex; record < min(part.end, records); record += kLevelsWorkgroup)
    UintReference(ElementAddress(notes, record, 4u)).value = workgroups;
}

// ---- dynamic grids ----------------------------------------------------------------------------------------------------------------------------------

shared uint part_before;
shared uint scan_taken;
shared uint scan_workgroups;

uvec3 RecordGrid(LaunchPlan launch, RegionReference region, uint record) {
  return ReadRecordGrid(ElementAddress(region.region.records.base, record, region.region.records.stride), launch.grid_member,
                        uvec3(launch.grid_x, launch.grid_y, launch.grid_z));
}

uint RecordWorkgroups(ClosePlan plan, LaunchPlan launch, RegionReference region, uint record) {
  const uvec3 grid = RecordGrid(launch, region, record);
  return min(SaturatingMultiply(SaturatingMultiply(grid.x, grid.y), grid.z), plan.max_grid_workgroups);
}

UintReference SumOfPart(ClosePlan plan, Share share, uint part) { return UintReference(ElementAddress(plan.sums, share.launch * share.parts + part, 4u)); }

// Workgroups of all parts before this one.
uint WorkgroupsBefore(ClosePlan plan, Share share) {
  if (share.parts == 1u) return 0u;
  const uint part = gl_LocalInvocationIndex;
  uint total;
  const uint before = ScanWorkgroup(part < share.parts ? SumOfPart(plan, share, part).value : 0u, total);
  if (part == share.part) part_before = before;
  barrier();
  return part_before;
}

void WriteDynamicNotes(LaunchPlan launch, RegionReference region, uvec2 notes, uint record, uint first, uint workgroups) {
  if (launch.note_words != kFullNotes) {
    UintReference(ElementAddress(notes, record, 4u)).value = first;
    return;
  }
  const uvec3 grid = RecordGrid(launch, region, record);
  NotesReference(ElementAddress(notes, record, 16u)).notes = uvec4(first, grid.xy, workgroups);
}

// Writes the notes of every record of the part that is taken. Sums never decrease, so the records taken are a prefix; the part that ends it, or the
// last one with records, knows the launch's size.
bool SizeDynamicGrid(ClosePlan plan, LaunchPlan launch, Share share, RegionReference region, uint records, uvec2 notes, uint most_workgroups, out LaunchSize size) {
  const Part part = PartOf(share, records);
  if (IsEmpty(part) && share.part != 0u) return false;
  uint before = WorkgroupsBefore(plan, share);
  const bool is_reached = before <= most_workgroups && (part.begin < records || share.part == 0u);
  uint taken = part.begin;
  uint workgroups = before;
  for (uint tile = part.begin; tile < part.end && before <= most_workgroups; tile += kScanTile) {
    const uint begin = min(tile + gl_LocalInvocationIndex * kScanRecords, part.end);
    const uint end = min(begin + kScanRecords, part.end);
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
  size = LaunchSize(scan_taken, scan_workgroups);
  return is_reached && (part.end == records || before > most_workgroups);
}

// Called by all invocations of a workgroup, with the same arguments. True in the one workgroup, among those that have parts of the launch, that knows
// its size.
bool SizeLaunch(ClosePlan plan, LaunchPlan launch, Share share, RegionReference region, uint records, uvec2 notes, out LaunchSize size) {
  const uint most_workgroups = MostWorkgroups(plan);
  if (launch.kind == kLaunchDynamicGrid) return SizeDynamicGrid(plan, launch, share, region, records, notes, most_workgroups, size);
  size = launch.kind == kLaunchStaticGrid ? SizeStaticGrid(launch, records, most_workgroups) : SizeCoalescing(launch, records, most_workgroups);
  if (launch.note_words != kNoNotes) WriteUnfinished(notes, PartOf(share, records), size.records, GridWorkgroups(launch));
  return share.part == 0u;
}

#endif  // TRELLIS_META_SHADERS_LEVELS_LAUNCH_SIZE_GLSL
