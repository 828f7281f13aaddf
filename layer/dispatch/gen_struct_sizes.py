#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one X-macro line per chainable Vulkan structure: STRUCT(sType value, type name).

usage: gen_struct_sizes.py VK_XML OUTPUT

Every structure with a fixed sType is listed, also those that only start a chain, so that whole create infos can be copied. Structures that need a platform's
headers are guarded by that platform's macro.
"""

from registry import fixed_stype, generate, guarded


def lines(registry):
    chainable = sorted((macro, name, fixed_stype(element)) for name, element, macro in registry.structures() if fixed_stype(element))
    return guarded((macro, f"STRUCT({value}, {name})\n") for macro, name, value in chainable)


if __name__ == "__main__":
    generate(__doc__, lines)
