#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells what a run of scripts/run_tests.sh executed, what it left out and why, and where its time went.

The folder holds, written by run_tests.sh:
    phases          a line for each phase: seconds, tab, name
    <preset>.xml    ctest's results (--output-junit)
    <preset>.tests  ctest's list of tests (--show-only=json-v1)
    <preset>.gpu    what check_gpu_results.py said, where there was something to judge
"""

import argparse
import json
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

SLOWEST = 10


class Run:
    """The results of one preset."""

    def __init__(self, xml_path):
        self.passed, self.failed, self.skipped, self.times = [], [], {}, []
        for case in xml.etree.ElementTree.parse(xml_path).getroot().iter("testcase"):
            name, status = case.get("name"), case.get("status")
            self.times.append((float(case.get("time", "0")), name))
            if status == "run":
                self.passed.append(name)
            elif status == "fail":
                self.failed.append(name)
            else:
                self.skipped[name] = skip_reason(case)


def skip_reason(case):
    """The last line that a skipped test printed, or else what ctest says."""
    output = (case.findtext("system-out") or "").strip()
    skipped = case.find("skipped")
    if output:
        return output.splitlines()[-1]
    return skipped.get("message", "") if skipped is not None else case.get("status")


def parts_of(tests_path, smaller):
    """Test name -> number of parts, of the tests that run in parts; `smaller` times as many of those on drivers."""
    parts = {}
    for test in json.loads(tests_path.read_text(encoding="utf-8"))["tests"]:
        for entry in test.get("properties", []):
            for variable in entry["value"] if entry["name"] == "ENVIRONMENT" else []:
                name, _, value = variable.partition("=")
                if name in ("TRELLIS_TEST_PARTS", "TRELLIS_TEST_RANDOM_PARTS"):
                    parts[test["name"]] = int(value) * (smaller if test["name"].startswith("gpu_") else 1)
    return parts


def summarise(folder, part, smaller):
    lines = []
    for xml_path in sorted(folder.glob("*.xml")):
        preset = xml_path.stem
        run = Run(xml_path)
        lines.append(f"Preset {preset}: {len(run.passed)} passed, {len(run.failed)} failed, {len(run.skipped)} skipped")
        lines += [f"  failed: {name}" for name in run.failed]
        lines += [f"  skipped: {name}: {reason}" for name, reason in run.skipped.items()]
        gpu = folder / f"{preset}.gpu"
        if gpu.exists():
            lines += ["  " + line for line in gpu.read_text(encoding="utf-8").strip().splitlines()]
        tests = folder / f"{preset}.tests"
        parts = parts_of(tests, smaller) if tests.exists() else {}
        if parts and part != "all":
            lines.append(f"  run in parts, this time part {part}:")
            lines += [f"    {name}: {int(part) % count + 1} of {count}" for name, count in parts.items()]
            again = f"scripts/run_tests.sh --part {part}" + (" --small-parts" if smaller > 1 else "")
            lines.append(f"  {max(parts.values())} commits in a row cover all parts; this run again: {again}")
        lines.append(f"  the slowest tests ({preset}), seconds:")
        lines += [f"    {seconds:7.1f}  {name}" for seconds, name in sorted(run.times, reverse=True)[:SLOWEST]]
    phases = folder / "phases"
    if phases.exists():
        lines.append("Phases, seconds:")
        lines += [f"  {int(seconds):7}  {name}" for seconds, name in (line.split("\t") for line in phases.read_text().splitlines())]
    return lines


SELF_TEST_XML = """<testsuite>
<testcase name="a" status="run" time="1.5"/>
<testcase name="b" status="fail" time="20"/>
<testcase name="c" status="notrun" time="0"><skipped message="SKIP_RETURN_CODE=77"/><system-out>x\nno such device\n</system-out></testcase>
</testsuite>"""
SELF_TEST_TESTS = {"tests": [
    {"name": "a", "properties": [{"name": "ENVIRONMENT", "value": ["X=1", "TRELLIS_TEST_PARTS=8"]}]}, {"name": "b"},
    {"name": "gpu_d", "properties": [{"name": "ENVIRONMENT", "value": ["TRELLIS_TEST_RANDOM_PARTS=4"]}]}]}
SELF_TEST_WORDS = [
    "Preset dev: 1 passed, 1 failed, 1 skipped",
    "  failed: b",
    "  skipped: c: no such device",
    "    a: 3 of 8",
    "  8 commits in a row cover all parts; this run again: scripts/run_tests.sh --part 10\n",
    "    gpu_d: 11 of 12",
    "  12 commits in a row cover all parts; this run again: scripts/run_tests.sh --part 10 --small-parts\n",
    "       20.0  b",
    "       7  building",
]


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "dev.xml").write_text(SELF_TEST_XML)
        (folder / "dev.tests").write_text(json.dumps(SELF_TEST_TESTS))
        (folder / "phases").write_text("7\tbuilding\n")
        text = "\n".join(summarise(folder, "10", 1) + summarise(folder, "10", 3)) + "\n"
    missing = [words for words in SELF_TEST_WORDS if words not in text]
    for words in missing:
        print(f"self-test: {words!r} is missing in\n{text}")
    print("self-test " + ("failed" if missing else "passed"))
    return not missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--part", default="all", help="the value of TRELLIS_TEST_PART")
    parser.add_argument("--smaller", type=int, default=1, help="the value of TRELLIS_TEST_SMALLER_PARTS")
    parser.add_argument("--self-test", action="store_true", help="check this program")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    if args.folder is None:
        parser.error("the folder of results is missing")
    print("\n" + "\n".join(summarise(args.folder, args.part, args.smaller)))


if __name__ == "__main__":
    main()
