// SPDX-License-Identifier: Apache-2.0
#version 460

layout(location = 0) flat in uint sent;
layout(location = 0) out vec4 color;

void main() { color = unpackUnorm4x8(sent); }
