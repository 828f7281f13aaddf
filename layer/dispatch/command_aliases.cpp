// SPDX-License-Identifier: Apache-2.0
#include "layer/dispatch/command_aliases.h"

#include <algorithm>

#include "layer/dispatch/extension_names.h"

namespace trellis {

std::span<const CommandAlias> CommandAliases() {
  static constexpr CommandAlias kAliases[] = {
#define COMMAND_ALIAS(name, command, extension) {name, command, extension},
#include "layer/dispatch/command_aliases.inc"
#undef COMMAND_ALIAS
  };
  return kAliases;
}

const CommandAlias* FindAlias(std::string_view name) {
  const std::span aliases = CommandAliases();
  const auto found = std::ranges::lower_bound(aliases, name, {}, &CommandAlias::name);
  return found == aliases.end() || found->name != name ? nullptr : &*found;
}

PFN_vkVoidFunction LoadByAnyName(std::string_view command, std::span<const char* const> extensions,
                                 const std::function<PFN_vkVoidFunction(const char* name)>& ask) {
  PFN_vkVoidFunction found = nullptr;
  // A layer below that knows an enabled extension may be older than the core name: that would pass it by, handles of
  // its own and all. Without the extension its name is the last resort: what drivers answer then may lead nowhere.
  for (const CommandAlias& alias : CommandAliases())
    if (!found && alias.command == command && IsNamed(extensions, alias.extension)) found = ask(alias.name.data());
  if (!found) found = ask(command.data());
  for (const CommandAlias& alias : CommandAliases())
    if (!found && alias.command == command) found = ask(alias.name.data());
  return found;
}

}  // namespace trellis
