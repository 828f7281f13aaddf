// SPDX-License-Identifier: Apache-2.0
// Launches that are dispatched as one (LaunchBatch): which of them a workgroup of the dispatch is part of.
#ifndef TRELLIS_META_SHADERS_RUNTIME_ENTER_BATCH_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_ENTER_BATCH_GLSL

#include "meta_shaders/runtime/launch_state.glsl"

// The launch that the workgroup is part of, where what was pushed is a batch. Gives its source.
uvec2 EnterBatch(const uvec2 pushed, const bool for_cpu) {
  LaunchBatch batch = LaunchBatchReference(pushed).batch;
  // The sum of all stands behind those of the members.
  uint found = FindSum(batch.sums, 4u, 0u, batch.member_count + 1u, trellis_workgroup, for_cpu);
  uint member = min(found, batch.member_count - 1u);
  uint before = SumAt(batch.sums, 4u, member);
  trellis_launch = ElementAddress(batch.members, member, batch.member_bytes);
  trellis_workgroup = found == member ? trellis_workgroup - before : kNoWorkgroup;
  trellis_step = SumAt(batch.sums, 4u, member + 1u) - before;
  return LaunchBlockReference(trellis_launch).block.source;
}

// Number of counters an invocation loads per iteration.
const uint kMaxCounts = 4u;

// The same where producers have counted. Never for a CPU (CountBatches).
uvec2 EnterCountedBatch(const uvec2 pushed) {
  LaunchBatch batch = LaunchBatchReference(pushed).batch;
  UintArrayReference counts = UintArrayReference(batch.sums);
  uint member = 0u, before = 0u;
  uint end = batch.member_count;
  uint count;
  bool found = false;
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  // Each invocation adds up its part of the members among whom the one must be; then that is the part where the sum of all passes the number. The
  // whole subgroup is here, and has one number.
  const uvec4 together = subgroupBallot(true);
  // A power of two, because division takes longer than what some places more would save.
  const uint places_log2 = uint(findMSB(subgroupBallotBitCount(together)));
  const uint place = subgroupBallotExclusiveBitCount(together);
  while (places_log2 != 0u && !found) {
    uint each = (end - member - 1u >> places_log2) + 1u;
    uint own = min(member + place * each, end);
    uint own_end = min(own + each, end);
    uint parts[kMaxCounts];
    uint sum = 0u;
    for (uint i = 0u; i < kMaxCounts; ++i) {
      parts[i] = own + i < own_end ? counts.at[own + i] : 0u;
      sum += parts[i];
    }
    // As many iterations in every invocation.
    for (uint i = kMaxCounts; i < each; ++i) {
      uint part = counts.at[min(own + i, end - 1u)];
      sum += own + i < own_end ? part : 0u;
    }
    uint through = before + subgroupInclusiveAdd(sum);
    uint chosen = subgroupBallotFindLSB(subgroupBallot(through > trellis_workgroup || own_end == end));
    before = subgroupShuffle(through - sum, chosen);
    member = subgroupShuffle(own, chosen);
    end = subgroupShuffle(own_end, chosen);
    count = subgroupShuffle(parts[0], chosen);
    if (each > kMaxCounts) continue;
    // What the chosen one has asked for is all that is left.
    for (uint i = 1u; i < kMaxCounts; ++i) {
      uint next = subgroupShuffle(parts[i], chosen);
      bool is_after = trellis_workgroup - before >= count && member + 1u < end;
      before += is_after ? count : 0u;
      member += is_after ? 1u : 0u;
      count = is_after ? next : count;
    }
    found = true;
  }
#endif
  if (!found) {
    count = counts.at[member];
    while (trellis_workgroup - before >= count && member + 1u < end) {
      before += count;
      ++member;
      count = counts.at[member];
    }
  }
  trellis_launch = ElementAddress(batch.members, member, batch.member_bytes);
  trellis_workgroup -= before;
  trellis_step = count;
  return batch.source_step != 0u ? ElementAddress(batch.source, member, batch.source_step) : LaunchBlockReference(trellis_launch).block.source;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_ENTER_BATCH_GLSL
