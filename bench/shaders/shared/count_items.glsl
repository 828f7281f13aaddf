// SPDX-License-Identifier: Apache-2.0
// Counts items by bin, in shared memory. After spread.glsl.
#extension GL_KHR_shader_subgroup_vote : require
#include "count_agreeing.glsl"

// Returns how many items of the bin were counted before. Where most items have few bins, one atomic serves a subgroup that agrees.
uint count_item(uint bin) {
  if (kSpread == kFew) return count_agreeing(bin);
  if (kSpread == kUniform || !subgroupAllEqual(bin)) return add_count(bin, 1);
  const uvec4 counting = subgroupBallot(true);
  uint before = 0;
  if (subgroupElect()) before = add_count(bin, subgroupBallotBitCount(counting));
  return subgroupBroadcastFirst(before) + subgroupBallotExclusiveBitCount(counting);
}
