// SPDX-License-Identifier: Apache-2.0
// What the bins of the classification do: they add up what is computed of their records.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "records.glsl"

shared uint sum;

// To be called by the whole workgroup; `value` is what each invocation adds to the sum of the bin.
void add_to_bin(Words results, uint bin, uint value) {
  if (gl_LocalInvocationID.x == 0) sum = 0;
  barrier();
  const uint part = subgroupAdd(value);
  if (subgroupElect()) atomicAdd(sum, part);
  barrier();
  if (gl_LocalInvocationID.x == 0) atomicAdd(results.at[bin], sum);
}
