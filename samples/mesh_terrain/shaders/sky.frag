// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "frame.glsl"
#include "height.glsl"
#include "light.glsl"

layout(location = 0) in vec3 direction;
layout(location = 0) out vec4 color;

void main() {
  const vec3 ray = normalize(direction);
  vec3 sent = SkyColor(ray);
  if (ray.y > 0.02) {
    vec2 p = ray.xz / (ray.y + 0.08) * 1.3 + 11;
    float clouds = 0, weight = 0.5;
    for (int i = 0; i < 5; ++i) {
      clouds += weight * Noise(p).x;
      weight *= 0.5;
      p = mat2(1.6, -1.2, 1.2, 1.6) * p;
    }
    const float to_sun = max(dot(ray, frame.to_sun.xyz), 0);
    const vec3 cloud = mix(vec3(0.75, 0.78, 0.84), vec3(1.5, 1.2, 0.9), pow(to_sun, 4));
    sent = mix(sent, cloud, smoothstep(0.46, 0.78, clouds) * 0.85 * smoothstep(0.02, 0.2, ray.y));
  }
  sent += kSunColor * 4 * smoothstep(0.9994, 0.9998, dot(ray, frame.to_sun.xyz));
  color = vec4(Shown(sent), 1);
}
