#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "../shared/materials.glsl"

// Enqueues each pixel for the node of its material, kItems pixels an invocation.
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kGridX = 1;
layout(constant_id = 1) const uint kGridY = 1;
layout(constant_id = 2) const uint kMaterials = 1;
layout(constant_id = 4) const uint kPixels = 256;  // of a workgroup
layout(constant_id = 5) const uint kItems = 1;
layout(constant_id = 6) const bool kByTiles = false;
NODE_STATIC_GRID(kGridX, kGridY, 1);
NODE_ARRAY(kMaterials) NODE_OUTPUT(Pixel, Sorted, "material", kPixels);
layout(push_constant) uniform Push {
  Words results;
  Words visibility;
} push;

void main() {
  const uint first = (gl_WorkGroupID.y * kGridX + gl_WorkGroupID.x) * kPixels + gl_LocalInvocationID.x;
  uint numbers[kItems];
  uint materials[kItems];
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    numbers[i] = pixel_of(first + i * gl_WorkGroupSize.x, kByTiles);
    materials[i] = material_of(push.visibility.at[numbers[i]]);
  }
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    Sorted sorted = Sorted_thread(1, materials[i]);
    sorted.at[0] = Pixel(numbers[i]);
    node_enqueue(sorted);
  }
}
