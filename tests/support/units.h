// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace trellis::test {

inline constexpr uint64_t kMiB = 1024 * 1024;

}  // namespace trellis::test
