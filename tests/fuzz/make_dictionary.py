#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a libFuzzer dictionary from SPIRV-Headers' spirv.core.grammar.json: the first word of each instruction at its shortest, and
the values of enumerations, as little-endian words.

usage: make_dictionary.py spirv.core.grammar.json OUTPUT
"""

import json
import struct
import sys


def shortest(instruction):
    return 1 + sum(1 for operand in instruction.get("operands", []) if "quantifier" not in operand)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        grammar = json.load(file)
    words = {shortest(instruction) << 16 | instruction["opcode"] for instruction in grammar["instructions"]}
    for kind in grammar["operand_kinds"]:
        words.update(int(str(enumerant["value"]), 0) for enumerant in kind.get("enumerants", []))
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        for word in sorted(words):
            output.write('"' + "".join(f"\\x{byte:02x}" for byte in struct.pack("<I", word)) + '"\n')


if __name__ == "__main__":
    main()
