// SPDX-License-Identifier: Apache-2.0
// Counts items by bin, where the invocations of a subgroup share a few bins.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

// Adds to the count of a bin and returns what it was. Defined by the includer.
uint add_count(uint bin, uint count);

// Returns how many items of the bin were counted before. Each bin of a subgroup takes one atomic.
uint count_agreeing(uint bin) {
  uint rank = 0;
  bool is_counted = false;
  while (!is_counted) {
    if (bin == subgroupBroadcastFirst(bin)) {
      const uvec4 same = subgroupBallot(true);
      uint before = 0;
      if (subgroupElect()) before = add_count(bin, subgroupBallotBitCount(same));
      rank = subgroupBroadcastFirst(before) + subgroupBallotExclusiveBitCount(same);
      is_counted = true;
    }
  }
  return rank;
}
