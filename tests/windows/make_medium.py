#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies programs and DLLs so that they believe not to be elevated: they import medium32.dll in place of advapi32.dll.

usage: make_medium.py OUTPUT_FOLDER FILE...
"""

import pathlib
import re
import subprocess
import sys

TOOLS = "x86_64-w64-mingw32-"
LIBRARY = re.compile(rb"advapi32\.dll", re.IGNORECASE)
STAND_IN = b"MEDIUM32.dll"


def imports(library):
    """Names of the functions that `library` imports from advapi32.dll."""
    text = subprocess.run([TOOLS + "objdump", "-p", library], capture_output=True, text=True, check=True).stdout
    for block in text.split("DLL Name: ")[1:]:
        if block.split()[0].lower() == "advapi32.dll":
            yield from re.findall(r"^\s+[0-9a-f]+\s+\d+\s+(\w+)\s*$", block, re.MULTILINE)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    names = set()
    for library in sys.argv[2:]:
        found = set(imports(library))
        if "GetTokenInformation" not in found:
            sys.exit(f"{library}: does not ask whether it is elevated")
        names |= found
        content = pathlib.Path(library).read_bytes()
        (output / pathlib.Path(library).name).write_bytes(LIBRARY.sub(STAND_IN, content))
    lines = ["LIBRARY medium32.dll", "EXPORTS", "  GetTokenInformation = MediumGetTokenInformation"]
    lines += [f"  {name} = advapi32.{name}" for name in sorted(names - {"GetTokenInformation"})]
    definition = output / "medium32.def"
    definition.write_text("\n".join(lines) + "\n")
    source = pathlib.Path(__file__).resolve().parent / "medium_integrity.cpp"
    subprocess.run(
        [TOOLS + "g++-posix", "-shared", "-static", "-O1", "-o", output / "medium32.dll", source, definition, "-ladvapi32"], check=True
    )


if __name__ == "__main__":
    main()
