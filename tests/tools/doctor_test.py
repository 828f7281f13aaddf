#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `trellis doctor` and reads its file.

usage: doctor_test.py passes|without_layer|without_driver|wrong_options|crashed PROGRAM
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

GRAPHS = {"HelloWorld", "D3D12HelloWorkGraphs", "Ticks", "Handles", "LayoutsStd430", "LayoutsScalar", "Recursion", "Sharing", "Finish"}
COMMANDS = {"vkCmdDispatchGraphAMDX", "vkCmdDispatchGraphIndirectAMDX", "vkCmdDispatchGraphIndirectCountAMDX"}


def expect(condition, what):
    if not condition:
        sys.exit(what)


def run(program, environment, *options):
    """Exit status, output and the file as JSON (None: there is no file)."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        result = subprocess.run([program, "doctor", "-o", path, *options], env=dict(os.environ, **environment),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return result.returncode, result.stdout, report


def passes(program):
    status, output, report = run(program, {"VK_TEST_VARIABLE": "seen"})
    expect(status == 0, f"exit status {status}:\n{output}")
    expect(report["verdict"] == "all checks passed" and "running" not in report, report)
    expect(report["schema"] == 1 and report["environment"]["VK_TEST_VARIABLE"] == "seen", report)
    expect("VK_LAYER_TRELLIS_shader_enqueue" in report["loader"]["layers"], report["loader"])
    expect(len(report["devices"]) == 1, "there is one device")
    device = report["devices"][0]
    ran = {(test["graph"], test["command"]) for test in device["tests"] if test["passed"]}
    expect(ran == {(graph, command) for graph in GRAPHS for command in COMMANDS}, f"passed: {sorted(ran)}")
    expect(any(message["id"] == "TRELLIS-emulation-decision" for message in device["messages"]), device["messages"])
    figures = device["bench"]
    expect(len(figures) == 4 and all(figure["value"] > 0 for figure in figures), figures)
    features = device["device"]["features"]
    expect(features["bufferDeviceAddress"] and features["shaderEnqueue"], features)
    expect(device["device"]["extensions"]["VK_AMDX_shader_enqueue"] == 2, "the extension is listed")


def without_layer(program):
    status, output, report = run(program, {"VK_LOADER_LAYERS_DISABLE": "VK_LAYER_TRELLIS_shader_enqueue"})
    expect(status == 1 and "no device offers VK_AMDX_shader_enqueue" in report["verdict"], output)
    expect(not report["devices"][0]["offers_graphs"] and report["devices"][0]["tests"] == [], report)


def without_driver(program):
    nothing = {"VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": "/nonexistent.json"}
    status, output, report = run(program, nothing)
    expect(status == 1 and report["devices"] == [] and report["verdict"], output)


def wrong_options(program):
    for options, message in ((["--frobnicate"], "unknown option '--frobnicate'"), (["--device"], "needs a value"),
                             (["--device", "first"], "takes a number, not 'first'")):
        status, output, report = run(program, {}, *options)
        expect(status == 2 and report is None and message in output, output)
    result = subprocess.run([program, "doctor", "-o", "/nonexistent/report.json"], capture_output=True, text=True, check=False)
    expect(result.returncode == 2 and "cannot be written" in result.stdout + result.stderr, result.stdout)


def crashed(program):
    """A driver may crash the process; `trellis doctor` outlives it and says where to look."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, folder)
        crashing = pathlib.Path(folder) / "trellis-doctor"
        crashing.write_text("#!/bin/sh\nkill -SEGV $$\n")
        crashing.chmod(0o755)
        result = subprocess.run([copy, "doctor"], cwd=folder, capture_output=True, text=True, check=False)
    expect(result.returncode == 1 and "ended by signal 11" in result.stderr, result)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cases = {"passes": passes, "without_layer": without_layer, "without_driver": without_driver, "wrong_options": wrong_options,
             "crashed": crashed}
    cases[sys.argv[1]](sys.argv[2])


if __name__ == "__main__":
    main()
