#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer through the real loader, from the build tree.

usage: loader_test.py CASE --probe PROGRAM --build FOLDER --icd MANIFEST

Exit status 77: skipped, with the reason on the last line.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAYER = "VK_LAYER_TRELLIS_shader_enqueue"
RENDERDOC = "VK_LAYER_RENDERDOC_Capture"
VALIDATION = "VK_LAYER_KHRONOS_validation"
# Everything that could switch a layer on or off behind the test's back.
SWITCHES = ("TRELLIS_", "VK_", "ENABLE_VULKAN", "DISABLE_VULKAN", "XDG_")


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def run(command, arguments, **variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(SWITCHES)}
    environment.update(XDG_CONFIG_DIRS=f"{arguments.build}:/etc/xdg", VK_ICD_FILENAMES=arguments.icd, VK_DRIVER_FILES=arguments.icd)
    environment.update(variables)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def run_probe(arguments, rounds=1, **variables):
    return run([arguments.probe, str(rounds)], arguments, **variables)


def facts_of(result):
    if result.returncode != 0 or not result.stdout.rstrip().endswith("done"):
        raise Failure(f"the probe failed ({result.returncode}):\n{result.stdout}{result.stderr}")
    return {name: int(value) for name, value in re.findall(r"^(.+?) = (\d+)$", result.stdout, re.MULTILINE)}


def expect(facts, **expected):
    for name, value in expected.items():
        name = name.replace("_", " ")
        if facts.get(name) != value:
            raise Failure(f"'{name}' is {facts.get(name)}, not {value}; all facts: {facts}")


def expect_offered(facts):
    expect(facts, extension_listed=1, maintenance5_listed=1, shaderEnqueue=1, shaderMeshEnqueue=facts["meshShader"],
           plain_device=1, graph_commands_of_the_plain_device=0, graph_device=1, graph_commands=7, submits=1)
    for name, least in (("Depth", 32), ("ShaderOutputNodes", 256), ("ShaderPayloadSize", 32768),
                        ("ShaderPayloadCount", 256), ("WorkgroupCount", 65535), ("Workgroups", 2**24 - 1)):
        if facts[f"maxExecutionGraph{name}"] < least:
            raise Failure(f"maxExecutionGraph{name} is {facts[f'maxExecutionGraph{name}']}, less than {least}")
    if not 0 < facts["executionGraphDispatchAddressAlignment"] <= 4:
        raise Failure("executionGraphDispatchAddressAlignment is not in 1 to 4")


def expect_absent(facts):
    # The driver may list the extension all the same, as lavapipe does, without having it.
    expect(facts, shaderEnqueue=0, plain_device=1)
    if facts.get("graph commands", 0):
        raise Failure(f"graph commands without the layer: {facts}")


def device_chain(log):
    """Names of the layers of the device's chain, nearest to the application first, from the loader's log."""
    blocks = re.findall(r"vkCreateDevice layer callstack setup to:(.*?)<Device>", log, re.DOTALL)
    if not blocks:
        raise Failure(f"no device chain in the loader's log:\n{log}")
    return re.findall(r"VK_LAYER_\w+", re.sub(r"(Manifest|Library):.*", "", blocks[0]))


def is_known_to_loader(arguments, layer):
    log = run_probe(arguments, VK_LOADER_DEBUG="layer").stderr
    manifests = re.findall(r"(/\S+\.json)", log)
    return any(layer in open(manifest, encoding="utf-8").read() for manifest in set(manifests) if os.path.exists(manifest))


def case_enabled(arguments):
    expect_offered(facts_of(run_probe(arguments, TRELLIS_ENABLE="1")))


def case_off_by_default(arguments):
    expect_absent(facts_of(run_probe(arguments)))


def case_disabled_wins(arguments):
    expect_absent(facts_of(run_probe(arguments, TRELLIS_ENABLE="1", TRELLIS_DISABLE="1")))


def case_instance_layers(arguments):
    expect_offered(facts_of(run_probe(arguments, VK_INSTANCE_LAYERS=LAYER)))


def case_enable_wants_1(arguments):
    expect_absent(facts_of(run_probe(arguments, TRELLIS_ENABLE="0")))


def case_order(arguments):
    for layer in (RENDERDOC, VALIDATION):
        if not is_known_to_loader(arguments, layer):
            raise Skip(f"{layer} is not installed")
    # RenderDoc on a driver for the processor: only the order of the chain is looked at, whatever becomes of the probe.
    result = run_probe(arguments, TRELLIS_ENABLE="1", ENABLE_VULKAN_RENDERDOC_CAPTURE="1", VK_INSTANCE_LAYERS=VALIDATION,
                       VK_LOADER_DEBUG="layer")
    chain = [layer for layer in device_chain(result.stderr) if layer in (LAYER, RENDERDOC, VALIDATION)]
    if chain != [LAYER, RENDERDOC, VALIDATION]:
        raise Failure(f"the chain from application to driver is {chain}")
    print("application > " + " > ".join(chain) + " > driver")


def case_order_of_folders(arguments):
    """The folder that is searched first has the upper layer, as docs/renderdoc.md says."""
    installed = [path for path in pathlib.Path("/usr/share/vulkan/implicit_layer.d").glob("*.json") if RENDERDOC in path.read_text(encoding="utf-8")]
    if not installed:
        raise Skip(f"{RENDERDOC} is not installed in /usr/share")
    built = pathlib.Path(arguments.build, "vulkan/implicit_layer.d", f"{LAYER.replace('VK_LAYER', 'VkLayer')}.json")
    manifest = json.loads(built.read_text(encoding="utf-8"))
    manifest["layer"]["library_path"] = str((built.parent / manifest["layer"]["library_path"]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        texts = {LAYER: json.dumps(manifest), RENDERDOC: installed[0].read_text(encoding="utf-8")}
        for layer, text in texts.items():
            place = pathlib.Path(folder, layer, "vulkan/implicit_layer.d")
            place.mkdir(parents=True)
            (place / "layer.json").write_text(text, encoding="utf-8")
        for order in ([LAYER, RENDERDOC], [RENDERDOC, LAYER]):
            result = run_probe(arguments, TRELLIS_ENABLE="1", ENABLE_VULKAN_RENDERDOC_CAPTURE="1", VK_LOADER_DEBUG="layer",
                               XDG_CONFIG_DIRS=f"{folder}/none", XDG_DATA_DIRS=":".join(f"{folder}/{layer}" for layer in order))
            chain = [layer for layer in device_chain(result.stderr) if layer in texts]
            if chain != order:
                raise Failure(f"with folders in the order {order} the chain from application to driver is {chain}")


def case_reloaded(arguments):
    facts = facts_of(run_probe(arguments, rounds=3, TRELLIS_ENABLE="1"))
    expect_offered(facts)
    # What an unloaded layer leaked is found by the leak checker of a build with sanitizers.
    expect(facts, layer_loaded=1, layer_left_behind=0)


def case_vulkaninfo(arguments):
    program = shutil.which("vulkaninfo")
    if not program:
        raise Skip("vulkaninfo is not installed")

    # vulkaninfo may ask for a newer Vulkan than the driver takes: that of Debian 13 does not run on SwiftShader.
    plain = run([program], arguments)
    if plain.returncode != 0:
        raise Skip(f"without the layer vulkaninfo fails on this driver too: {plain.stderr.strip().splitlines()[-1:]}")

    def listed(**variables):
        result = run([program], arguments, **variables)
        if result.returncode != 0:
            raise Failure(f"vulkaninfo failed ({result.returncode}):\n{result.stderr}")
        # The list of layers comes first, with what each of them says about itself.
        device = result.stdout.partition("Device Properties and Extensions")[2]
        return re.findall(r"^\s*VK_AMDX_shader_enqueue\s*: extension revision\s+(\d+)$", device, re.MULTILINE)

    if (revisions := listed(TRELLIS_ENABLE="1")) != ["2"]:
        raise Failure(f"with the layer, vulkaninfo lists the extension with revisions {revisions}")


def case_installed(arguments):
    with tempfile.TemporaryDirectory() as folder:
        install = subprocess.run(["cmake", "--install", arguments.build], env=dict(os.environ, DESTDIR=folder),
                                 capture_output=True, text=True, check=False)
        if install.returncode != 0:
            raise Failure(install.stdout + install.stderr)
        manifests = sorted(pathlib.Path(folder).rglob("implicit_layer.d/*TRELLIS*.json"))
        if len(manifests) != 1:
            raise Failure(f"installed manifests: {manifests}")
        base = manifests[0].parent.parent.parent  # the folder that has vulkan/ in it
        for variable, rest in (("XDG_DATA_DIRS", "/usr/share"), ("XDG_CONFIG_DIRS", "/etc/xdg")):
            # Last, so that it replaces the build tree: only the installed files may be found.
            places = {"XDG_CONFIG_DIRS": "/etc/xdg", variable: f"{base}:{rest}"}
            expect_absent(facts_of(run_probe(arguments, **places)))
            for switch in ({"TRELLIS_ENABLE": "1"}, {"VK_INSTANCE_LAYERS": LAYER}):
                expect_offered(facts_of(run_probe(arguments, **places, **switch)))
            log = run_probe(arguments, **places, TRELLIS_ENABLE="1", VK_LOADER_DEBUG="layer").stderr
            if folder not in log:
                raise Failure(f"the layer did not come out of {folder}:\n{log}")


def main():
    cases = {name[len("case_"):]: function for name, function in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=sorted(cases))
    for name in ("probe", "build", "icd"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    try:
        cases[arguments.case](arguments)
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    except Failure as failure:
        print(f"failed: {failure}")
        return 1
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
