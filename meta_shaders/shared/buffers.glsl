// SPDX-License-Identifier: Apache-2.0
// Device addresses in GLSL, and the blocks of graph_data.h behind them.
//
// An address is uvec2 {low, high}. With TRELLIS_INT64_ADDRESSES sums and products are of 64-bit integers, which devices need not have; a carry takes
// several instructions where there are none. Blocks use scalar layout, so that arrays of the shared structures have C++'s strides.
#ifndef TRELLIS_META_SHADERS_SHARED_BUFFERS_GLSL
#define TRELLIS_META_SHADERS_SHARED_BUFFERS_GLSL

#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_scalar_block_layout : require

#include "graph_data.h"

#ifdef TRELLIS_INT64_ADDRESSES
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// Sum of an address and a 64-bit offset.
uvec2 AddressAdd64(uvec2 address, uvec2 bytes) { return unpackUint2x32(packUint2x32(address) + packUint2x32(bytes)); }

// 64-bit product of two 32-bit factors.
uvec2 Multiply64(uint a, uint b) { return unpackUint2x32(uint64_t(a) * uint64_t(b)); }
#else
uvec2 AddressAdd64(uvec2 address, uvec2 bytes) {
  uint carry;
  const uint low = uaddCarry(address.x, bytes.x, carry);
  return uvec2(low, address.y + bytes.y + carry);
}

uvec2 Multiply64(uint a, uint b) {
  uint high;
  uint low;
  umulExtended(a, b, high, low);
  return uvec2(low, high);
}
#endif

uvec2 AddressAdd(uvec2 address, uint bytes) { return AddressAdd64(address, uvec2(bytes, 0u)); }

// address + index * stride, exact beyond 4 GiB.
uvec2 ElementAddress(uvec2 address, uint index, uint stride) { return AddressAdd64(address, Multiply64(index, stride)); }

bool IsNull(uvec2 address) { return (address.x | address.y) == 0u; }

// a >= b as unsigned 64-bit numbers.
bool GreaterOrEqual64(uvec2 a, uvec2 b) { return a.y > b.y || (a.y == b.y && a.x >= b.x); }

// a / b, rounded up.
uint DivideUp(uint a, uint b) { return a / b + uint(a % b != 0u); }

uint SaturatingAdd(uint a, uint b) { return a + min(b, ~a); }

uint SaturatingMultiply(uint a, uint b) {
  const uvec2 product = Multiply64(a, b);
  return product.y != 0u ? 0xffffffffu : product.x;
}

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer UintReference { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer UintArrayReference { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer UnitReference { uvec4 unit; };
layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer LaunchBlockReference {
  LaunchBlock block;
  NodeOutput outputs[];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer LaunchBatchReference { LaunchBatch batch; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer LaunchInputReference { LaunchInput launch; };
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer SliceReference { Slice at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer RegionReference { Region region; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer ControlBlockReference { ControlBlock control; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer AlternatingRegionsReference { AlternatingRegions regions; };

AlternatingRegionsReference AlternatingRegionsOf(uvec2 regions) { return AlternatingRegionsReference(uvec2(regions.x & ~kAlternating, regions.y)); }

uvec2 SetOfRegions(uvec2 regions, uint offset) { return AddressAdd(uvec2(regions.x & ~kAlternating, regions.y), kAlternatingRegionsBytes + offset); }

// The Region[] of the execution that is running.
uvec2 CurrentRegions(uvec2 regions) {
  return (regions.x & kAlternating) != 0u ? SetOfRegions(regions, AlternatingRegionsOf(regions).regions.current) : regions;
}

// The Region of a slot in a Region[].
RegionReference RegionOf(uvec2 regions, uint slot) { return RegionReference(ElementAddress(regions, slot, kRegionBytes)); }

// When all has been sent.
uint RecordsIn(RegionReference region) { return min(region.region.reserved, region.region.records.count); }

// 1 to 4 bytes at any address; the others are 0. Reads aligned words that hold at least one of the bytes, so nothing beyond the application's buffer.
uint ReadBytes(uvec2 address, uint bytes) {
  const uint shift = (address.x & 3u) * 8u;
  const uvec2 aligned = uvec2(address.x & ~3u, address.y);
  uint word = UintReference(aligned).value >> shift;
  if (shift + bytes * 8u > 32u) word |= UintReference(AddressAdd(aligned, 4u)).value << (32u - shift);
  return bitfieldExtract(word, 0, int(bytes * 8u));
}

// Returns the index in [first, end) of the last number that is not above `number`; `first` if there is none. Numbers never decrease and lie `stride` bytes apart.
uint FindNotAbove(const uvec2 numbers, const uint stride, const uint first, const uint end, const uint number) {
  uint low = first;
  uint high = end;
  while (high - low > 1u) {
    const uint middle = low + (high - low) / 2u;
    if (UintReference(ElementAddress(numbers, middle, stride)).value > number) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

#endif  // TRELLIS_META_SHADERS_SHARED_BUFFERS_GLSL
