// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "height.glsl"
#include "light.glsl"

layout(location = 0) in vec3 world;
layout(location = 1) in float sunlight;
layout(location = 0) out vec4 color;

vec3 Lake(const float depth) {
  const vec3 ray = normalize(world - frame.camera.xyz);
  const vec3 noise = Noise(world.xz * 0.35) * 0.6 + Noise(world.xz * 0.11 + 7);
  const float calm = 0.035 / (1 + 0.004 * distance(world, frame.camera.xyz));
  const vec3 normal = normalize(vec3(noise.y * calm, 1, noise.z * calm));
  const vec3 mirrored = reflect(ray, normal);
  const float mirrors = 0.03 + 0.97 * pow(1 - max(dot(-ray, normal), 0), 5);
  const vec3 water = mix(vec3(0.10, 0.17, 0.14), vec3(0.015, 0.05, 0.075), clamp(depth / 9, 0, 1));
  const float glint = pow(max(dot(mirrored, frame.to_sun.xyz), 0), 220);
  return mix(water, SkyColor(vec3(mirrored.x, abs(mirrored.y), mirrored.z)), mirrors) + kSunColor * glint;
}

// By height and slope: sand, meadow, rock, snow.
vec3 Surface(const vec3 normal) {
  const float patches = Noise(world.xz / 23).x, grain = Noise(world.xz * 1.7).x;
  const vec3 rock = mix(vec3(0.15, 0.135, 0.125), vec3(0.29, 0.255, 0.22), Noise(vec2(world.x / 60, world.y / 5)).x) *
                    (0.75 + 0.5 * grain);
  vec3 meadow = mix(vec3(0.075, 0.125, 0.03), vec3(0.17, 0.17, 0.05), patches) * (0.8 + 0.4 * grain);
  meadow = mix(meadow, vec3(0.20, 0.17, 0.09), smoothstep(130, 175, world.y + 20 * patches));
  const vec3 sand = vec3(0.36, 0.31, 0.22) * (0.85 + 0.3 * grain);
  vec3 surface = mix(rock, meadow, smoothstep(0.72, 0.84, normal.y + 0.08 * (patches - 0.5)));
  surface = mix(sand, surface, smoothstep(kWater + 0.6, kWater + 3, world.y + 2 * patches));
  const float snow = smoothstep(165, 190, world.y + 30 * (patches - 0.5)) * smoothstep(0.52, 0.74, normal.y);
  return mix(surface, vec3(0.82, 0.86, 0.92), snow);
}

void main() {
  const float far = distance(world, frame.camera.xyz);
  const float depth = world.y > kWater + 2 ? -1 : kWater - RawHeight(world.xz, kOctaves);
  vec3 sent;
  if (depth > 0) {
    sent = Lake(depth) * (0.6 + 0.4 * sunlight);
  } else {
    const int octaves = clamp(10 - int(log2(1 + far / 40)), 5, 9);
    const vec3 normal = Normal(world.xz, 0.15 + 0.0022 * far, octaves);
    sent = Lit(Surface(normal), normal, sunlight);
  }
  color = vec4(Shown(Fogged(sent, world)), 1);
}
