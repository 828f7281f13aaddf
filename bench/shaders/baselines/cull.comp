// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "culling.glsl"

// Tests kItems instances an invocation and lists the visible ones.
layout(constant_id = 5) const uint kItems = 1;

void main() {
  const uint workgroup = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint first = workgroup * gl_WorkGroupSize.x * kItems + gl_LocalInvocationID.x;
  Instance instances[kItems];
  uint count = 0;
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    instances[i] = push.instances.at[first + i * gl_WorkGroupSize.x];
    if (is_visible(instances[i])) ++count;
  }
  uint place = take_places(count);
  [[unroll]] for (uint i = 0; i < kItems; ++i)
    if (is_visible(instances[i]))
      push.next.at[place++] = first_patch(first + i * gl_WorkGroupSize.x, instances[i]);
}
