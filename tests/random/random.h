// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace trellis::test::random_graphs {

// The same numbers everywhere, which std::uniform_int_distribution does not promise.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t Word() { return static_cast<uint32_t>(engine_()); }
  uint32_t Below(uint32_t end) { return Word() % end; }
  uint32_t Between(uint32_t first, uint32_t last) { return first + Below(last - first + 1); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Below(static_cast<uint32_t>(values.size()))];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace trellis::test::random_graphs
