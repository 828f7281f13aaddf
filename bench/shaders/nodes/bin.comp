#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/bins.glsl"

// Adds up what is computed of the records of one bin.
layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kBin = 0;
NODE_INDEX(kBin);
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Record, records, 256);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  uint value = 0;
  if (gl_LocalInvocationIndex < records.length()) value = bin_result(records[gl_LocalInvocationIndex], node_shader_index);
  add_to_bin(push.results, node_shader_index, value);
}
