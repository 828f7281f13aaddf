// SPDX-License-Identifier: Apache-2.0
// Reservations of a whole workgroup whose invocations send to different nodes: one for each of these nodes.
#ifndef TRELLIS_META_SHADERS_RUNTIME_RESERVE_SORTED_GLSL
#define TRELLIS_META_SHADERS_RUNTIME_RESERVE_SORTED_GLSL

#include "meta_shaders/runtime/reserve.glsl"

const uint kBinBits = 8u;
const uint kBins = 1u << kBinBits;
const uint kMaxProbes = 8u;

// A hash table by slot: first {slot, records}, then what of a handle is not its count.
shared uint trellis_bin_low[kBins];
shared uint trellis_bin_high[kBins];
shared uint trellis_bin_stride[kBins];

// The bin of a slot; kBins if all that it may have are taken.
uint FindBin(const uint slot) {
  uint bin = slot * 0x9e3779b1u >> (32u - kBinBits);
  for (uint probe = 0u; probe < kMaxProbes; ++probe) {
    uint held = atomicCompSwap(trellis_bin_low[bin], kNoSlot, slot);
    if (held == kNoSlot || held == slot) return bin;
    bin = (bin + 1u) % kBins;
  }
  return kBins;
}

// In uniform control flow, as allocations are.
uvec4 trellis_reserve_invocations(const uint output_number, const uint count, const uint index, const uint limit, const uint workgroup_size) {
  uint slot = FindSlot(output_number, index);
  uint clamped = min(min(count, limit), kMaxRecords);
  for (uint bin = trellis_local_index; bin < kBins; bin += workgroup_size) {
    trellis_bin_low[bin] = kNoSlot;
    trellis_bin_high[bin] = 0u;
  }
  barrier();
  uint own_bin = kBins;
  uint before = 0u;
  // Invocations of a subgroup that want the same meet the others once.
  Share share = FindShare(slot, clamped);
  // So that no sum over a workgroup wraps.
  if (share.leads && slot != kNoSlot && clamped != 0u && clamped <= kMaxRecords / workgroup_size) own_bin = FindBin(slot);
  if (own_bin != kBins) before = atomicAdd(trellis_bin_high[own_bin], share.total);
#ifdef TRELLIS_SUBGROUP_AGGREGATION
  uint bin_of_leader = subgroupShuffle(own_bin, share.leader);
  uint before_group = subgroupShuffle(before, share.leader);
  if (share.grouped) {
    own_bin = bin_of_leader;
    before = before_group + share.before;
  }
#endif
  barrier();
  // Drivers inline the reservation, so it stands once. Each invocation's last iteration is for itself, if it has no bin.
  uvec4 own = LostHandle(clamped);
  for (uint bin = trellis_local_index; bin < kBins + workgroup_size; bin += workgroup_size) {
    bool is_bin = bin < kBins;
    uint records = is_bin ? trellis_bin_high[bin] : own_bin == kBins ? clamped : 0u;
    if (records == 0u) continue;
    uvec4 all = Reserve(is_bin ? trellis_bin_low[bin] : slot, records);
    if (is_bin) {
      trellis_bin_low[bin] = all.x;
      trellis_bin_high[bin] = all.y;
      trellis_bin_stride[bin] = all.w;
    } else {
      own = all;
    }
  }
  barrier();
  if (own_bin != kBins) {
    own = PartOf(uvec4(trellis_bin_low[own_bin], trellis_bin_high[own_bin], 0u, trellis_bin_stride[own_bin]), before, clamped);
  }
  // No invocation may clear the bins for the next allocation before all have read them.
  barrier();
  return own;
}

#endif  // TRELLIS_META_SHADERS_RUNTIME_RESERVE_SORTED_GLSL
