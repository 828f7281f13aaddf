// SPDX-License-Identifier: Apache-2.0
// What a graph dispatch became, in numbers.
#pragma once

#include <cstdint>

namespace trellis {

struct Recorded {
  uint32_t dispatches = 0;
  uint32_t binds = 0;
  uint32_t barriers = 0;
  uint32_t draws = 0;
};

}  // namespace trellis
