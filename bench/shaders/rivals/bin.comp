#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "../shared/bins.glsl"
#include "counters.glsl"

// Adds up what is computed of the records of bin gl_WorkGroupID.y, which all workgroups of that row share: each takes neighbours, or every so-manyth.
const uint kInvocations = 256;
layout(local_size_x = kInvocations) in;
layout(constant_id = 0) const uint kNeighbours = 0;
layout(constant_id = 1) const uint kRecordsAtOnce = 4;  // that an invocation reads before it needs the first
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
  const uint part = (count + gl_NumWorkGroups.x - 1) / gl_NumWorkGroups.x;
  const uint end = kNeighbours != 0 ? min(count, (gl_WorkGroupID.x + 1) * part) : count;
  const uint step = kNeighbours != 0 ? kInvocations : gl_NumWorkGroups.x * kInvocations;
  uint value = 0;
  for (uint first = kNeighbours != 0 ? gl_WorkGroupID.x * part + gl_LocalInvocationID.x : gl_GlobalInvocationID.x; first < end;
       first += kRecordsAtOnce * step) {
    [[unroll]] for (uint i = 0; i < kRecordsAtOnce; ++i) {
      const uint index = first + i * step;
      const Record record = Record(push.records.at[bin * push.capacity + min(index, end - 1)]);
      if (index < end) value += bin_result(record, bin);
    }
  }
  add_to_bin(push.results, bin, value);
}
