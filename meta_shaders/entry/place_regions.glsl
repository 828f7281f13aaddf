// SPDX-License-Identifier: Apache-2.0
// One region after the other gets exactly the room that was counted. What does not fit into the half of the ring is cut off the region that crosses its
// end and all later ones; append_infos counts it.
#ifndef TRELLIS_META_SHADERS_ENTRY_PLACE_REGIONS_GLSL
#define TRELLIS_META_SHADERS_ENTRY_PLACE_REGIONS_GLSL

#include "../shared/scan.glsl"
#include "infos.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer EntryRootReference { EntryRoot at[]; };

// Regions count records in 31 bits.
const uint kMaxRegionRecords = 0x7fffffffu;

uint UnitsFor(EntryRoot root, uint stride, uint records) {
  return SaturatingAdd(RecordUnits(records, stride), SaturatingMultiply(root.state_words, RecordUnits(records, 4u)));
}

// Most records that fit into `units`, give or take what the parts lose to their alignment.
uint RecordsThatFit(EntryRoot root, uint stride, uint units) {
  const uint parts = root.state_words + 1u;
  if (units <= parts) return 0u;
  const uint each = SaturatingAdd(stride, root.state_words * 4u);
  // units * 16 / each without 64-bit arithmetic: the remainder of the division is below `each`, and so below 2^28 where it matters.
  return each == 0u ? kMaxRegionRecords : min((units - parts) / each * 16u + min((units - parts) % each, 0xfffffffu) * 16u / each, kMaxRegionRecords);
}

void PlaceRegion(EntryPlan plan, EntryRoot root, uvec2 ring, uint first_unit, uint wanted) {
  RegionReference region = RegionOf(plan.regions, root.slot);
  const uint left = plan.half_units - min(first_unit, plan.half_units);
  const uint stride = region.region.records.stride;
  const uint capacity = UnitsFor(root, stride, wanted) <= left ? wanted : min(wanted, RecordsThatFit(root, stride, left));
  region.region.records.base = AddressAdd64(AddressAdd64(ring, plan.half_offset), Multiply64(first_unit, 16u));
  region.region.records.count = capacity;
  region.region.records.dense = capacity;
  region.region.capacity = capacity;
  region.region.refused = capacity;  // append_infos counts what finds no place
  const uint each = region.region.coalesce;
  if (each != 0u) region.region.workgroups = min(DivideUp(min(wanted, capacity), each), region.region.max_workgroups);
}

// By all invocations of one workgroup, once all records are counted.
void PlaceRegions(EntryPlan plan) {
  const uvec2 ring = ControlBlockReference(plan.control).control.ring;
  if (gl_LocalInvocationIndex == 0u) EntryStateReference(plan.state).state = EntryState(0u, 1u, 1u, 0u);
  uint used = 0u;
  for (uint tile = 0u; tile < plan.root_count; tile += kEntryWorkgroup) {
    const uint index = tile + gl_LocalInvocationIndex;
    EntryRoot root;
    uint wanted = 0u;
    uint units = 0u;
    if (index < plan.root_count) {
      root = EntryRootReference(plan.roots).at[index];
      RegionReference region = RegionOf(plan.regions, root.slot);
      wanted = min(atomicExchange(region.region.reserved, 0u), kMaxRegionRecords);
      units = UnitsFor(root, region.region.records.stride, wanted);
    }
    uint tile_units;
    const uint first = SaturatingAdd(used, ScanWorkgroup(units, tile_units));
    if (index < plan.root_count && !IsNull(ring)) PlaceRegion(plan, root, ring, first, wanted);
    used = SaturatingAdd(used, tile_units);
  }
}

#endif  // TRELLIS_META_SHADERS_ENTRY_PLACE_REGIONS_GLSL
