// SPDX-License-Identifier: Apache-2.0
// What a workgroup draws for an item: a triangle, and a word that tells of it.
#include "buffers.glsl"

const uint kSums = 1024;
layout(local_size_x = 32) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;

void draw_item(Words sums, uint item) {
  SetMeshOutputsEXT(3, 1);
  const uint vertex = gl_LocalInvocationIndex;
  if (vertex < 3) {
    const vec2 corner = vec2(item & 1023, item >> 10 & 1023) / 512 - 1;
    gl_MeshVerticesEXT[vertex].gl_Position = vec4(corner + vec2(vertex & 1, vertex >> 1) / 512, 0.5, 1);
  }
  if (vertex == 0) {
    gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);
    atomicAdd(sums.at[item & (kSums - 1)], item + 1);
  }
}
