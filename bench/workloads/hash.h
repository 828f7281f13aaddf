// SPDX-License-Identifier: Apache-2.0
// The hash of bench/shaders/shared/buffers.glsl.
#pragma once

#include <cstdint>

namespace trellis::bench {

constexpr uint32_t Hash(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

}  // namespace trellis::bench
