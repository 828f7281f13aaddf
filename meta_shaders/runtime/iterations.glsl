// SPDX-License-Identifier: Apache-2.0
// Workgroups of a dispatch that do more than one record or group of records, one after the other.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ITERATIONS_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ITERATIONS_GLSL

#include "meta_shaders/runtime/enter_coalescing.glsl"

// To the next records of a workgroup that entered, up to `coalesce` of them. False: there are none. Light, since it is what an iteration of a small node costs
// next to the node: where records do not lie dense, what an iteration takes is read again. A launch has less than 2^31 records, so that no sum wraps.
bool trellis_stride(const uint coalesce) {
  if (coalesce == 1u) {
    trellis_record += trellis_step;
    if (trellis_record < trellis_dense_end) {
      trellis_input.xy = AddressAdd64(trellis_input.xy, trellis_step_bytes);
      return true;
    }
    if (trellis_record >= trellis_records.count) return false;
    trellis_input.xy = RecordAddress(RecordsReference(trellis_source).records, trellis_record);
    return true;
  }
  if (trellis_next_piece()) return true;
  trellis_group += trellis_step;
  if (trellis_group < trellis_dense_end && coalesce <= trellis_dense_end - trellis_group) {
    trellis_record = trellis_group + coalesce;
    trellis_input = uvec4(AddressAdd64(trellis_input.xy, trellis_step_bytes), coalesce, trellis_input.w);
    return true;
  }
  if (trellis_group >= trellis_records.count) return false;
  SetPiece(RecordsReference(trellis_source).records, trellis_group, EndOfGroup(coalesce));
  return true;
}

// The same for a run (EnterRun) of records: the next ones are neighbours. What an iteration takes is found at its beginning, from the record's number alone: a
// CPU driver blends each variable that goes from iteration to iteration with what invocations that have ended had in it.
void trellis_take(const uint coalesce) {
  if (coalesce != 1u) {
    SetPiece(trellis_records, trellis_record, EndOfGroup(coalesce));
  } else {
    SetRecord(trellis_record);
  }
}
bool trellis_run_on(const uint coalesce) {
  if (coalesce != 1u) {
    if (trellis_rest != 0u) return true;
    trellis_group += coalesce;
    trellis_record = trellis_group;
  } else {
    ++trellis_record;
  }
  return trellis_record < trellis_records.count;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_ITERATIONS_GLSL
