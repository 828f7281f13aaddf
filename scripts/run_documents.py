#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what the documents show, so that it stays true.

    <!-- file: NAME -->         before a code block: the block is written to NAME in the document's scratch folder
    <!-- setup: COMMAND -->     before a block that runs: the command runs first; $ROOT is the repository
    ```sh run                   the block runs there with bash, step by step; it fails where a command fails
    <!-- tested by: PATH -->    before a block of commands: that test runs it. The test reads the document's blocks, or names the block's
                                programs
    <!-- not tested: WHY -->    before a block of commands: nothing runs it, and why
    ```c                        the block is compiled: all of a document's blocks, each a block of one function, with PRELUDE.
                                A document with such blocks has one in each section

Every block of commands (sh, bat) is one of these. Commands find the build's `trellis` and samples in PATH, and the layer through
XDG_CONFIG_DIRS. Blocks of other kinds are text; text that looks like commands is an error.

usage: run_documents.py --build FOLDER [--include FOLDER] [DOCUMENT ...]
       run_documents.py --self-test | --list | --print-blocks-of TEST [DOCUMENT ...]
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = re.compile(r"^<!-- (file|setup|tested by|not tested): (.+) -->$")
FENCE = re.compile(r"^```(.*)$")
COMMANDS = ("sh", "sh run", "bat")
LOOKS_LIKE_A_COMMAND = re.compile(r"^\$ |^export |^(\w+=\S+ +)*(scripts/|build/|cmake |ctest |apt-get |sudo |git |trellis(-doctor)? |dxc |renderdoccmd )")

# What the C of the documents takes for granted.
PRELUDE = """#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan.h>
void document(VkDevice device, VkCommandBuffer commands, VkPipeline graph, VkPipelineLayout layout, VkDescriptorSet set,
              VkDeviceAddress scratch_address, VkDeviceSize scratch_size, VkDeviceSize scratch_stride, uint32_t frame,
              uint32_t frames_in_flight, uint32_t material, VkPhysicalDeviceShaderEnqueueFeaturesAMDX supported,
              VkDispatchGraphCountInfoAMDX counts, uint32_t family, VkSemaphore graph_done, VkImageView view, VkExtent2D extent) {
  VkDeviceAddress scratch = scratch_address;
"""


def blocks(text):
    """(line, info string, markers, contents) of each code block. Markers: by kind."""
    info, markers, lines, start = None, {}, [], 0
    for number, line in enumerate(text.splitlines(), 1):
        fence, marker = FENCE.match(line), MARKER.match(line)
        if info is None:
            if fence:
                info, lines, start = fence.group(1).strip(), [], number
            elif marker:
                markers[marker.group(1)] = marker.group(2)
            elif line.strip():
                markers = {}
        elif fence:
            yield start, info, markers, "\n".join(lines) + "\n"
            info, markers = None, {}
        else:
            lines.append(line)


def programs(contents):
    """Names of the programs that a block of commands runs, and of the variables that it exports or sets."""
    names = set()
    for command in contents.replace("\\\n", " ").splitlines():
        words = command.split(" #")[0].replace("\\", "/").split()
        alone = bool(words) and words[0] in ("export", "set")
        for word in words[alone:]:
            variable, assigns, _ = word.partition("=")
            if not assigns:
                names.add(variable.rpartition("/")[2])
                break
            if alone:
                names.add(variable)
    return names


def check_block(path, info, markers, contents):
    """What is wrong with how the block is marked, or None."""
    if info not in COMMANDS:
        is_command = info in ("", "text") and any(map(LOOKS_LIKE_A_COMMAND.match, contents.splitlines()))
        return "text that looks like commands: say sh, and what runs it" if is_command else None
    test = markers.get("tested by")
    if sum([info == "sh run", test is not None, "not tested" in markers]) != 1:
        return "commands that are not marked with what runs them: 'sh run', 'tested by' or 'not tested'"
    if test is None:
        return None
    if not (ROOT / test).is_file():
        return f"there is no {test}"
    text = (ROOT / test).read_text()
    if path.name in text and "blocks" in text:  # it reads the document's blocks
        return None
    missing = sorted(name for name in programs(contents) if name not in text)
    if missing:
        return f"{test} runs no {missing[0]}"
    return None


def sections_without_code(text):
    """Headings of the sections that have no block of C."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        if "\n```c\n" not in section:
            yield section.splitlines()[0]


def list_blocks(documents):
    """Prints each block of commands with what runs it."""
    for path in documents:
        for line, info, markers, contents in blocks(path.read_text()):
            if info in COMMANDS:
                runner = "run_documents.py" if info == "sh run" else markers.get("tested by") or f"nothing: {markers.get('not tested')}"
                print(f"{path.relative_to(ROOT)}:{line}: {contents.splitlines()[0]}\n    {runner}")


def all_documents():
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("samples/**/*.md"))]


def run_document(path, build, include):
    """(number of blocks that ran, problems)."""
    ran, problems, fragments = 0, [], []
    environment = dict(os.environ)
    folders = [build / "tools/trellis", *(file.parent for file in build.glob("samples/*/*") if os.access(file, os.X_OK) and file.is_file())]
    environment["PATH"] = os.pathsep.join([*map(str, dict.fromkeys(folders)), environment["PATH"]])
    environment["ROOT"] = str(ROOT)
    environment["XDG_CONFIG_DIRS"] = f"{build}:/etc/xdg"
    with tempfile.TemporaryDirectory() as folder:
        for line, info, markers, contents in blocks(path.read_text()):
            problem = check_block(path, info, markers, contents)
            if problem:
                problems.append(f"{path.relative_to(ROOT)}:{line}: {problem}")
                continue
            if "file" in markers:
                file = pathlib.Path(folder) / markers["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(contents)
            if info == "c":
                fragments.append(f'{{\n#line {line + 1} "{path.name}"\n{contents}}}\n')
            if info != "sh run":
                continue
            ran += 1
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", markers.get("setup", "") + "\n" + contents], cwd=folder, env=environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            if result.returncode != 0:
                problems.append(f"{path.name}:{line}: exit status {result.returncode}\n{contents}{result.stdout}")
    if fragments:
        ran += len(fragments)
        problems += [f"{path.name}: the section '{heading}' has no code" for heading in sections_without_code(path.read_text())]
        command = ["c++", "-x", "c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", *([f"-I{include}"] if include else []), "-"]
        result = subprocess.run(command, input=PRELUDE + "".join(fragments) + "}\n", capture_output=True, text=True)
        if result.returncode != 0:
            problems.append(f"{path.name}: its C does not compile\n{result.stderr}")
    return ran, problems


def print_blocks(documents, test):
    """Prints a shell script: the blocks that the test has to run, each with its place and in a shell of its own."""
    found = 0
    for path in documents:
        for line, info, markers, contents in blocks(path.read_text()):
            if info == "sh" and markers.get("tested by") == test:
                found += 1
                print(f'say "{path.name}:{line}: {contents.splitlines()[0]}"\n(\n{contents})')
    if not found:
        sys.exit(f"no block is tested by {test}")


def self_test():
    page, script = ROOT / "README.md", "scripts/test_packages.sh"
    commands = "export A=1 B=2\nC=3 some/program --x \\\n  other  # why\nset D=4\nsamples\\e.exe\n"
    cases = [
        (programs(commands), {"A", "B", "program", "D", "e.exe"}),
        (check_block(page, "sh run", {}, commands), None),
        (check_block(page, "sh", {"not tested": "no reason"}, commands), None),
        (check_block(page, "sh", {"tested by": script}, "scripts/make_packages.sh\n"), None),
        (check_block(page, "text", {}, "PASS\n"), None),
        (check_block(page, "sh", {}, commands) is None, False),
        (check_block(page, "sh run", {"tested by": script}, commands) is None, False),
        (check_block(page, "sh", {"tested by": "scripts/missing.sh"}, commands) is None, False),
        (check_block(page, "sh", {"tested by": script}, "some/missing_tool\n") is None, False),
        (check_block(page, "", {}, "A=1 build/x\n") is None, False),
        (list(sections_without_code("# T\n## One\n```c\nx;\n```\n## Two\n")), ["Two"]),
        ([(line, info, markers) for line, info, markers, _ in blocks("<!-- tested by: x -->\n```sh\na\n```\n```c\n```\n")],
         [(2, "sh", {"tested by": "x"}), (5, "c", {})]),
    ]
    for got, expected in cases:
        if got != expected:
            print(f"self-test: expected {expected}, got {got}")
    return all(got == expected for got, expected in cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--include", type=pathlib.Path, help="folder of the Vulkan headers")
    parser.add_argument("--self-test", action="store_true", help="check the checks of this program")
    parser.add_argument("--list", action="store_true", help="print each block of commands with what runs it, and do nothing else")
    parser.add_argument("--print-blocks-of", metavar="TEST", help="print the blocks that this test runs, as a script, and do nothing else")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    documents = [path.resolve() for path in args.documents] or all_documents()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    if args.list:
        list_blocks(documents)
        return
    if args.print_blocks_of:
        print_blocks(documents, args.print_blocks_of)
        return
    if not args.build:
        parser.error("--build is needed")
    total, problems = 0, []
    for path in documents:
        ran, found = run_document(path, args.build.resolve(), args.include)
        total += ran
        problems += found
    for problem in problems:
        print(problem)
    print(f"{total} blocks ran, {len(problems)} problems")
    sys.exit(1 if problems or total == 0 else 0)


if __name__ == "__main__":
    main()
