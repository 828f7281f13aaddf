#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the commands that have several names as X-macro lines, sorted: COMMAND_ALIAS("name", "command", "extension that has the name").

usage: gen_command_aliases.py VK_XML OUTPUT
"""

from registry import generate


def lines(registry):
    extensions = registry.required_commands()
    aliases = {name: (element.get("alias"), extensions[name]) for name, element in registry.commands() if element.get("alias")}
    # Registries without VK_KHR_maintenance10 do not say so, but drivers do: see layer/dispatch/newer_commands.h.
    aliases.setdefault("vkCmdEndRendering2EXT", ("vkCmdEndRendering2KHR", "VK_EXT_fragment_density_map_offset"))
    return [f'COMMAND_ALIAS("{name}", "{command}", "{extension or ""}")\n' for name, (command, extension) in sorted(aliases.items())]


if __name__ == "__main__":
    generate(__doc__, lines)
