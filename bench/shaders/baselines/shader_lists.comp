// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shader_lists.glsl"
#include "../shared/count_agreeing.glsl"

// Appends kItems records per invocation to the lists of the shaders in use, with one atomic per workgroup and list.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kItems = 1;
layout(constant_id = 2) const uint kItemsOfWorkgroup = 1;
layout(constant_id = 3) const bool kOrdered = false;  // the workgroup puts its records in the order of the lists first
const uint kBins = 8;

uint bin_of_item(uint item) { return hash(item) % kBins; }
uint count_item(uint bin) { return count_agreeing(bin); }
#include "../shared/order_by_bin.glsl"

shared uint shifts[kBins];  // from a place among the workgroup's records to one in the list

uint append_to(uint bin, uint count) { return append_for(push.queues, bin * kQueuesOfLine, count, push.records_a_step); }

void place_bin(uint bin, uint start, uint count) { shifts[bin] = append_to(bin, count) - start; }

void write(uint bin, uint place, uint item) {
  push.records.at[bin * push.capacity + min(place, push.capacity - 1)] = make_record(item).words;
}

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * kItemsOfWorkgroup;
  if (kOrdered) {
    order_items(first, first + kItemsOfWorkgroup);
    [[unroll]] for (uint i = 0; i < kItems; ++i) {
      const uint place = i * gl_WorkGroupSize.x + lane;
      const uint item = ordered[place];
      write(bin_of_item(item), shifts[bin_of_item(item)] + place, item);
    }
    return;
  }
  if (lane < kBins) bin_counts[lane] = 0;
  barrier();
  uint ranks[kItems];
  [[unroll]] for (uint i = 0; i < kItems; ++i) ranks[i] = count_item(bin_of_item(first + i * gl_WorkGroupSize.x + lane));
  barrier();
  if (lane < kBins && bin_counts[lane] != 0) shifts[lane] = append_to(lane, bin_counts[lane]);
  barrier();
  [[unroll]] for (uint i = 0; i < kItems; ++i) {
    const uint item = first + i * gl_WorkGroupSize.x + lane;
    write(bin_of_item(item), shifts[bin_of_item(item)] + ranks[i], item);
  }
}
