// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "height.glsl"
#include "light.glsl"

layout(location = 0) in vec3 world;
layout(location = 0) out vec4 color;

void main() {
  const vec3 across = cross(dFdx(world), dFdy(world));
  const vec3 facing = dot(across, world - frame.camera.xyz) < 0 ? across : -across;
  const vec3 normal = normalize(facing + 1e-9);
  const float grain = Noise(world.xz * 4 + world.y * 3).x, lichen = Noise(world.xz * 1.1 + world.y).x;
  vec3 rock = mix(vec3(0.20, 0.185, 0.17), vec3(0.34, 0.32, 0.29), grain);
  rock = mix(rock, vec3(0.16, 0.18, 0.07), smoothstep(0.55, 0.8, lichen) * max(normal.y, 0));
  const float near_ground = clamp(0.55 + 0.6 * (world.y - RawHeight(world.xz, 6)), 0.4, 1);
  color = vec4(Shown(Fogged(Lit(rock, normal, Sunlight(world)) * near_ground, world)), 1);
}
