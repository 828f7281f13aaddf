// SPDX-License-Identifier: Apache-2.0
#include "samples/mesh_terrain/frame.h"

#include <algorithm>
#include <cmath>

namespace terrain {
namespace {

// A place of the camera and a place that it looks at. The time between two stops is always the same.
struct Stop {
  Vec3 position;
  Vec3 target;
};

constexpr std::array<Stop, 6> kStops = {{{{1950, 80.2f, 84}, {1880, 74, 300}},
                                         {{1948, 73.5f, 150}, {1850, 82, 500}},
                                         {{1925, 72, 400}, {1800, 100, 860}},
                                         {{1768, 75, 690}, {1750, 108, 950}},
                                         {{1798, 86, 842}, {1670, 175, 1250}},
                                         {{1812, 175, 1060}, {1560, 235, 1400}}}};

Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 operator*(const Vec3& a, float b) { return {a[0] * b, a[1] * b, a[2] * b}; }
float Dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 Normalized(const Vec3& a) { return a * (1 / std::sqrt(Dot(a, a))); }
Vec4 Extended(const Vec3& a, float w = 0) { return {a[0], a[1], a[2], w}; }

// A Catmull-Rom curve through b and c.
Vec3 Between(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, float t) {
  const Vec3 bend = a * 2 - b * 5 + c * 4 - d, twist = b * 3 - a + d - c * 3;
  return b + ((c - a) + (bend + twist * t) * t) * (0.5f * t);
}

Stop StopAt(float time) {
  const int last = static_cast<int>(kStops.size()) - 1;
  const int index = std::min(static_cast<int>(time), last - 1);
  const auto at = [&](int i) -> const Stop& { return kStops[static_cast<size_t>(std::clamp(index + i, 0, last))]; };
  const float t = time - static_cast<float>(index);
  return {Between(at(-1).position, at(0).position, at(1).position, at(2).position, t),
          Between(at(-1).target, at(0).target, at(1).target, at(2).target, t)};
}

// A side of the frustum with that normal, through the eye.
IVec4 Side(const Vec3& inwards, const IVec4& eye) {
  IVec4 side = {};
  for (size_t i = 0; i < 3; ++i) {
    side[i] = static_cast<int32_t>(std::lround(inwards[i] * 1024));
    side[3] -= side[i] * eye[i];
  }
  return side;
}

}  // namespace

Frame FrameAt(float number, uint32_t width, uint32_t height) {
  constexpr float kNear = 0.25f;
  const float up_slope = 0.5f, right_slope = up_slope * static_cast<float>(width) / static_cast<float>(height);
  const float length = static_cast<float>(kStops.size() - 1);
  const Stop stop = StopAt(length * std::fmod(number, float{kFlightFrames}) / float{kFlightFrames - 1});
  const Vec3 forward = Normalized(stop.target - stop.position);
  const Vec3 right = Normalized(Cross(forward, {0, 1, 0}));
  const Vec3 up = Cross(right, forward);

  Frame frame = {};
  frame.camera = Extended(stop.position, 1);
  frame.right = Extended(right * right_slope);
  frame.up = Extended(up * up_slope);
  frame.forward = Extended(forward);
  frame.to_sun = Extended(Normalized({0.80f, 0.40f, 0.22f}));
  // Depth is kNear / distance: 1 at the nearest, 0 infinitely far away.
  const std::array<Vec3, 4> rows = {right * (1 / right_slope), up * (-1 / up_slope), Vec3{}, forward};
  for (size_t row = 0; row < 4; ++row) {
    for (size_t column = 0; column < 3; ++column) frame.clip_from_world[column][row] = rows[row][column];
    frame.clip_from_world[3][row] = row == 2 ? kNear : -Dot(rows[row], stop.position);
  }
  for (size_t i = 0; i < 3; ++i) frame.eye[i] = static_cast<int32_t>(std::lround(stop.position[i] * kUnit));
  frame.sides = {Side(Normalized(forward * right_slope + right), frame.eye),
                 Side(Normalized(forward * right_slope - right), frame.eye),
                 Side(Normalized(forward * up_slope + up), frame.eye),
                 Side(Normalized(forward * up_slope - up), frame.eye)};
  return frame;
}

}  // namespace terrain
