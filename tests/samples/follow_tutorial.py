#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what docs/tutorial.md says: writes its files, runs its commands, and compares what they print.

usage: follow_tutorial.py --tutorial FILE [--write FOLDER | --check OUTPUT]

  (no option)    everything, in a temporary folder, with the programs and headers that the environment names
  --write FOLDER write the files and commands.sh into FOLDER and run nothing
  --check OUTPUT compare the file OUTPUT, which commands.sh wrote, with what the tutorial shows
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

MARK = "// file: "


def blocks(text):
    """(language, file or None, text) of each fenced block."""
    inside, language, lines = False, "", []
    for line in text.splitlines():
        if line.startswith("```"):
            if inside:
                name = lines.pop(0)[len(MARK):] if lines and lines[0].startswith(MARK) else None
                yield language, name, "\n".join(lines) + "\n"
            inside, language, lines = not inside, line[3:], []
        elif inside:
            lines.append(line)


def write(tutorial, folder):
    files, commands = {}, "set -eu\n"
    for language, name, text in blocks(tutorial):
        if name:
            files[name] = files.get(name, "") + text
        elif language == "sh":
            commands += text
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "commands.sh").write_text(commands, encoding="utf-8")


def expected_outputs(tutorial):
    """The text blocks that follow a block of commands."""
    previous = None
    for language, _, text in blocks(tutorial):
        if language == "text" and previous == "sh":
            yield text
        previous = language


def check(tutorial, output):
    expected = list(expected_outputs(tutorial))
    if len(expected) < 2:
        sys.exit("the tutorial shows less output than it did")
    for text in expected:
        if text not in output:
            sys.exit(f"the tutorial shows\n{text}\nbut its commands print\n{output}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tutorial", type=pathlib.Path, required=True)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path)
    options = parser.parse_args()
    tutorial = options.tutorial.read_text(encoding="utf-8")
    if options.write:
        write(tutorial, options.write)
    elif options.check:
        check(tutorial, options.check.read_text(encoding="utf-8"))
    else:
        with tempfile.TemporaryDirectory() as folder:
            write(tutorial, pathlib.Path(folder))
            ran = subprocess.run(["sh", "commands.sh"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"the tutorial's commands end with {ran.returncode}:\n{ran.stdout}")
        check(tutorial, ran.stdout)


if __name__ == "__main__":
    main()
