#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/records.glsl"

// Adds up what is computed of the records of one bin.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kBin = 0;
NODE_INDEX(kBin);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, 64);
layout(push_constant) uniform Push { Words results; } push;
shared uint sum;

void main() {
  if (gl_LocalInvocationIndex == 0) sum = 0;
  barrier();
  if (gl_LocalInvocationIndex < records.length())
    atomicAdd(sum, bin_result(records[gl_LocalInvocationIndex], node_shader_index));
  barrier();
  if (gl_LocalInvocationIndex == 0) atomicAdd(push.results.at[node_shader_index], sum);
}
