// SPDX-License-Identifier: Apache-2.0
#version 460

layout(location = 0) in vec3 position;
layout(location = 1) in uint color;
layout(location = 0) flat out uint sent;

void main() {
  gl_Position = vec4(position, 1.0);
  sent = color;
}
