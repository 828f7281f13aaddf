#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes names of the registry as X-macro lines: EXTENSION("name") for every extension of Vulkan, COMMAND("name") for every vkCmd*,
ACTION_COMMAND("name") for every vkCmd* that neither sets state nor executes other commands, without aliases, RESULT(name) for every VkResult.

usage: gen_registry_names.py VK_XML OUTPUT

The including file defines one or more of the macros. The lines of the others are skipped.
"""

from registry import generate, section


def quoted(names):
    return [f'"{name}"' for name in sorted(names)]


def actions(registry):
    for name, element in registry.commands():
        if name.startswith("vkCmd") and element.get("tasks") and not {"state", "indirection"} & set(element.get("tasks").split(",")):
            yield name


def lines(registry):
    return (
        section("EXTENSION", quoted(extension.get("name") for extension in registry.extensions))
        + section("COMMAND", quoted(name for name in registry.required_commands() if name.startswith("vkCmd")))
        + section("ACTION_COMMAND", quoted(actions(registry)))
        + section("RESULT", sorted(registry.enumerants("VkResult")))
    )


if __name__ == "__main__":
    generate(__doc__, lines)
