// SPDX-License-Identifier: Apache-2.0
// The grid that a record asks for. The kernel that counts workgroups and the node that finds its place among them must agree, so both use this.
#ifndef TRELLIS_META_SHADERS_SHARED_GRID_GLSL
#define TRELLIS_META_SHADERS_SHARED_GRID_GLSL

#include "buffers.glsl"

// `grid_member` is packed as in LaunchPlan.
uint GridComponents(uint grid_member) { return bitfieldExtract(grid_member, int(kGridMemberCountShift), 4); }

// One that the record has, clamped to its bound; a bound of 0 is none. Reads the aligned word around it, so that neither 8- nor 16-bit storage is needed.
uint ReadGridComponent(uvec2 record, uint grid_member, uint component, uint bound) {
  const uint width = bitfieldExtract(grid_member, int(kGridMemberWidthShift), 4);
  const uvec2 address = AddressAdd(record, bitfieldExtract(grid_member, 0, 16) + component * width);  // a multiple of the width
  uint read = UintReference(uvec2(address.x & ~3u, address.y)).value;
  if (width != 4u) read = bitfieldExtract(read, int((address.x & 3u) * 8u), int(width * 8u));
  return bound != 0u ? min(read, bound) : read;
}

// Components that the record lacks are 1.
uvec3 ReadRecordGrid(uvec2 record, uint grid_member, uvec3 bounds) {
  const uint count = GridComponents(grid_member);
  uvec3 grid = uvec3(1u);
  grid.x = ReadGridComponent(record, grid_member, 0u, bounds.x);
  if (count > 1u) grid.y = ReadGridComponent(record, grid_member, 1u, bounds.y);
  if (count > 2u) grid.z = ReadGridComponent(record, grid_member, 2u, bounds.z);
  return grid;
}

#endif  // TRELLIS_META_SHADERS_SHARED_GRID_GLSL
