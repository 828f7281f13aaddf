#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// One record an invocation.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_OUTPUT(Record, Work, "consume", 256);

void main() {
  const uint workgroup = gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x;
  Work work = Work_group(256);
  work.at[gl_LocalInvocationIndex] = make_record(workgroup * 256 + gl_LocalInvocationIndex);
  node_enqueue(work);
}
