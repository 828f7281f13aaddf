// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "height.glsl"
#include "light.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in vec3 tint;
layout(location = 0) out vec4 color;

void main() { color = vec4(Shown(Fogged(tint, world)), 1); }
