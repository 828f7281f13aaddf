// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 1) in;
shared uint sum;
void main() { sum = subgroupAdd(gl_WorkGroupID.x); }
