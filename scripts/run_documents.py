#!/usr/bin/env python3
"""Runs what the documents for users show, so that it stays true.

    <!-- file: NAME -->      before a code block: the block is written to NAME in the document's scratch folder
    ```sh run                the block runs there with bash, step by step; it fails where a command fails
    ```c                     the block is compiled: all of a document's blocks, each a block of one function, with PRELUDE

Commands find the build's `trellis` and samples in PATH, and the layer through XDG_CONFIG_DIRS. Blocks of other kinds are text.

usage: run_documents.py --build FOLDER [--include FOLDER] [DOCUMENT ...]
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = re.compile(r"^<!-- file: (\S+) -->$")
FENCE = re.compile(r"^```(.*)$")

# What the C of the documents takes for granted.
PRELUDE = """#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan.h>
void document(VkDevice device, VkCommandBuffer commands, VkPipeline graph, VkPipelineLayout layout, VkDescriptorSet set,
              VkDeviceAddress scratch_address, VkDeviceSize scratch_size, VkDeviceSize scratch_stride, uint32_t frame,
              uint32_t frames_in_flight, uint32_t material, VkPhysicalDeviceShaderEnqueueFeaturesAMDX supported,
              VkDispatchGraphCountInfoAMDX counts) {
  VkDeviceAddress scratch = scratch_address;
"""


def blocks(text):
    """(line, info string, name of the file or None, contents) of each code block."""
    info, name, lines, start = None, None, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if info is None:
            file = FILE.match(line)
            if fence:
                info, lines, start = fence.group(1).strip(), [], number
            elif file:
                name = file.group(1)
            elif line.strip():
                name = None
        elif fence:
            yield start, info, name, "\n".join(lines) + "\n"
            info, name = None, None
        else:
            lines.append(line)


def run_document(path, build, include):
    """(number of blocks that ran, problems)."""
    ran, problems, fragments = 0, [], []
    environment = dict(os.environ)
    folders = [build / "tools/trellis", *(file.parent for file in build.glob("samples/*/*") if os.access(file, os.X_OK) and file.is_file())]
    environment["PATH"] = os.pathsep.join([*map(str, dict.fromkeys(folders)), environment["PATH"]])
    environment["XDG_CONFIG_DIRS"] = f"{build}:/etc/xdg"
    with tempfile.TemporaryDirectory() as folder:
        for line, info, name, contents in blocks(path.read_text()):
            if name:
                (pathlib.Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(folder) / name).write_text(contents)
            if info == "c":
                fragments.append(f'{{\n#line {line + 1} "{path.name}"\n{contents}}}\n')
            if info != "sh run":
                continue
            ran += 1
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", contents], cwd=folder, env=environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            if result.returncode != 0:
                problems.append(f"{path.name}:{line}: exit status {result.returncode}\n{contents}{result.stdout}")
    if fragments:
        ran += len(fragments)
        command = ["c++", "-x", "c++", "-std=c++20", "-fsyntax-only", "-w", *([f"-I{include}"] if include else []), "-"]
        result = subprocess.run(command, input=PRELUDE + "".join(fragments) + "}\n", capture_output=True, text=True)
        if result.returncode != 0:
            problems.append(f"{path.name}: its C does not compile\n{result.stderr}")
    return ran, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--include", type=pathlib.Path, help="folder of the Vulkan headers")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    total, problems = 0, []
    for path in args.documents or [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]:
        ran, found = run_document(path, args.build.resolve(), args.include)
        total += ran
        problems += found
    for problem in problems:
        print(problem)
    print(f"{total} blocks ran, {len(problems)} problems")
    sys.exit(1 if problems or total == 0 else 0)


if __name__ == "__main__":
    main()
