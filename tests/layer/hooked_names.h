// SPDX-License-Identifier: Apache-2.0
// Names of the device commands that the layer hooks.
#pragma once

#include <set>
#include <string>

#include "layer/dispatch/command_aliases.h"
#include "layer/entry/hook_lists.h"

namespace trellis::test {

// With "vk", and with their aliases. Without the commands that the layer provides itself.
inline std::set<std::string> HookedDeviceCommands() {
#define NAME(name) "vk" #name,
  std::set<std::string> names = {TRELLIS_DEVICE_HOOKS(NAME, NAME)};
#undef NAME
  for (const CommandAlias& alias : CommandAliases())
    if (names.count(std::string(alias.command))) names.emplace(alias.name);
  return names;
}

}  // namespace trellis::test
