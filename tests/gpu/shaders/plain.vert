// SPDX-License-Identifier: Apache-2.0
#version 460

layout(location = 0) in vec2 position;
layout(location = 1) in uint given;
layout(location = 0) flat out uint value;

void main() {
  gl_Position = vec4(position, 0.5, 1);
  value = given;
}
