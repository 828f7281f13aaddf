// Counts pixels by material, in shared memory: count_items.glsl for neighbours that mostly share one.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require

// Adds to the count of a material and returns what it was. Defined by the includer.
uint add_count(uint material, uint count);

// Returns how many pixels of the material were counted before. Each material of a subgroup takes one atomic.
uint count_item(uint material) {
  uint rank = 0;
  bool is_counted = false;
  while (!is_counted) {
    if (material == subgroupBroadcastFirst(material)) {
      const uvec4 same = subgroupBallot(true);
      uint before = 0;
      if (subgroupElect()) before = add_count(material, subgroupBallotBitCount(same));
      rank = subgroupBroadcastFirst(before) + subgroupBallotExclusiveBitCount(same);
      is_counted = true;
    }
  }
  return rank;
}
