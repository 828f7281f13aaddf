#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the parts of the report's page and writes them as a C++ header: what stands before the data, and after it.

usage: page_to_header.py PAGE_DIRECTORY LAYOUT_SCRIPT HEADER
"""

import pathlib
import sys

DATA = "/*DATA*/"
PIECE = 8000  # compilers limit string literals


def joined_page(directory, layout):
    page = (directory / "page.html").read_text()
    script = "".join((directory / name).read_text() for name in ("page.js", "payloads.js", "graph.js"))
    for marker, text in (
        ("/*STYLE*/", (directory / "page.css").read_text()),
        ("/*LAYOUT*/", layout.read_text()),
        ("/*SCRIPT*/", script),
    ):
        if page.count(marker) != 1:
            sys.exit(f"{directory}/page.html: {marker} has to be there once")
        page = page.replace(marker, text)
    return page.split(DATA)


def as_literals(text):
    data = text.encode()
    pieces = []
    while data:
        piece, data = data[:PIECE], data[PIECE:]
        pieces.append(",".join(str(byte) for byte in piece))
    return ",\n".join(pieces)


def main():
    directory, layout, header = map(pathlib.Path, sys.argv[1:])
    parts = joined_page(directory, layout)
    if len(parts) != 2:
        sys.exit(f"{directory}/page.html: {DATA} has to be there once")
    text = "// Generated. The page of a report, before its data and after it.\n#pragma once\n\nnamespace trellis {\n\n"
    for name, part in zip(("kReportPageHead", "kReportPageTail"), parts):
        text += f"inline constexpr unsigned char {name}[] = {{\n{as_literals(part)}}};\n"
    header.write_text(text + "\n}  // namespace trellis\n")


if __name__ == "__main__":
    main()
