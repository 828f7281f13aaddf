// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "trellis/node_payload.glsl"
#include "../shared/culling.glsl"

// Tests kItems instances an invocation and enqueues the visible ones.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 4) const uint kInstances = 256;  // of a workgroup
layout(constant_id = 5) const uint kItems = 1;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_OUTPUT(Patch, Visible, "subdivide", kInstances);
layout(push_constant) uniform Push {
  Words results;
  Instances instances;
} push;

void main() {
  const uint first = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kInstances + gl_LocalInvocationID.x;
  Instance instances[kItems];
  uint count = 0;
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    instances[i] = push.instances.at[first + i * gl_WorkGroupSize.x];
    if (is_visible(instances[i])) ++count;
  }
  Visible visible = Visible_thread(count);
  uint place = 0;
  [[unroll]] for (uint i = 0; i < kItems; ++i)
    if (is_visible(instances[i])) visible.at[place++] = first_patch(first + i * gl_WorkGroupSize.x, instances[i]);
  node_enqueue(visible);
}
