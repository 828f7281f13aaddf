// SPDX-License-Identifier: Apache-2.0
// Commands with several names, as the registry has them: promoted commands keep those of their extensions.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// All names begin with "vk" and end with a null character.
struct CommandAlias {
  std::string_view name;
  std::string_view command;    // never an alias itself
  std::string_view extension;  // the first one that has the name
};

// Sorted by name.
[[nodiscard]] std::span<const CommandAlias> CommandAliases();

// Null if `name` is no alias.
[[nodiscard]] const CommandAlias* FindAlias(std::string_view name);

// Asks the next layer for a command: first by the names of `extensions`, which are enabled, then by `command`, then by
// its other names. Returns null if `ask` knows none of them.
[[nodiscard]] PFN_vkVoidFunction LoadByAnyName(std::string_view command, std::span<const char* const> extensions,
                                               const std::function<PFN_vkVoidFunction(const char* name)>& ask);

}  // namespace trellis
