#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of dynamic states that mesh pipelines overwrite, as X-macro lines:

    DYNAMIC_STATE(command, VkDynamicState, keeper, length of each argument ...)

usage: gen_dynamic_states.py VK_XML OUTPUT

Commands stand there without "vk". Keepers and the names of lengths are those of layer/objects/kept_state.h. Commands that take structures with pointers which
that header does not know are left out.
"""

import re

from registry import generate

# States of other pipelines, and state that pipelines with mesh shaders do not include.
OTHER_STATES = {
    "VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT",
    "VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE",
    "VK_DYNAMIC_STATE_PRIMITIVE_RESTART_INDEX_EXT",
    "VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY",
    "VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR",
    "VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT",
    "VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE",
    "VK_DYNAMIC_STATE_VERTEX_INPUT_EXT",
}
# Commands that are not called as their state is.
STATES = {
    "vkCmdSetCoarseSampleOrderNV": "VK_DYNAMIC_STATE_VIEWPORT_COARSE_SAMPLE_ORDER_NV",
    "vkCmdSetDepthBias2EXT": "VK_DYNAMIC_STATE_DEPTH_BIAS",
    "vkCmdSetFragmentShadingRateEnumNV": "VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR",
}
# Structures with pointers for which layer/objects/kept_state.h has an Owned.
OWNED = {"VkCoarseSampleOrderCustomNV", "VkDepthBiasInfoEXT", "VkSampleLocationsInfoEXT", "VkShadingRatePaletteNV"}


def structures_with_pointers(registry):
    return {
        struct.get("name")
        for struct in registry.root.iterfind("types/type[@category='struct']")
        if any("*" in "".join(member.itertext()) for member in struct.iterfind("member"))
    }


def state_of(command, states):
    words = re.findall(r"[A-Z][a-z0-9]+|[A-Z]+(?![a-z])", command.removeprefix("vkCmdSet"))
    name = STATES.get(command, "VK_DYNAMIC_STATE_" + "_".join(words).upper())
    return name if name in states and name not in OTHER_STATES else None


def length_of(parameter):
    fixed = re.search(r"\[(\d+)\]", "".join(parameter.itertext()))
    if fixed:
        return fixed.group(1)
    if "*" not in "".join(parameter.itertext()):
        return "kValue"
    if not parameter.get("len"):
        return "1"
    return "kMaskWords" if "samples" in parameter.get("len") else "kCounted"


def keeper_of(parameters):
    types = [parameter.findtext("type") for parameter in parameters]
    lengths = [length_of(parameter) for parameter in parameters]
    if types[0] == "VkStencilFaceFlags":
        return ["KeptFaces"]
    if types[:2] == ["uint32_t", "uint32_t"] and lengths[2:] == ["kCounted"]:
        return ["KeptRange"]
    return ["KeptArguments"] + lengths


def lines(registry):
    states = {enum.get("name") for enum in registry.root.iter("enum")}
    unknown = structures_with_pointers(registry) - OWNED
    rows = {}
    for name, command in registry.commands():
        parameters = command.findall("param")[1:]
        if name.startswith("vkCmdSet") and state_of(name, states) and parameters and not any(p.findtext("type") in unknown for p in parameters):
            rows[name] = ", ".join([name.removeprefix("vk"), state_of(name, states)] + keeper_of(parameters))
    return [f"DYNAMIC_STATE({rows[name]})\n" for name in sorted(rows)]


if __name__ == "__main__":
    generate(__doc__, lines)
