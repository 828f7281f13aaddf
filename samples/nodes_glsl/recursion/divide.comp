// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "trellis/node_payload.glsl"
#include "range.glsl"

// Halves a range as often as it may, then hands it to a leaf. This node is (divide, 2); its output is the array divide[1], divide[2], ... of which only this one
// exists.
layout(local_size_x = 1) in;
layout(constant_id = 3) const uint kHalves = 2;
layout(constant_id = 4) const uint kLevels = 3;
NODE_INDEX(2);
NODE_STATIC_GRID(1, 1, 1);
NODE_RECURSION(kLevels);
NODE_SPARSE NODE_ARRAY(5) NODE_BASE(1) NODE_OUTPUT(Range, Again, "divide", kHalves);
NODE_LIMIT_OF("Again") NODE_OUTPUT(Range, Leaf, "leaf", 1);
readonly NODE_INPUT(Range, range);
layout(set = 0, binding = 0) buffer Results { uint words[]; } results;

void main() {
  const uint index = node_shader_index - 1;
  if (Again_valid(index) && range.count > 1) {
    Again again = Again_group(2, index);
    const uint half_count = range.count / 2;
    again.at[0] = Range(range.first, half_count);
    again.at[1].first = range.first + half_count;
    again.at[1].count = range.count - half_count;
    node_enqueue(again);
  } else {
    Leaf leaf = Leaf_group(1);
    leaf.at[0] = range;
    node_enqueue(leaf);
  }
  atomicAdd(results.words[256 + node_remaining_recursion], 1);
  if (Again_valid(0)) atomicAdd(results.words[511], 1);  // (divide, 1) does not exist
}
