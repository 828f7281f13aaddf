#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the words of a SPIR-V binary as a C++ header. Leaves an unchanged header alone, so that nothing is recompiled."""

import argparse
import pathlib
import struct
import sys

MAGIC = 0x07230203
WORDS_PER_LINE = 8


def read_words(path):
    data = path.read_bytes()
    if len(data) < 20 or len(data) % 4 != 0:
        sys.exit(f"{path}: not a SPIR-V binary ({len(data)} bytes)")
    words = struct.unpack(f"<{len(data) // 4}I", data)
    if words[0] != MAGIC:
        sys.exit(f"{path}: not a SPIR-V binary (first word {words[0]:#010x})")
    return words


def header_text(words, variable, name_space, source):
    lines = [
        f"// Generated from {source} at build time.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        f"namespace {name_space} {{",
        "",
        f"inline constexpr std::uint32_t {variable}[] = {{",
    ]
    for start in range(0, len(words), WORDS_PER_LINE):
        lines.append("    " + " ".join(f"{word:#010x}," for word in words[start : start + WORDS_PER_LINE]))
    lines += ["};", "", f"}}  // namespace {name_space}", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--variable", required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--source", required=True, help="named in the header's first line")
    args = parser.parse_args()
    text = header_text(read_words(args.input), args.variable, args.namespace, args.source)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    if not args.output.exists() or args.output.read_text() != text:
        args.output.write_text(text)


if __name__ == "__main__":
    main()
