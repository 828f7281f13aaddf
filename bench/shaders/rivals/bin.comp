#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../shared/bins.glsl"
#include "counters.glsl"

// Adds up what is computed of the records of bin gl_WorkGroupID.y, which all workgroups of that row share.
const uint kInvocations = 256;
const uint kRecordsAtOnce = 4;  // that an invocation reads before it needs the first
layout(local_size_x = kInvocations) in;
layout(push_constant) uniform Push {
  Words results;
  Vectors records;
  Counters counters;
  uint item_count;
  uint capacity;
} push;

void main() {
  const uint bin = gl_WorkGroupID.y;
  const uint count = min(push.counters.at[bin].count, push.capacity);
  const uint step = gl_NumWorkGroups.x * kInvocations;
  uint value = 0;
  for (uint first = gl_GlobalInvocationID.x; first < count; first += kRecordsAtOnce * step) {
    [[unroll]] for (uint i = 0; i < kRecordsAtOnce; ++i) {
      const uint index = first + i * step;
      const Record record = Record(push.records.at[bin * push.capacity + min(index, count - 1)]);
      if (index < count) value += bin_result(record, bin);
    }
  }
  add_to_bin(push.results, bin, value);
}
