// What the steps of hand-written material shading share.
#extension GL_GOOGLE_include_directive : require
#include "../shared/materials.glsl"

// The head of a material's list begins with the VkDispatchIndirectCommand of its dispatch. Each is on a cache line of its own.
struct Head {  // mirrored by bench/workloads/material_shading.cpp
  uint x;
  uint y;
  uint z;
  uint count;
  uint start;  // of the list
  uint padding[27];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Heads { Head at[]; };

layout(push_constant) uniform Push {
  Words results;
  Words visibility;
  Words pixels;  // the lists of all materials
  Heads heads;
  uint pixels_a_step;  // that one more workgroup of the dispatch takes
} push;
