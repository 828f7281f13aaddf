// SPDX-License-Identifier: Apache-2.0
// Work that keeps many values alive at once. Mirrored by bench/workloads/heavy.cpp.
#extension GL_EXT_control_flow_attributes : require
#include "records.glsl"

const uint kLive = 48;  // words
const uint kRounds = 24;

uvec4 heavy_result(Record record) {
  uint words[kLive];
  [[unroll]] for (uint i = 0; i < kLive; ++i) words[i] = hash(record.words[i % 4] + i);
  for (uint pass = 0; pass < kRounds; ++pass) {
    [[unroll]] for (uint i = 0; i < kLive; ++i) words[i] = words[i] * 0x9e3779b1u + (words[(i + 17) % kLive] ^ pass);
  }
  uvec4 result = uvec4(0);
  [[unroll]] for (uint i = 0; i < kLive; ++i) result[i % 4] ^= words[i];
  return result;
}
