// SPDX-License-Identifier: Apache-2.0
// Append buffers of hand-written compute. The head of each list is the VkDispatchIndirectCommand of the dispatch that consumes it, so that nothing
// but a barrier stands between producer and consumer.
#extension GL_EXT_buffer_reference : require

struct Queue {  // mirrored by bench/workloads/queues.h
  uint x;
  uint y;
  uint z;
  uint count;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Queues { Queue at[]; };

// Records that one more workgroup (or one more row of workgroups) of the consumer takes.
layout(constant_id = 20) const uint kRecordsAStep = 1;
// 1: the grid grows by rows, for devices that cannot have it long enough.
layout(constant_id = 21) const uint kGrowsByRows = 0;

// Takes `count` places of a list; its grid grows with it. The growth of all appends adds up to ceil(records / records_a_step).
uint append_for(Queues queues, uint queue, uint count, uint records_a_step) {
  if (records_a_step == 1) return atomicAdd(queues.at[queue].x, count);
  const uint first = atomicAdd(queues.at[queue].count, count);
  const uint growth = (first + count + records_a_step - 1) / records_a_step - (first + records_a_step - 1) / records_a_step;
  if (growth != 0) {
    if (kGrowsByRows != 0) atomicAdd(queues.at[queue].y, growth);
    else atomicAdd(queues.at[queue].x, growth);
  }
  return first;
}
uint append(Queues queues, uint queue, uint count) { return append_for(queues, queue, count, kRecordsAStep); }
