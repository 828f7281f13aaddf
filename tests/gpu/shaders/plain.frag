// SPDX-License-Identifier: Apache-2.0
#version 460

// Depends on everything that is bound: the vertex, push constants, and a buffer.
layout(location = 0) flat in uint value;
layout(location = 0) out uint color;
layout(set = 0, binding = 0) readonly buffer Words { uint words[]; };
layout(push_constant) uniform Pushed { uint added; };

void main() { color = value + added + words[3]; }
