// SPDX-License-Identifier: Apache-2.0
// SPIR-V that a device accepts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/context.h"

namespace trellis::test {

// Returns a copy of a module whose version the device accepts: devices of Vulkan 1.2 accept SPIR-V 1.5. The tests
// assemble their modules as SPIR-V 1.6 and use nothing of it.
inline std::vector<uint32_t> AcceptedWords(const Context& context, std::span<const uint32_t> words) {
  constexpr uint32_t kSpirv15 = 0x00010500;
  std::vector<uint32_t> accepted(words.begin(), words.end());
  if (context.properties.apiVersion < VK_API_VERSION_1_3 && accepted.size() > 1)
    accepted[1] = std::min(accepted[1], kSpirv15);
  return accepted;
}

}  // namespace trellis::test
