// What lies in a region: its records, then a prefix sum (uint per record) for each launch with dynamic grids that reads it. All parts are multiples of 16
// bytes.
#ifndef TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
#define TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL

#include "buffers.glsl"

// count * stride bytes, rounded up, in units of 16 bytes.
uint RecordUnits(uint count, uint stride) {
  const uvec2 bytes = AddressAdd64(Multiply64(count, stride), uvec2(15u, 0u));
  return bytes.y >> 28u != 0u ? 0xffffffffu : bytes.y << 28u | bytes.x >> 4u;
}

// Place of the prefix sums of one launch.
uvec2 PrefixSums(Region region, uint ordinal) {
  const uvec2 end = AddressAdd64(region.base, Multiply64(RecordUnits(region.capacity, region.stride), 16u));
  return AddressAdd64(end, Multiply64(ordinal * RecordUnits(region.capacity, 4u), 16u));
}

#endif  // TRELLIS_META_SHADERS_SHARED_REGIONS_GLSL
