#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build tree into an empty folder and checks that the loader would find the layer there.

usage: check_install.py BUILD_DIR
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

NAME = "VkLayer_TRELLIS_shader_enqueue.json"


def check(root):
    implicit = list(root.rglob(f"implicit_layer.d/{NAME}"))
    explicit = list(root.rglob(f"explicit_layer.d/{NAME}"))
    if len(implicit) != 1 or len(explicit) != 1:
        yield f"expected one implicit and one explicit manifest, found {implicit} and {explicit}"
        return
    if implicit[0].is_symlink() or explicit[0].resolve() != implicit[0].resolve():
        yield "the explicit manifest is not a link to the implicit one, which has to be a file"
    if not implicit[0].parent.parent.as_posix().endswith(("/share/vulkan", "/etc/vulkan")):
        yield f"the manifest is in {implicit[0].parent}, where the loader does not look"
    layer = json.loads(implicit[0].read_text(encoding="utf-8"))["layer"]
    library = (implicit[0].parent / layer["library_path"]).resolve()
    if not library.is_file():
        yield f"library_path {layer['library_path']} leads to {library}, which does not exist"
    elif root.resolve() not in library.parents:
        yield f"library_path {layer['library_path']} leaves the installation: {library}"
    for field, variable in (("enable_environment", "TRELLIS_ENABLE"), ("disable_environment", "TRELLIS_DISABLE")):
        if layer.get(field) != {variable: "1"}:
            yield f"{field} is {layer.get(field)}"
    yield from check_version(root, layer)


def check_version(root, layer):
    """The program, the manifest and the CMake package name the same version."""
    program = next(root.rglob("bin/trellis"))
    printed = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    name, version = printed.split()
    major, minor, patch = (int(part) for part in version.split("."))
    if name != "trellis" or layer["implementation_version"] != str(major * 10000 + minor * 100 + patch):
        yield f"the manifest's implementation_version is {layer['implementation_version']}, trellis --version says {printed}"
    package = next(root.rglob("TrellisConfigVersion.cmake")).read_text(encoding="utf-8")
    if f'set(PACKAGE_VERSION "{version}")' not in package:
        yield f"TrellisConfigVersion.cmake has another version than {version}"
    for notice in ("LICENSE", "NOTICE", "THIRD_PARTY_NOTICES.md"):
        if not list(root.rglob(f"share/doc/*/{notice}")):
            yield f"{notice} is not installed"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        # Not --prefix: a manifest folder outside of the prefix (/etc) would really be written to.
        result = subprocess.run(
            ["cmake", "--install", sys.argv[1]],
            env=dict(os.environ, DESTDIR=folder),
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            sys.exit(result.stdout + result.stderr)
        problems = list(check(pathlib.Path(folder)))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
