// SPDX-License-Identifier: Apache-2.0
// The items of a workgroup in the order of their bins, in shared memory, so that neighbouring invocations have neighbouring records to write. The
// includer has the constants kBins, kItems (of an invocation) and kItemsOfWorkgroup. It defines bin_of_item, count_item and place_bin.
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

shared uint bin_counts[kBins];
shared uint bin_starts[kBins];           // in `ordered`
shared uint ordered[kItemsOfWorkgroup];  // items
shared uint ordered_count;

uint add_count(uint bin, uint count) { return atomicAdd(bin_counts[bin], count); }

// Called once for each bin that has items, by one invocation; what it writes to shared memory all can read after order_items.
void place_bin(uint bin, uint start, uint count);

// Room in `ordered` for the items of a bin; which bin comes first does not matter. To be called in uniform control flow.
uint take_ordered(uint count) {
  const uint before = subgroupExclusiveAdd(count);
  const uint sum = subgroupAdd(count);
  uint start = 0;
  if (subgroupElect()) start = atomicAdd(ordered_count, sum);
  return subgroupBroadcastFirst(start) + before;
}

// Those from `first` on that are below `end`. In uniform control flow.
void order_items(uint first, uint end) {
  for (uint bin = gl_LocalInvocationID.x; bin < kBins; bin += gl_WorkGroupSize.x) bin_counts[bin] = 0;
  if (gl_LocalInvocationID.x == 0) ordered_count = 0;
  barrier();
  uint ranks[kItems];  // among the items of the same bin
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first + i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (item < end) ranks[i] = count_item(bin_of_item(item));
  }
  barrier();
  for (uint first_bin = 0; first_bin < kBins; first_bin += gl_WorkGroupSize.x) {
    const uint bin = first_bin + gl_LocalInvocationID.x;
    const uint count = bin < kBins ? bin_counts[bin] : 0;
    const uint start = take_ordered(count);
    if (count == 0) continue;
    bin_starts[bin] = start;
    place_bin(bin, start, count);
  }
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first + i * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (item < end) ordered[bin_starts[bin_of_item(item)] + ranks[i]] = item;
  }
  barrier();
}
