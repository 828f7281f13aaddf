// SPDX-License-Identifier: Apache-2.0
// Extensions by name, as create infos list them.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace trellis {

[[nodiscard]] inline bool IsNamed(std::span<const char* const> extensions, std::string_view name) {
  return std::any_of(extensions.begin(), extensions.end(), [name](const char* named) { return name == named; });
}

}  // namespace trellis
