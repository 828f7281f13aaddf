#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the man page of `trellis` out of what the program says about itself.

usage: man_page.py PROGRAM            fails if docs/man/trellis.1 differs from what the program says
       man_page.py PROGRAM --write    writes it
"""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/man/trellis.1"


def help_of(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], check=True, capture_output=True, text=True).stdout.rstrip()


def escaped(text):
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def preformatted(text):
    return f".nf\n{escaped(text)}\n.fi\n"


def make(program):
    summary = help_of(program)
    verbs = re.findall(r"^  ([a-z]+) +(.+)$", summary.split("\n\n")[2], re.MULTILINE)
    page = '.\\" Made by scripts/man_page.py.\n.TH TRELLIS 1 "" "Trellis" "User Commands"\n'
    page += ".SH NAME\ntrellis \\- tools for VK_AMDX_shader_enqueue (work graphs)\n"
    page += ".SH SYNOPSIS\n.B trellis\n.I VERB\n\\&...\n"
    page += ".SH DESCRIPTION\n" + preformatted("\n".join(f"{verb:<12} {what}" for verb, what in verbs))
    page += ".SH VERBS\n"
    for verb, _ in verbs:
        page += f".SS trellis {verb}\n" + preformatted(help_of(program, verb))
    page += ".SH EXIT STATUS\n0 done, 1 the input was refused, 2 the command line is wrong\n"
    return page


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] != "--write"):
        sys.exit(__doc__)
    page = make(sys.argv[1])
    if len(sys.argv) == 3:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
    elif not PAGE.is_file() or PAGE.read_text() != page:
        sys.exit(f"{PAGE} is not what {sys.argv[1]} says; run scripts/man_page.py with --write")


if __name__ == "__main__":
    main()
