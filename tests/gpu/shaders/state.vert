// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "state.glsl"

layout(location = 0) in vec2 position;
layout(location = 1) in uint value;
layout(location = 0) flat out uint sent;

void main() {
  gl_Position = vec4(position, 0.0, 1.0);
  sent = value + push[0].y;
}
