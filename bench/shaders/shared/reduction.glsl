// SPDX-License-Identifier: Apache-2.0
// Sums of many records. Mirrored by bench/workloads/reduction.cpp.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "buffers.glsl"

const uint kReduced = 256;  // records, and invocations, of a workgroup

struct Sum {
  uint value;
  uint count;
};

Sum sum_of(uint index) { return Sum(hash(index), 1); }

shared uint values[kReduced];  // of subgroups
shared uint counts[kReduced];

// In the first invocation: the sum over the workgroup. To be called in uniform control flow.
Sum reduce(Sum mine) {
  const Sum part = Sum(subgroupAdd(mine.value), subgroupAdd(mine.count));
  if (subgroupElect()) {
    values[gl_SubgroupID] = part.value;
    counts[gl_SubgroupID] = part.count;
  }
  barrier();
  Sum all = Sum(0, 0);
  if (gl_LocalInvocationID.x == 0) {
    for (uint i = 0; i < gl_NumSubgroups; ++i) {
      all.value += values[i];
      all.count += counts[i];
    }
  }
  return all;
}
