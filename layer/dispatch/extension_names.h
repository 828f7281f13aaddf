// SPDX-License-Identifier: Apache-2.0
// Extensions by name, as create infos of instances and devices list them.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "layer/dispatch/arena.h"

namespace trellis {

[[nodiscard]] inline bool IsNamed(std::span<const char* const> extensions, std::string_view name) {
  return std::any_of(extensions.begin(), extensions.end(), [name](const char* named) { return name == named; });
}

template <typename CreateInfo>
[[nodiscard]] bool EnablesExtension(const CreateInfo& info, std::string_view name) {
  return IsNamed({info.ppEnabledExtensionNames, info.enabledExtensionCount}, name);
}

// Adds a name to a copy of the application's create info.
template <typename CreateInfo>
void AddExtension(CreateInfo& info, const char* name, Arena& arena) {
  auto* names = static_cast<const char**>(arena.Allocate(sizeof(char*) * (info.enabledExtensionCount + 1)));
  std::copy_n(info.ppEnabledExtensionNames, info.enabledExtensionCount, names);
  names[info.enabledExtensionCount++] = name;
  info.ppEnabledExtensionNames = names;
}

}  // namespace trellis
