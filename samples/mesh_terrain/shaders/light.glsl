// SPDX-License-Identifier: Apache-2.0
// Sun, sky and fog. Needs frame.glsl and height.glsl.
const vec3 kSunColor = vec3(1.0, 0.78, 0.52) * 3.2;

vec3 SkyColor(const vec3 direction) {
  const float up = max(direction.y, 0);
  const float to_sun = max(dot(direction, frame.to_sun.xyz), 0);
  vec3 color = mix(vec3(0.58, 0.66, 0.76), vec3(0.12, 0.27, 0.58), 1 - exp(-4.0 * up));
  color += vec3(1.0, 0.62, 0.28) * 0.45 * pow(to_sun, 6) * exp(-3.0 * up);
  return color + kSunColor * (0.12 * pow(to_sun, 60));
}

// Returns 0 in the shadow of the ground, 1 in the sun.
float Sunlight(const vec3 place) {
  float light = 1;
  float reach = 3;
  for (int i = 0; i < 6; ++i) {
    const vec3 p = place + frame.to_sun.xyz * reach;
    light = min(light, 0.5 + 8 * (p.y - RawHeight(p.xz, 4)) / reach);
    reach *= 2.1;
  }
  return clamp(light, 0, 1);
}

// Returns the light that a surface of that colour reflects.
vec3 Lit(const vec3 color, const vec3 normal, const float sunlight) {
  const float sun = max(dot(normal, frame.to_sun.xyz), 0) * sunlight;
  const float sky = 0.5 + 0.5 * normal.y;
  const float back = max(dot(normal, normalize(vec3(-frame.to_sun.x, 0.2, -frame.to_sun.z))), 0);
  return color * (kSunColor * sun + vec3(0.36, 0.46, 0.62) * sky + vec3(0.16, 0.13, 0.10) * back);
}

// Returns the colour after the air between it and the camera.
vec3 Fogged(const vec3 color, const vec3 place) {
  const vec3 ray = place - frame.camera.xyz;
  const float far = length(ray);
  const float fog = 1 - exp(-far * 0.00055 * exp(-0.002 * max(place.y - kWater, 0)));
  return mix(color, SkyColor(ray / far * vec3(1, 0.2, 1)), fog);
}

// Maps light to a colour of 0 to 1.
vec3 Shown(const vec3 color) {
  const vec3 c = color * 0.55;
  return clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0, 1);
}
