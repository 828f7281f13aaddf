// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "state.glsl"

layout(location = 0) flat in uint sent;
layout(location = 0) out uint color;

void main() { color = sent + identity + table[3] + push[1].z + words[0]; }
