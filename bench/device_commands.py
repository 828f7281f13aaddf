#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ header with the names of all commands that Vulkan's headers declare for a VkDevice, VkQueue or VkCommandBuffer.

usage: device_commands.py HEADER... OUTPUT
"""

import argparse
import pathlib
import re

PROTOTYPE = re.compile(r"VKAPI_CALL (vk\w+)\(\s*(?:VkDevice|VkQueue|VkCommandBuffer)\s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("headers", type=pathlib.Path, nargs="+")
    parser.add_argument("output", type=pathlib.Path)
    arguments = parser.parse_args()
    names = sorted({name for header in arguments.headers for name in PROTOTYPE.findall(header.read_text(encoding="utf-8"))})
    lines = ["// Made by bench/device_commands.py.", "#pragma once", "namespace trellis::bench {", "inline constexpr const char* kDeviceCommands[] = {"]
    lines += [f'    "{name}",' for name in names]
    lines += ["};", "}  // namespace trellis::bench", ""]
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
