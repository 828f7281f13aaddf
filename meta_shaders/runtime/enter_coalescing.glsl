// SPDX-License-Identifier: Apache-2.0
// Coalescing nodes.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_COALESCING_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_COALESCING_GLSL

#include "meta_shaders/runtime/launch_state.glsl"

uint EndOfGroup(const uint coalesce) { return trellis_group + min(coalesce, trellis_records.count - trellis_group); }

bool trellis_enter_coalescing(const uint coalesce, const uint packed, const bool in_runs) {
  if (!HasWork()) return false;
  trellis_group = (in_runs ? EnterPart(trellis_pack, packed, coalesce) : trellis_workgroup * packed + trellis_pack) * coalesce;
  if (trellis_group >= trellis_records.count) return false;
  trellis_workgroup_id = uvec3(0u);
  if (coalesce == 1u) {
    SetRecord(trellis_group);
  } else if (in_runs) {
    trellis_record = trellis_group;
  } else {
    SetPiece(trellis_records, trellis_group, EndOfGroup(coalesce));
  }
  return true;
}

// To the rest of a workgroup's records. What it takes is read again, so that nothing is kept for it while the node runs. False: there are none.
bool trellis_next_piece() {
  if (trellis_rest == 0u) return false;
  SetPiece(RecordsReference(trellis_source).records, trellis_record, trellis_record + trellis_rest);
  return true;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_COALESCING_GLSL
