// SPDX-License-Identifier: Apache-2.0
// Counters of lists, each on a cache line of its own: atomics on one line wait for each other.
#extension GL_EXT_buffer_reference : require

struct Counter {  // mirrored by bench/workloads/queues.h
  uint count;
  uint padding[31];
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Counters { Counter at[]; };
