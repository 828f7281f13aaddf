// SPDX-License-Identifier: Apache-2.0
#version 460

layout(location = 0) flat in uint value;
layout(location = 0) out uint color;

void main() { color = value; }
