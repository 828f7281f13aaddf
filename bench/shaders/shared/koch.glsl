// SPDX-License-Identifier: Apache-2.0
// The Koch curve: an edge becomes four. Mirrored by bench/workloads/koch.cpp.
#include "buffers.glsl"

struct Edge {
  vec2 begin;
  vec2 end;
  uint number;  // among the edges of its level
};

Edge child(Edge edge, uint i) {
  const vec2 third = (edge.end - edge.begin) / 3.0;
  const vec2 height = vec2(third.y, -third.x) * 0.8660254;  // sqrt(3) / 2
  vec2 points[5];
  points[0] = edge.begin;
  points[1] = edge.begin + third;
  points[2] = points[1] + third * 0.5 + height;
  points[3] = edge.end - third;
  points[4] = edge.end;
  return Edge(points[i], points[i + 1], edge.number * 4 + i);
}

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Lines { vec4 at[]; };

void draw(Lines lines, Edge edge) { lines.at[edge.number] = vec4(edge.begin, edge.end); }
