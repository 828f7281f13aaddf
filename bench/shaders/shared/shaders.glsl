// SPDX-License-Identifier: Apache-2.0
// What each of many shaders computes of a record. Mirrored by bench/workloads/many_shaders.cpp.
#include "records.glsl"

uint shader_result(Record record, uint shader) {
  uint value = record.words.y;
  for (uint i = 0; i <= shader % 4; ++i) value = hash(value + shader * 0x9e3779b9u);
  return value + record.words.z;
}
