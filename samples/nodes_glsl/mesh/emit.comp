#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"

layout(local_size_x = 1) in;
NODE_STATIC_GRID(4, 1, 1);
struct Triangle {
  NODE_GRID uvec2 grid;
  vec4 corners[3];
};
NODE_OUTPUT(Triangle, Triangles, "draw", 1);

void main() {
  Triangles triangles = Triangles_group(1);
  triangles.at[0].grid = uvec2(1, 1);
  for (uint i = 0; i < 3; ++i) triangles.at[0].corners[i] = vec4(i, gl_WorkGroupID.x, 0, 1);
  node_enqueue(triangles);
}
