// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/culling.glsl"

// Adds patches to the results of their instances. A thread node where kInvocations is 1.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kInvocations = 1;
NODE_API_ENTRY(false);
readonly NODE_INPUTS(Patch, patches, kInvocations);
layout(push_constant) uniform Push { Words results; } push;

void main() {
  if (gl_LocalInvocationID.x < patches.length()) draw(push.results, patches[gl_LocalInvocationID.x]);
}
