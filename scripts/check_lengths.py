#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that files and functions of product code stay short enough to be read.

usage: check_lengths.py [--self-test]

Files have at most 400 lines, functions at most 60 from the line with their name to the closing brace.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["layer", "meta_shaders", "spirv_lowering", "tools"]
ENDINGS = {".cpp", ".h", ".glsl", ".comp"}
MAX_FILE = 400
MAX_FUNCTION = 60

# The first line of a function: an indented or global name with parentheses whose body opens there or some lines below.
NAMED = re.compile(r"^( {0,4})(?!#|//|namespace|class|struct|enum|union|return|if|for|while|switch|else|case|using|typedef|static_assert)[\w:<>~*&\[\], ]*[\w>~]\(")


def functions(lines):
    """Yields (line, length) of each function."""
    begin, indent = None, ""
    for number, line in enumerate(lines, 1):
        if begin is None:
            match = NAMED.match(line)
            if match is None:
                continue
            begin, indent = number, match.group(1)
        if line.rstrip().endswith(";") and "{" not in "".join(lines[begin - 1 : number]):
            begin = None  # a declaration
        elif line == indent + "}" or line.startswith(indent + "};"):
            yield begin, number - begin + 1
            begin = None
        elif number == begin and line.rstrip().endswith("}"):
            yield begin, 1
            begin = None


def complaints(files):
    """`files`: (path, lines)."""
    for path, lines in files:
        if len(lines) > MAX_FILE:
            yield f"{path}: {len(lines)} lines, at most {MAX_FILE}"
        for begin, length in functions(lines):
            name = f"{path}:{begin}"
            if length > MAX_FUNCTION:
                yield f"{name}: a function of {length} lines, at most {MAX_FUNCTION}"


def product_files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in ENDINGS:
                yield path.relative_to(ROOT).as_posix(), path.read_text().splitlines()


def self_test():
    def function(lines, name="int F()"):
        return [f"{name} {{"] + ["  G();"] * (lines - 2) + ["}"]

    cases = [
        ([("a.cpp", function(60))], None),
        ([("a.cpp", function(61))], "a.cpp:1: a function of 61 lines, at most 60"),
        ([("a.cpp", ["int F();"] + function(61, "bool C::G(int a)"))], "a.cpp:2: a function of 61 lines, at most 60"),
        ([("a.cpp", ["int F(int a,", "      int b) {"] + ["  G();"] * 59 + ["}"])], "a.cpp:1: a function of 62 lines, at most 60"),
        ([("a.cpp", ["int a;"] * 400)], None),
        ([("a.cpp", ["int a;"] * 401)], "a.cpp: 401 lines, at most 400"),
    ]
    for files, expected in cases:
        found = list(complaints(files))
        if found != ([] if expected is None else [expected]):
            sys.exit(f"expected {expected}, not {found}")


if sys.argv[1:] == ["--self-test"]:
    self_test()
    sys.exit(0)
found = list(complaints(product_files()))
print("\n".join(found))
sys.exit(1 if found else 0)
