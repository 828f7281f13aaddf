// SPDX-License-Identifier: Apache-2.0
// Static grids.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_STATIC_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_STATIC_GLSL

#include "meta_shaders/runtime/launch_state.glsl"

// `packed` is either a multiple of the grid's workgroups, so that several records share a workgroup of the dispatch, or a divisor of them.
bool trellis_enter_static(const uvec3 grid, const uint packed, const bool in_runs) {
  if (!HasWork()) return false;
  // The product may be 2^32.
  uvec2 sides = max(grid.xy, uvec2(1u));
  uint workgroups = max(grid.x * grid.y * grid.z, 1u);
  uint record;
  if (packed > workgroups) {
    uint pack_record = trellis_pack / workgroups;
    const uint records = packed / workgroups;
    record = in_runs ? EnterPart(pack_record, records, 1u) : trellis_workgroup * records + pack_record;
    trellis_workgroup_id = WorkgroupOfGrid(trellis_pack - pack_record * workgroups, sides);
  } else if (trellis_form == kFormRegion && packed == 1u) {
    record = trellis_place.x;
    trellis_workgroup_id = uvec3(trellis_place.y, trellis_place.z % sides.y, trellis_place.z / sides.y);
  } else {
    uint dispatched = workgroups / packed;  // for each record
    uint number = trellis_place.y;
    record = trellis_place.x;
    if (trellis_form != kFormRegion) {
      record = trellis_workgroup / dispatched;
      number = trellis_workgroup - record * dispatched;
      record += trellis_records.first + trellis_place.z * (trellis_end / dispatched);
    }
    trellis_workgroup_id = WorkgroupOfGrid(number * packed + trellis_pack, sides);
  }
  if (record >= trellis_records.count) return false;
  SetRecord(record);
  return true;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_STATIC_GLSL
