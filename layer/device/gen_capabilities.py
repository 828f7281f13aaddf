#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what Vulkan wants for each SPIR-V capability, one X-macro line for each way to fulfil it.

usage: gen_capabilities.py VK_XML SPIRV_CORE_GRAMMAR_JSON OUTPUT

  FEATURE(capability, name, structure, sType, member)  a member of a feature structure; sType 0: VkPhysicalDeviceFeatures
  EXTENSION(capability, name, extension)
  VERSION(capability, name, version)
  PROPERTY(capability, name)                           something that the device says of itself

Lines are sorted by capability. Structures that need a platform's headers are left out.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "dispatch"))
from registry import fixed_stype, generate  # noqa: E402


def feature_structures(registry):
    """Member -> [(structure, sType)] of the structures that enable features of a device."""
    members = {}
    for name, element, macro in registry.structures():
        extends = (element.get("structextends") or "").split(",")
        if macro or (name != "VkPhysicalDeviceFeatures" and "VkDeviceCreateInfo" not in extends):
            continue
        for member in element.iterfind("member"):
            if member.findtext("type") == "VkBool32":
                members.setdefault(member.findtext("name"), []).append((name, fixed_stype(element) or "0"))
    return members


def alternatives(capability, structures):
    for enable in capability.iterfind("enable"):
        if enable.get("struct"):
            for structure, stype in structures.get(enable.get("feature"), []):
                yield "FEATURE", f'{structure}, {stype}, {enable.get("feature")}'
        elif enable.get("extension"):
            yield "EXTENSION", f'"{enable.get("extension")}"'
        elif enable.get("version"):
            yield "VERSION", enable.get("version").replace("VK_VERSION", "VK_API_VERSION")
        elif enable.get("property"):
            yield "PROPERTY", ""


def lines(registry, grammar_file):
    with open(grammar_file, encoding="utf-8") as grammar:
        kinds = json.load(grammar)["operand_kinds"]
    numbers = {e["enumerant"]: e["value"] for k in kinds if k["kind"] == "Capability" for e in k["enumerants"]}
    structures = feature_structures(registry)
    rows = {}
    for capability in registry.root.iterfind("spirvcapabilities/spirvcapability"):
        name = capability.get("name")
        if name not in numbers:
            continue
        for macro, rest in alternatives(capability, structures):
            rows.setdefault((numbers[name], name), {})[f'{macro}({numbers[name]}, "{name}"{", " if rest else ""}{rest})\n'] = None
    return [line for key in sorted(rows) for line in rows[key]]


if __name__ == "__main__":
    generate(__doc__, lines)
