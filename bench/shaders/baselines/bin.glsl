// SPDX-License-Identifier: Apache-2.0
// What both ways to add up the records of bins share.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../shared/bins.glsl"
#include "counters.glsl"

const uint kInvocations = 256;
layout(local_size_x = kInvocations) in;
layout(constant_id = 1) const uint kRecordsAtOnce = 4;  // that an invocation reads before it needs the first
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Counters counters;
  uint item_count;
  uint capacity;
  Words starts;
} push;

// Of what is computed of a bin's records `first`, `first` + `step`, ..., those below `end`. The list begins at `start`.
uint sum_records(uint bin, uint start, uint first, uint end, uint step) {
  uint value = 0;
  for (; first < end; first += kRecordsAtOnce * step) {
    [[unroll]] for (uint i = 0; i < kRecordsAtOnce; ++i) {
      const uint index = first + i * step;
      const Record record = Record(push.records.at[start + min(index, end - 1)]);
      if (index < end) value += bin_result(record, bin);
    }
  }
  return value;
}
