#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names the licence in its first lines.

usage: check_spdx.py [--root DIR] [--list] [--self-test]

  --list       print each source file with its comment style, tab-separated, and stop
  --self-test  check the checker
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

TAG = "SPDX-License-Identifier: Apache-2.0"
# A shebang, a coding line and an opening comment may come first.
FIRST_LINES = 4

SLASHES, HASH, SEMICOLON, BLOCK = "//", "#", ";", "/*"
STYLES = {
    ".cpp": SLASHES, ".h": SLASHES, ".cu": SLASHES, ".rc": SLASHES,
    ".glsl": SLASHES, ".comp": SLASHES, ".mesh": SLASHES, ".frag": SLASHES, ".vert": SLASHES, ".hlsl": SLASHES,
    ".py": HASH, ".sh": HASH, ".cmake": HASH, ".yml": HASH, ".yaml": HASH,
    ".spvasm": SEMICOLON, ".asm": SEMICOLON, ".def": SEMICOLON,
    ".map": BLOCK, ".js": SLASHES, ".css": BLOCK,
}


def style_of(path):
    """The comment style of a source file, or None for a file that needs no tag."""
    suffix = path.suffix
    if suffix == ".in":  # a template is what it becomes
        suffix = path.with_suffix("").suffix
    if path.name == "CMakeLists.txt" or path.as_posix() == ".ci/run":
        return HASH
    return STYLES.get(suffix)


def list_files(root):
    """Paths of the repository's files, relative to `root`."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode == 0:
        return sorted({pathlib.Path(name) for name in result.stdout.decode().split("\0") if name})
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return sorted(path for path in files if path.parts[0] not in ("build", ".git"))


def sources(root):
    for path in list_files(root):
        style = style_of(path)
        # A file can be in git's list and deleted in the working tree.
        if style and (root / path).is_file() and (root / path).stat().st_size > 0:
            yield path, style


def untagged(root):
    for path, _ in sources(root):
        with open(root / path, encoding="utf-8", errors="replace") as file:
            first = [file.readline() for _ in range(FIRST_LINES)]
        if not any(TAG in line for line in first):
            yield path


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "right.cpp").write_text(f"// {TAG}\nint x;\n")
        (root / "script.sh").write_text(f"#!/bin/sh\n# {TAG}\n")
        (root / "late.h").write_text("\n" * FIRST_LINES + f"// {TAG}\n")
        (root / "other.spvasm").write_text("; SPDX-License-Identifier: MIT\n")
        (root / "TrellisConfig.cmake.in").write_text("include(x)\n")
        (root / "data.txt").write_text("no source\n")
        (root / "CMakeLists.txt").write_text("project(x)\n")
        found = [path.as_posix() for path in untagged(root)]
    expected = ["CMakeLists.txt", "TrellisConfig.cmake.in", "late.h", "other.spvasm"]
    if found != expected:
        sys.exit(f"found {found}, expected {expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return
    if options.list:
        for path, style in sources(options.root):
            print(f"{path}\t{style}")
        return
    missing = list(untagged(options.root))
    for path in missing:
        print(f"{path}: no '{TAG}' in the first {FIRST_LINES} lines")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
