// SPDX-License-Identifier: Apache-2.0
// Records with very different amounts of work. Mirrored by bench/workloads/skewed.cpp.
#include "buffers.glsl"

layout(constant_id = 30) const uint kMaxParts = 2048;  // of a record; at most kFew: no record has many
const uint kFew = 4;

// Workgroups: none for 15 of 16 records, a few for most of the others, up to 1,087 for one of 4,096.
uint workgroups_of(uint index) {
  const uint h = hash(index);
  if (h % 16 != 0) return 0;
  if (kMaxParts <= kFew || (h >> 4) % 256 != 0) return 1 + (h >> 12) % kFew;
  return 64 + (h >> 12) % 1024;
}

// What one workgroup adds to the result of its record.
uint part_result(uint index, uint part) { return hash(index ^ (part * 0x9e3779b9u)); }
