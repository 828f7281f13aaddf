#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/conformance.md, or fills in what the drivers did.

A row of its tables is
    | feature | tests | lavapipe | SwiftShader | H200 |
Tests are named `program: Suite.Test`, separated by <br>; * is a wildcard, and parameters may be left out. Cells of drivers:
    ✓               every test of the row that runs on drivers passed on that one
    no driver       the row's tests run without one, on a driver that records or with none at all
    skips: REASON   a test of the row is skipped there; the reason is that of tests/gpu/expected_skips.txt
    not run         no results of that driver yet
    open            there is no test yet

usage: check_conformance.py --program NAME=PATH ...      the tests exist, ticks do not stand for skipped tests
       check_conformance.py --program ... --fill FOLDER  rewrites the cells from GoogleTest's JSON in FOLDER, named after the driver
                                                         (lavapipe.json, h200.json, h200.<part>.json); other drivers' cells stay
       check_conformance.py --self-test
"""

import argparse
import fnmatch
import pathlib
import re
import subprocess
import sys

from check_gpu_results import Results, read_expected, read_results

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/conformance.md"
EXPECTED_SKIPS = ROOT / "tests/gpu/expected_skips.txt"
DRIVERS = ["lavapipe", "swiftshader", "h200"]  # in the order of the columns
# Programs whose tests run on a driver. The others give the same everywhere; ctest runs them with each build.
DEVICE_PROGRAMS = {"gpu", "sample"}
PASSED, NO_DRIVER, OPEN, NOT_RUN, SKIPS = "✓", "no driver", "open", "not run", "skips: "
TEST = re.compile(r"^`(\w+): ([^`]+)`$")


class Row:
    """One line of a table: what it says, and the tests behind it as (program, name)."""

    def __init__(self, number, cells):
        self.number = number
        self.feature, tests, *self.states = cells
        self.tests_text = tests
        self.tests, self.problems = [], []
        if len(self.states) != len(DRIVERS):
            self.problems.append(f"line {number}: {len(self.states)} columns of drivers, expected {len(DRIVERS)}")
        for text in filter(None, (part.strip() for part in tests.split("<br>"))):
            match = TEST.match(text)
            if match:
                self.tests.append(match.groups())
            elif text != "–":
                self.problems.append(f"line {number}: not `program: Suite.Test`: {text}")

    def text(self):
        return "| " + " | ".join([self.feature, self.tests_text, *self.states]) + " |"


def parse_rows(lines):
    """Line index -> Row, for the lines of tables that are no headings."""
    rows = {}
    for i, line in enumerate(lines):
        if not line.startswith("|") or line.startswith("|---"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) > 1 and cells[1] != "test":
            rows[i] = Row(i + 1, cells)
    return rows


def parse_test_list(output):
    """Full names from what --gtest_list_tests prints; disabled tests are none."""
    names, suite = set(), ""
    for line in output.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith(" "):
            names.add(suite + word)
        elif word.endswith("."):
            suite = word
    return {name for name in names if "DISABLED_" not in name}


def list_tests(path):
    return parse_test_list(subprocess.run([path, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout)


def named(pattern, full_names):
    """The tests that a row names: Suite.Test without the prefix of its instantiation, with or without its parameter."""

    def fits(full_name):
        suite, _, test = full_name.partition(".")
        name = suite.split("/")[-1] + "." + test
        return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, pattern + "/*")

    return {name for name in full_names if fits(name)}


def device_tests(row, programs):
    return sorted(name for program, test in row.tests if program in DEVICE_PROGRAMS for name in named(test, programs.get(program, ())))


def skip_reason(driver, test, skips):
    return next((reason for entry, pattern, reason in skips if entry == driver and fnmatch.fnmatchcase(test, pattern)), None)


def check_state(row, driver, state, programs, skips):
    """Why the cell cannot be right, or None."""
    reasons = [reason for test in device_tests(row, programs) if (reason := skip_reason(driver, test, skips))]
    if not row.tests:
        return None if state == OPEN else f"{driver} is '{state}' without a test"
    if all(program not in DEVICE_PROGRAMS for program, _ in row.tests):
        return None if state == NO_DRIVER else f"{driver} is '{state}', but the tests run on no driver"
    if state == PASSED:
        return f"{driver} is ticked, but skips: {reasons[0]}" if reasons else None
    if state.startswith(SKIPS):
        return None if state[len(SKIPS) :] in reasons else f"{driver} '{state}' is not in the list of expected skips"
    return None if state == NOT_RUN else f"{driver} is '{state}' though tests are named"


def check(rows, programs, skips):
    """Reasons to fail."""
    problems = []
    for row in rows.values():
        problems += row.problems
        for program, test in row.tests:
            if program not in programs:
                problems.append(f"line {row.number}: there is no program {program}")
            elif not named(test, programs[program]):
                problems.append(f"line {row.number}: {program} has no test {test}")
        states = (check_state(row, driver, state, programs, skips) for driver, state in zip(DRIVERS, row.states))
        problems += [f"line {row.number}: {problem}" for problem in states if problem]
    return problems


def state_of(tests, results, driver, skips):
    """The cell of a row with these tests, and reasons to fail."""
    state, problems = PASSED, []
    for test in tests:
        if test in results.skipped:
            state = SKIPS + (skip_reason(driver, test, skips) or "unexpected")
        elif test not in results.passed:
            problems.append(f"{test} {'failed' if test in results.failed else 'did not run'} on {driver}")
    return (NOT_RUN if problems else state), problems


def fill(rows, programs, results, skips):
    """Sets the states of drivers with results, and of rows that need no driver. Reasons to fail: what tests did."""
    problems = []
    for row in rows.values():
        tests = device_tests(row, programs)
        for column, driver in enumerate(DRIVERS):
            if not row.tests:
                row.states[column] = OPEN
            elif not tests:
                row.states[column] = NO_DRIVER
            elif driver in results:
                row.states[column], wrong = state_of(tests, results[driver], driver, skips)
                problems += [f"line {row.number}: {problem}" for problem in wrong]
            elif row.states[column] in (OPEN, NO_DRIVER):
                row.states[column] = NOT_RUN
    return problems


SELF_TEST_ROWS = [
    # Row, words of the problem or None.
    ("| a | `gpu: S.A` | ✓ | ✓ | not run |", None),
    ("| a | `gpu: S.A`<br>`graph: G.A` | ✓ | ✓ | ✓ |", None),
    ("| a | `gpu: S.X` | ✓ | ✓ | ✓ |", "has no test S.X"),
    ("| a | `other: S.A` | ✓ | ✓ | ✓ |", "no program other"),
    ("| a | `graph: G.A` | no driver | no driver | no driver |", None),
    ("| a | `graph: G.A` | no driver | ✓ | no driver |", "run on no driver"),
    ("| a | `gpu: S.A`<br>`graph: G.A` | ✓ | no driver | ✓ |", "is 'no driver'"),
    ("| a | `gpu: S.B` | ✓ | ✓ | ✓ |", "swiftshader is ticked, but skips: no bytes"),
    ("| a | `gpu: S.B` | ✓ | skips: no bytes | ✓ |", None),
    ("| a | `gpu: S.A` | ✓ | skips: no bytes | ✓ |", "not in the list"),
    ("| a | – | open | open | open |", None),
    ("| a | – | ✓ | open | open |", "without a test"),
    ("| a | `gpu: S.B/dxc` | ✓ | skips: no bytes | ✓ |", None),
    ("| a | `gpu: S.C/*` | ✓ | ✓ | ✓ |", "has no test S.C"),
    ("| a | `gpu: S.A` | open | ✓ | ✓ |", "tests are named"),
    ("| a | S.A | ✓ | ✓ | ✓ |", "not `program"),
    ("| a | `gpu: S.A` | ✓ | ✓ |", "columns of drivers"),
    ("| a | `gpu: S.A` | yes | ✓ | ✓ |", "is 'yes'"),
]


def self_test():
    programs = {"gpu": parse_test_list("S.\n  A\n  DISABLED_X\nDISABLED_Later/S.\n  X/dxc\nShapes/S.\n  B/dxc  # GetParam() = 0\n  B/direct\n"), "graph": {"G.A"}}
    skips = [("swiftshader", "Shapes/S.B/*", "no bytes")]
    failed = []
    for line, words in SELF_TEST_ROWS:
        problems = check(parse_rows([line]), programs, skips)
        if bool(problems) != (words is not None) or (words and not any(words in problem for problem in problems)):
            failed.append(f"{line}: expected {words!r}, got {problems}")
    rows = parse_rows([f"| a | {tests} | not run | not run | not run |" for tests in ("`gpu: S.A`<br>`gpu: S.B`", "–", "`graph: G.A`")])
    lavapipe, swiftshader = Results(), Results()
    lavapipe.passed = programs["gpu"]
    swiftshader.passed, swiftshader.skipped = {"S.A"}, {"Shapes/S.B/dxc", "Shapes/S.B/direct"}
    problems = fill(rows, programs, {"swiftshader": swiftshader, "lavapipe": lavapipe}, skips)
    states = [row.states for row in rows.values()]
    if problems or states != [[PASSED, "skips: no bytes", NOT_RUN], [OPEN] * 3, [NO_DRIVER] * 3]:
        failed.append(f"filled: {states}, {problems}")
    lavapipe.passed = {"S.A", "Shapes/S.B/dxc"}
    if fill(rows, programs, {"lavapipe": lavapipe}, skips) != ["line 1: Shapes/S.B/direct did not run on lavapipe"]:
        failed.append("a test that did not run was not noticed")
    print("\n".join(failed) if failed else "self-test passed")
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--fill", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = parse_rows(lines)
    wanted = {program for row in rows.values() for program, _ in row.tests}
    programs = {name: list_tests(path) for name, _, path in (entry.partition("=") for entry in args.program) if name in wanted}
    skips, problems = read_expected(EXPECTED_SKIPS)
    if args.fill:
        results, unreadable = read_results(args.fill)
        problems += unreadable + fill(rows, programs, results, skips)
        for i, row in rows.items():
            lines[i] = row.text()
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    problems += check(rows, programs, skips)
    for problem in problems:
        print(f"{PAGE.relative_to(ROOT)}: {problem}")
    print(f"{len(rows)} statements, {sum(1 for row in rows.values() if not row.tests)} without a test")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
