#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes names of the registry as X-macro lines: EXTENSION("name") for every extension of Vulkan, COMMAND("name") for every vkCmd*,
RESULT(name) for every VkResult.

usage: gen_registry_names.py VK_XML OUTPUT

The including file defines one or more of the macros. The lines of the others are skipped.
"""

from registry import generate, section


def quoted(names):
    return [f'"{name}"' for name in sorted(names)]


def lines(registry):
    return (
        section("EXTENSION", quoted(extension.get("name") for extension in registry.extensions))
        + section("COMMAND", quoted(name for name in registry.required_commands() if name.startswith("vkCmd")))
        + section("RESULT", sorted(registry.enumerants("VkResult")))
    )


if __name__ == "__main__":
    generate(__doc__, lines)
