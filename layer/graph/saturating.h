// SPDX-License-Identifier: Apache-2.0
// Arithmetic for bounds: sums and products of counts stop at the largest number instead of wrapping.
#pragma once

#include <cstdint>

namespace trellis {

inline constexpr uint64_t kUnbounded = ~uint64_t{0};

[[nodiscard]] inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) { return a > kUnbounded - b ? kUnbounded : a + b; }
[[nodiscard]] inline uint64_t SaturatingMultiply(uint64_t a, uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}
[[nodiscard]] inline uint64_t CeilDivide(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
// A multiple of `multiple`, a power of two: the next one at or above, or the largest one there is.
[[nodiscard]] inline uint64_t SaturatingRoundUp(uint64_t value, uint64_t multiple) {
  return SaturatingAdd(value, multiple - 1) & ~(multiple - 1);
}

}  // namespace trellis
