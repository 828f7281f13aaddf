// The grid that a record asks for. The kernel that counts workgroups and the node that finds its place among them must agree, so both use this.
#ifndef TRELLIS_META_SHADERS_SHARED_GRID_GLSL
#define TRELLIS_META_SHADERS_SHARED_GRID_GLSL

#include "buffers.glsl"

// One component of `width` bytes (1, 2 or 4) at an address that is a multiple of `width`. Reads the aligned word around it, so that neither 8- nor
// 16-bit storage is needed.
uint ReadComponent(uvec2 address, uint width) {
  const uint word = UintReference(uvec2(address.x & ~3u, address.y)).value;
  if (width == 4u) return word;
  return bitfieldExtract(word, int((address.x & 3u) * 8u), int(width * 8u));
}

// `grid_member` is packed as in LaunchBlock. Components that the record lacks are 1; each is clamped to its bound, and a bound of 0 is none.
uvec3 ReadRecordGrid(uvec2 record, uint grid_member, uvec3 bounds) {
  const uint width = bitfieldExtract(grid_member, int(kGridMemberWidthShift), 4);
  const uint count = bitfieldExtract(grid_member, int(kGridMemberCountShift), 4);
  const uvec2 member = AddressAdd(record, bitfieldExtract(grid_member, 0, 16));
  uvec3 grid = uvec3(1u);
  grid.x = ReadComponent(member, width);
  if (count > 1u) grid.y = ReadComponent(AddressAdd(member, width), width);
  if (count > 2u) grid.z = ReadComponent(AddressAdd(member, 2u * width), width);
  return min(grid, mix(bounds, uvec3(0xffffffffu), equal(bounds, uvec3(0u))));
}

#endif  // TRELLIS_META_SHADERS_SHARED_GRID_GLSL
