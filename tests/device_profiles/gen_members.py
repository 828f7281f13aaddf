#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes X-macro lines about the features, limits, formats and commands that a device profile can hide or lower.

usage: gen_members.py VK_XML OUTPUT

  CORE_FEATURE(member)                         of VkPhysicalDeviceFeatures
  FEATURE(sType value, structure, member)      of a structure that extends VkPhysicalDeviceFeatures2
  CORE_LIMIT(member, direction)                of VkPhysicalDeviceLimits
  LIMIT(sType value, structure, member, name, direction)
                                               of a structure that extends VkPhysicalDeviceProperties2
  FORMAT(name)                                 a value of VkFormat
  FORMAT_FEATURE(name)                         a bit of VkFormatFeatureFlagBits2
  COMMAND(name, version)                       a command of Vulkan 1.1 or newer

`direction` is the registry's limittype: Max, Min (the smaller value is better), Mask. Properties that are no limits are left out.
`name` is the member's name in profiles: its own, or the one in VkPhysicalDeviceVulkan11Properties.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "layer/dispatch"))
from registry import fixed_stype, generate, guarded  # noqa: E402

DIRECTIONS = {"max": "Max", "bits": "Max", "min": "Min", "bitmask": "Mask"}
MACROS = (
    "CORE_FEATURE(member)",
    "FEATURE(type, structure, member)",
    "CORE_LIMIT(member, direction)",
    "LIMIT(type, structure, member, name, direction)",
    "FORMAT(name)",
    "FORMAT_FEATURE(name)",
    "COMMAND(name, version)",
)


def direction(member):
    return DIRECTIONS.get((member.get("limittype") or "").split(",")[0])


def name_in_profiles(structure, member):
    if structure == "VkPhysicalDeviceSubgroupProperties" and not member.startswith("subgroup"):
        return "subgroup" + member[0].upper() + member[1:]
    return member


def structure_rows(registry):
    chainable = sorted((macro, name, fixed_stype(element), element) for name, element, macro in registry.structures() if fixed_stype(element))
    for macro, name, value, element in chainable:
        extends = (element.get("structextends") or "").split(",")
        for member in element.iterfind("member"):
            text = member.findtext("name")
            if "VkPhysicalDeviceFeatures2" in extends and member.findtext("type") == "VkBool32":
                yield macro, f"FEATURE({value}, {name}, {text})\n"
            if "VkPhysicalDeviceProperties2" in extends and direction(member):
                yield macro, f"LIMIT({value}, {name}, {text}, {name_in_profiles(name, text)}, {direction(member)})\n"


def core_lines(registry):
    for member in registry.root.iterfind("types/type[@name='VkPhysicalDeviceFeatures']/member"):
        yield f"CORE_FEATURE({member.findtext('name')})\n"
    for member in registry.root.iterfind("types/type[@name='VkPhysicalDeviceLimits']/member"):
        if direction(member):
            yield f"CORE_LIMIT({member.findtext('name')}, {direction(member)})\n"


def enum_lines(registry, macro, enumeration):
    for name in sorted(registry.enumerants(enumeration) - {"VK_FORMAT_UNDEFINED"}):
        yield f"{macro}({name})\n"


def command_lines(registry):
    for feature in registry.root.iterfind("feature"):
        major, minor = feature.get("number").split(".")
        if minor == "0":
            continue
        for command in feature.iterfind("require/command"):
            yield f"COMMAND({command.get('name')}, VK_MAKE_API_VERSION(0, {major}, {minor}, 0))\n"


def lines(registry):
    names = [macro.split("(")[0] for macro in MACROS]
    yield from (f"#ifndef {name}\n#define {macro}\n#endif\n" for name, macro in zip(names, MACROS))
    yield from core_lines(registry)
    yield from guarded(structure_rows(registry))
    yield from enum_lines(registry, "FORMAT", "VkFormat")
    yield from enum_lines(registry, "FORMAT_FEATURE", "VkFormatFeatureFlagBits2")
    yield from command_lines(registry)
    yield from (f"#undef {name}\n" for name in names)


if __name__ == "__main__":
    generate(__doc__, lines)
