#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the declarations of trellis/vulkan_shader_enqueue.h with those of the Vulkan headers.

usage: declarations_test.py same|old|beta|revision1|c --cxx COMPILER --include FOLDER --vulkan FOLDER

  same       in front of the Vulkan headers, without VK_ENABLE_BETA_EXTENSIONS
  beta       the same, with it: the header declares nothing
  old        in front of the system's Vulkan headers, where these are older than 1.4.309 (exit status 77: they are not)
  revision1  headers that declare revision 1 are refused with a message
  c          the header is C, too
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("print_declarations.cpp")
SYSTEM = pathlib.Path("/usr/include/vulkan/vulkan_core.h")
FIRST_WITH_REVISION_2 = 309


def compile_source(options, flags, source=SOURCE, output=None):
    command = [options.cxx, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, "-I", options.include, str(source)]
    command += ["-o", output] if output else ["-fsyntax-only"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def printed(options, flags):
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        result = compile_source(options, flags, output=program)
        if result.returncode != 0:
            sys.exit(result.stderr)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def compare(options, flags):
    expected = printed(options, ["-isystem", options.vulkan])
    if len(expected.splitlines()) < 60 or "another type" in expected:
        sys.exit(f"the Vulkan headers declare something unexpected:\n{expected}")
    found = printed(options, ["-DTRELLIS_HEADER", *flags])
    if found != expected:
        sys.exit(f"expected:\n{expected}\nfound:\n{found}")


def old_version():
    """The last part of the version of the system's headers; None: there are none, or they are new."""
    if not SYSTEM.is_file():
        return None
    text = SYSTEM.read_text(encoding="utf-8")
    minor = int(re.search(r"VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(0, 1, (\d+)", text)[1])
    patch = int(re.search(r"define VK_HEADER_VERSION (\d+)", text)[1])
    return patch if (minor, patch) < (4, FIRST_WITH_REVISION_2) else None


def check_revision1(options):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "main.cpp"
        source.write_text("#include <vulkan/vulkan.h>\n#undef VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION\n"
                          "#define VK_AMDX_SHADER_ENQUEUE_SPEC_VERSION 1\n#include \"trellis/vulkan_shader_enqueue.h\"\n")
        result = compile_source(options, ["-isystem", options.vulkan], source)
    if result.returncode == 0 or "Do not define VK_ENABLE_BETA_EXTENSIONS" not in result.stderr:
        sys.exit(f"revision 1 was not refused:\n{result.stderr}")


def check_c(options):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "main.c"
        source.write_text('#include "trellis/vulkan_shader_enqueue.h"\n'
                          "VkDispatchGraphInfoAMDX info = {0};\n"
                          "VkStructureType type = VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX;\n")
        command = [options.cxx, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                   "-isystem", options.vulkan, "-I", options.include, str(source)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", choices=["same", "beta", "old", "revision1", "c"])
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--vulkan", required=True)
    options = parser.parse_args()
    if options.case == "same":
        compare(options, ["-isystem", options.vulkan])
    elif options.case == "beta":
        compare(options, ["-isystem", options.vulkan, "-DVK_ENABLE_BETA_EXTENSIONS"])
    elif options.case == "revision1":
        check_revision1(options)
    elif options.case == "c":
        check_c(options)
    elif old_version() is None:
        print(f"skipped: the system has no Vulkan headers older than 1.4.{FIRST_WITH_REVISION_2}")
        sys.exit(77)
    else:
        compare(options, [])


if __name__ == "__main__":
    main()
