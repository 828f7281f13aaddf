#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the layer's library shows to and takes from the process that it is loaded into.

usage: check_exports.py NM LIBRARY
"""

import subprocess
import sys

# The loader's, and nothing else: other libraries of the process have names of their own.
EXPORTED = {"vkGetDeviceProcAddr", "vkGetInstanceProcAddr", "vkNegotiateLoaderLayerInterfaceVersion"}
# Does not know raised privileges; secure_getenv does.
FORBIDDEN = {"getenv"}


def symbols(nm, library, which):
    output = subprocess.run([nm, "-D", "--format=posix", which, library], capture_output=True, text=True, check=True).stdout
    return {line.split()[0].partition("@")[0] for line in output.splitlines() if line.strip()}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    nm, library = sys.argv[1:]
    problems = []
    if (exported := symbols(nm, library, "--defined-only")) != EXPORTED:
        problems.append(f"exported: {sorted(exported)}, which should be {sorted(EXPORTED)}")
    if wrong := symbols(nm, library, "--undefined-only") & FORBIDDEN:
        problems.append(f"calls {', '.join(sorted(wrong))}")
    for problem in problems:
        print(f"{library}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
