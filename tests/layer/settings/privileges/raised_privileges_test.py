#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings from environment and file, in an ordinary process and in one that runs with raised privileges.

usage: raised_privileges_test.py PROBE

Exit status 77: skipped, with the reason on the last line.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534


def facts_of(program, folder):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("TRELLIS_", "VK_", "XDG_"))}
    environment.update(TRELLIS_RING_BUDGET="7", VK_LAYER_SETTINGS_PATH=str(folder), HOME="/nowhere")
    result = subprocess.run([program], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return {name: int(value) for name, value in re.findall(r"^(\w+) = (\d+)$", result.stdout, re.MULTILINE)}


def raise_privileges(program):
    """A set-user-ID program of another user, or a set-group-ID program of another group: what this process may make."""
    if os.geteuid() == 0:
        os.chown(program, NOBODY, NOBODY)
        os.chmod(program, 0o4755)
        return True
    for group in os.getgroups():
        if group != os.getegid():
            os.chown(program, -1, group)
            os.chmod(program, 0o2755)
            return True
    return False


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "vk_layer_settings.txt").write_text("trellis_shader_enqueue.threads = 7\n", encoding="utf-8")
        program = folder / "probe"
        shutil.copy(sys.argv[1], program)
        ordinary = facts_of(program, folder)
        if ordinary != {"raised": 0, "environment": 1, "file": 1}:
            print(f"failed: in an ordinary process: {ordinary}")
            return 1
        if not raise_privileges(program):
            print("skipped: this user can make no program that runs as somebody else")
            return 77
        raised = facts_of(program, folder)
    if not raised["raised"]:
        print("skipped: the temporary folder's file system, or this process, allows no raised privileges")
        return 77
    if raised != {"raised": 1, "environment": 0, "file": 0}:
        print(f"failed: with raised privileges: {raised}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
