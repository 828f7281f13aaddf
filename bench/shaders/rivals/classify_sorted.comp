#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "classify.glsl"

// Items are put in the order of their bins first, in shared memory, so that neighbouring invocations write neighbouring records.
layout(constant_id = 3) const uint kItemsOfWorkgroup = 1;

shared uint ordered[kItemsOfWorkgroup];  // items, by bin
shared uint ordered_count;
shared uint starts[kBins];  // of a bin in `ordered`

// Room in `ordered` for the items of a bin; which bin comes first does not matter. To be called in uniform control flow.
uint take_ordered(uint count) {
  const uint before = subgroupExclusiveAdd(count);
  const uint sum = subgroupAdd(count);
  uint start = 0;
  if (subgroupElect()) start = atomicAdd(ordered_count, sum);
  return subgroupBroadcastFirst(start) + before;
}

// Afterwards counts[bin] is what takes a place in `ordered` to one in the list of the bin.
void take_places(uint bin) {
  const uint count = bin < kBins ? counts[bin] : 0;
  const uint start = take_ordered(count);
  if (count == 0) return;
  starts[bin] = start;
  counts[bin] = atomicAdd(push.counters.at[bin].count, count) - start;
}

void main() {
  clear_counts();
  if (gl_LocalInvocationIndex == 0) ordered_count = 0;
  barrier();
  uint ranks[kItems];  // among the items of the same bin and workgroup
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first_item() + i * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item < push.item_count) ranks[i] = atomicAdd(counts[bin_of_item(item)], 1);
  }
  barrier();
  for (uint bin = 0; bin < kBins; bin += gl_WorkGroupSize.x) take_places(bin + gl_LocalInvocationIndex);
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first_item() + i * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item < push.item_count) ordered[starts[bin_of_item(item)] + ranks[i]] = item;
  }
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint place = i * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (place >= ordered_count) continue;
    const Record record = make_record(ordered[place]);
    const uint bin = bin_of(record, kBins);
    write(bin, counts[bin] + place, record);
  }
}
