// SPDX-License-Identifier: Apache-2.0
// The ground's height. Whole numbers are hashed with integers, so every device gets the same ones.
uint Hash(uint value) {
  value = value * 747796405u + 2891336453u;
  value = ((value >> ((value >> 28) + 4)) ^ value) * 277803737u;
  return (value >> 22) ^ value;
}

uint Hash(const ivec2 place) { return Hash(uint(place.x) + Hash(uint(place.y))); }

// Returns 0 to 1, from 16 of the bits.
float Fraction(const uint hash) { return float(hash & 0xFFFF) / 65535.0; }

// Returns noise of 0 to 1, and its slopes.
vec3 Noise(const vec2 place) {
  const vec2 whole = floor(place);
  const vec2 f = place - whole;
  const ivec2 cell = ivec2(whole);
  const vec2 u = f * f * f * (f * (f * 6 - 15) + 10);
  const vec2 slope = 30 * f * f * (f * (f - 2) + 1);
  const float a = Fraction(Hash(cell)), b = Fraction(Hash(cell + ivec2(1, 0)));
  const float c = Fraction(Hash(cell + ivec2(0, 1))), d = Fraction(Hash(cell + ivec2(1, 1)));
  const float twist = a - b - c + d;
  return vec3(a + (b - a) * u.x + (c - a) * u.y + twist * u.x * u.y,
              slope * vec2(b - a + twist * u.y, c - a + twist * u.x));
}

const float kWater = 66;
const int kOctaves = 8;  // of the drawn surface

// An octave counts less where the octaves before it are steep.
float RawHeight(const vec2 place, const int octaves) {
  precise float height = 0;
  float weight = 1;
  vec2 slope = vec2(0);
  precise vec2 p = place / 480;
  for (int i = 0; i < octaves; ++i) {
    const vec3 noise = Noise(p);
    slope += noise.yz * (i == 0 ? 0.6 : 1.0);
    height += weight * noise.x / (1 + dot(slope, slope));
    weight *= 0.5;
    p = mat2(1.6, -1.2, 1.2, 1.6) * p;
  }
  return 160 * height;
}

// With lakes.
float Height(const vec2 place) { return max(RawHeight(place, kOctaves), kWater); }

vec3 Normal(const vec2 place, const float reach, const int octaves) {
  const float here = RawHeight(place, octaves);
  return normalize(vec3(here - RawHeight(place + vec2(reach, 0), octaves), reach,
                        here - RawHeight(place + vec2(0, reach), octaves)));
}
