// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
shared int64_t product;
void main() { product = int64_t(gl_WorkGroupID.x) * 3l; }
