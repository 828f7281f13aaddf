// SPDX-License-Identifier: Apache-2.0
// Memory by address, and a hash to compute something with.
#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { uvec4 at[]; };

// Mirrored by Hash in bench/workloads/hash.h.
uint hash(uint x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
