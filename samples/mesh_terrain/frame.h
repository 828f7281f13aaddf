// SPDX-License-Identifier: Apache-2.0
// The data of a frame for the shaders, and the camera's flight.
#pragma once

#include <array>
#include <cstdint>

namespace terrain {

using Vec3 = std::array<float, 3>;
using Vec4 = std::array<float, 4>;
using IVec4 = std::array<int32_t, 4>;

inline constexpr int kUnit = 16;          // of integers to the metre
inline constexpr int kGroundSize = 4096;  // in metres; the ground begins at 0, 0
inline constexpr uint32_t kFlightFrames = 60;

// As shaders/frame.glsl declares it.
struct Frame {
  std::array<Vec4, 4> clip_from_world;  // columns
  Vec4 camera;
  Vec4 right;
  Vec4 up;
  Vec4 forward;
  Vec4 to_sun;
  IVec4 eye;
  std::array<IVec4, 4> sides;
};

// Returns the frame `number` of the flight, which repeats after kFlightFrames. The camera moves between whole numbers
// too.
Frame FrameAt(float number, uint32_t width, uint32_t height);

}  // namespace terrain
