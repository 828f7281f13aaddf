// SPDX-License-Identifier: Apache-2.0
// What all internal kernels have in common: their plan's address is their whole push constant.
#ifndef TRELLIS_META_SHADERS_SHARED_KERNEL_GLSL
#define TRELLIS_META_SHADERS_SHARED_KERNEL_GLSL

#include "buffers.glsl"
#include "kernel_plans.h"
#include "reports.glsl"

layout(push_constant, scalar) uniform Push {
  uvec2 plan;
}
push;

// The setting `validate`: without it the driver throws away what is done for it.
layout(constant_id = 0) const bool kValidate = false;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer RingTableReference {
  RingTableHeader header;
  RingEntry rings[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer RegionPlanReference { RegionPlan at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer DensePartReference { DensePart at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer SizingPlanReference { SizingPlan plan; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer LaunchPlanReference { LaunchPlan at[]; };

// Makes a slot's region ready to be appended to. Without a ring it has no room: every allocation fails, is counted, and writes to the dump.
void OpenRegion(uvec2 regions, uvec2 ring, uvec2 dump, RegionPlan plan) {
  const bool has_ring = !IsNull(ring);
  const uint capacity = has_ring ? plan.capacity : 0u;
  const uvec2 address = ElementAddress(regions, plan.region, kRegionBytes);
  const uvec2 segments = AddressAdd(address, kRegionSegmentsOffset);
  RegionReference target = RegionReference(address);
  target.region.records = Records(has_ring ? AddressAdd64(ring, plan.offset) : dump, segments, plan.stride, capacity, min(plan.dense, capacity), 0u);
  target.region.capacity = capacity;
  target.region.coalesce = plan.coalesce;
  target.region.max_workgroups = plan.max_workgroups;
  target.region.reciprocal = plan.coalesce != 0u ? 0xffffffffu / plan.coalesce : 0u;
  target.region.lost = 0u;
  target.region.refused = 0xffffffffu;
  target.region.state_words = plan.state_words;
  target.region.state_units = has_ring ? plan.state_units : 0u;
  target.region.placed = 0u;
  target.region.state_units_taken = 0u;
  target.region.batch_count = uvec2(0u);
  target.region.batch_total = uvec2(0u);
  if (plan.batch_count != 0u) {
    target.region.batch_count = AddressAdd(regions, plan.batch_count);
    target.region.batch_total = AddressAdd(ElementAddress(regions, plan.batch_region, kRegionBytes), kRegionWorkgroupsOffset);
    UintReference(target.region.batch_count).value = 0u;
  }
  target.region.reserved = 0u;
  target.region.grid_x = plan.grid_x;
  target.region.grid_yz = plan.grid_yz;
  target.region.workgroups = 0u;
  target.region.one_y = 1u;
  target.region.one_z = 1u;
  if (plan.dense >= capacity) return;
  // The words of segments, for octaves that begin within the capacity.
  const uint octaves = uint(findMSB(capacity) - findMSB(plan.dense)) + 1u;
  for (uint octave = 0u; octave < min(octaves, kSegments / 4u); ++octave) UnitReference(AddressAdd(segments, octave * 16u)).unit = uvec4(0u);
}

void ReportLoss(uvec2 reports, uint origin, uint slot, uint level, uint records) {
  Report(reports, DeviceReport(origin, kReportLost, slot, level, 0u, records));
}

#endif  // TRELLIS_META_SHADERS_SHARED_KERNEL_GLSL
