#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/valid_usage.md against the registry's validusage.json: every rule of the extension has a row.

A row of its tables is
    | rule | what it says | checked | test |
The rule is a VUID; * is a wildcard. "checked" begins with one of
    always, validate    by the layer, whatever the setting `validate`, or with it; the row names tests
    below               by who sees what the layer calls: the Khronos layer, the driver
    never broken        there is no way to
    not checked         with the reason
Tests are named as in docs/conformance.md. Rules that the registry does not know stand below a heading that contains "newer".

usage: check_valid_usage.py --registry validusage.json --program NAME=PATH ...
       check_valid_usage.py --self-test
"""

import argparse
import fnmatch
import json
import pathlib
import re
import sys

from check_conformance import TEST, list_tests, named

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/valid_usage.md"
STATES = {"always": True, "validate": True, "below": False, "never broken": False, "not checked": False}  # needs a test
# All rules of these. The dispatch commands share most of theirs with vkCmdDispatch: those are not the extension's.
OWN = [
    "VkDispatchGraphCountInfoAMDX",
    "VkDispatchGraphInfoAMDX",
    "VkExecutionGraphPipelineCreateInfoAMDX",
    "VkExecutionGraphPipelineScratchSizeAMDX",
    "VkPipelineShaderStageNodeCreateInfoAMDX",
    "vkCmdDispatchGraphAMDX",
    "vkCmdDispatchGraphIndirectAMDX",
    "vkCmdDispatchGraphIndirectCountAMDX",
    "vkCmdInitializeGraphScratchMemoryAMDX",
    "vkCreateExecutionGraphPipelinesAMDX",
    "vkGetExecutionGraphPipelineNodeIndexAMDX",
    "vkGetExecutionGraphPipelineScratchSizeAMDX",
]
SHARED_WITH = "vkCmdDispatch"
# Of these the rules that speak of the extension, and those listed.
OTHERS = ["VkComputePipelineCreateInfo", "VkGraphicsPipelineCreateInfo", "VkPipelineCreateInfoKHR"]
OF_THE_EXTENSION = re.compile("AMDX|shaderEnqueue|shaderMeshEnqueue|EXECUTION_GRAPH")
LISTED = ["VUID-vkCmdBindPipeline-pipeline-03382"]


class Row:
    def __init__(self, number, cells, newer):
        self.number = number
        self.newer = newer
        self.problems = []
        if len(cells) != 4:
            self.problems.append(f"line {number}: {len(cells)} cells, expected 4")
            cells = (cells + [""] * 4)[:4]
        self.rule, self.says, self.checked, tests = cells
        self.rule = self.rule.strip("`")
        self.tests = [TEST.match(text.strip()) for text in tests.split("<br>") if text.strip() not in ("", "–")]
        if not all(self.tests):
            self.problems.append(f"line {number}: not `program: Suite.Test`: {tests}")
        self.tests = [match.groups() for match in self.tests if match]

    def needs_test(self):
        """None: the cell does not begin with a state."""
        return next((needs for state, needs in STATES.items() if re.match(state + r"\b", self.checked)), None)


def parse_rows(lines):
    rows, newer = [], False
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            newer = "newer" in line.lower()
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `VUID-"):
            rows.append(Row(number, cells, newer))
    return rows


def tail(vuid):
    return vuid.split("-", 2)[2]


def rules_of(validation, name):
    return [entry for block in validation.get(name, {}).values() for entry in block]


def wanted_rules(validation):
    shared = {tail(entry["vuid"]) for entry in rules_of(validation, SHARED_WITH)}
    wanted = set(LISTED)
    for name in OWN:
        is_dispatch = name.startswith("vkCmdDispatch")
        wanted |= {entry["vuid"] for entry in rules_of(validation, name) if not (is_dispatch and tail(entry["vuid"]) in shared)}
    for name in OTHERS:
        wanted |= {entry["vuid"] for entry in rules_of(validation, name) if OF_THE_EXTENSION.search(entry["text"])}
    return wanted


def check(rows, validation, programs):
    """Reasons to fail."""
    wanted = wanted_rules(validation)
    known = {entry["vuid"] for name in validation for entry in rules_of(validation, name)}
    problems = [problem for row in rows for problem in row.problems]
    problems += [f"no row for {vuid}" for vuid in sorted(wanted) if not any(fnmatch.fnmatchcase(vuid, row.rule) for row in rows)]
    for row in rows:
        where = f"line {row.number}"
        if not row.newer and not any(fnmatch.fnmatchcase(vuid, row.rule) for vuid in known):
            problems.append(f"{where}: the registry does not know {row.rule}")
        if not row.says:
            problems.append(f"{where}: {row.rule} says nothing")
        if row.needs_test() is None:
            problems.append(f"{where}: '{row.checked}' begins with none of {', '.join(STATES)}")
        elif row.needs_test() and not row.tests:
            problems.append(f"{where}: {row.rule} is checked, but no test is named")
        for program, test in row.tests:
            if not named(test, programs.get(program, ())):
                problems.append(f"{where}: {program} has no test {test}")
    return problems


def self_test():
    validation = {
        "vkCmdDispatch": {"core": [{"vuid": "VUID-vkCmdDispatch-None-1", "text": "shared"}]},
        "vkCmdDispatchGraphAMDX": {"core": [{"vuid": f"VUID-vkCmdDispatchGraphAMDX-{rule}", "text": ""} for rule in ("None-1", "own-2")]},
        "vkCmdBindPipeline": {"core": [{"vuid": LISTED[0], "text": "library"}]},
        "VkComputePipelineCreateInfo": {"core": [{"vuid": "VUID-VkComputePipelineCreateInfo-a-3", "text": "the shaderEnqueue feature"},
                                                 {"vuid": "VUID-VkComputePipelineCreateInfo-b-4", "text": "something else"}]},
    }
    programs = {"layer": {"Rules.A"}}
    good = [f"| `{LISTED[0]}` | a | always | `layer: Rules.A` |", "| `VUID-vkCmdDispatchGraph*AMDX-own-2` | b | validate | `layer: Rules.A` |",
            "| `VUID-VkComputePipelineCreateInfo-a-3` | c | not checked: why | – |"]
    cases = [
        (good, None),
        (good[:2], "no row for VUID-VkComputePipelineCreateInfo-a-3"),
        (good + ["| `VUID-x-y-9` | d | below | – |"], "does not know"),
        (good + ["# Newer", "| `VUID-x-y-9` | d | below | – |"], None),
        (good[1:] + [good[0].replace("Rules.A", "Rules.B")], "has no test Rules.B"),
        (good[1:] + [good[0].replace("`layer: Rules.A`", "–")], "no test is named"),
        (good[1:] + [good[0].replace("always", "sometimes")], "begins with none"),
        (good[1:] + [good[0].replace("| a |", "| |")], "says nothing"),
        (good[1:] + [good[0].replace("`layer: Rules.A`", "Rules.A")], "not `program"),
        (good[1:] + [good[0] + " more |"], "cells"),
    ]
    failed = []
    for lines, words in cases:
        problems = check(parse_rows(lines), validation, programs)
        if bool(problems) != (words is not None) or (words and not any(words in problem for problem in problems)):
            failed.append(f"{lines}: expected {words!r}, got {problems}")
    print("\n".join(failed) if failed else "self-test passed")
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--registry", type=pathlib.Path)
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    if not args.registry:
        parser.error("--registry is needed")
    validation = json.loads(args.registry.read_text(encoding="utf-8"))["validation"]
    rows = parse_rows(PAGE.read_text(encoding="utf-8").splitlines())
    wanted = {program for row in rows for program, _ in row.tests}
    programs = {name: list_tests(path) for name, _, path in (entry.partition("=") for entry in args.program) if name in wanted}
    problems = check(rows, validation, programs)
    for problem in problems:
        print(f"{PAGE.relative_to(ROOT)}: {problem}")
    print(f"{len(rows)} rows for {len(wanted_rules(validation))} rules")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
