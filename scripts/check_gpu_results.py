#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up the GPU tests per driver, and fails where a required driver did not run or skips differ from the committed list.

The folder holds GoogleTest's JSON output, named after the driver: lavapipe.json, or lavapipe.<part>.json for several runs on one
driver (their tests are added up). Each says at its top which validation layer checked the run ("validation_layer": a version, "off"
if the run was told to go without, "none" if it was not found) and which driver ran ("driver").

A run under a device profile (tests/device_profiles), lavapipe.as_<profile>.json, counts as a driver of its own, lavapipe.as_<profile>.

The list of expected skips has one line a test,
    <driver> <Suite.Test>: <reason>
where <driver> is a file's name up to the first dot, or lavapipe.as_<profile>. Both may hold the wildcard *. '#' starts a comment line.
Under a device profile the tests that the driver skips may skip too.
With --strict-skips a skip that is not listed fails, and so does a listed test that passed, or a line none of whose tests ran on a
driver that did; without, differences are only printed. With --parts not every test ran, so that a line's may all be elsewhere. With
--strict-skips a run also fails that had no validation layer, unless it was told so.
"""

import argparse
import fnmatch
import json
import pathlib
import re
import sys
import tempfile

EXPECTED_LINE = re.compile(r"^(\S+)\s+(\S+?):\s*(.+)$")


class Results:
    """Tests of one driver by outcome, as "Suite.Test"."""

    def __init__(self):
        self.passed = set()
        self.failed = set()
        self.skipped = set()
        self.validation = {}  # version -> names of the files
        self.versions = set()  # of the driver

    def add(self, name, report):
        self.validation.setdefault(report.get("validation_layer", "not told"), []).append(name)
        self.versions.add(report.get("driver", "not told"))
        for suite in report.get("testsuites", []):
            for test in suite.get("testsuite", []):
                name = f"{suite['name']}.{test['name']}"
                if test.get("failures"):
                    self.failed.add(name)
                elif test.get("result") == "SKIPPED":
                    self.skipped.add(name)
                elif test.get("status") == "RUN" and test.get("result") == "COMPLETED":
                    self.passed.add(name)
        # A test that failed or was skipped in one part and passed in another counts once.
        self.skipped -= self.failed
        self.passed -= self.failed | self.skipped

    @property
    def run(self):
        return len(self.passed) + len(self.failed)


def driver_of(file_name):
    parts = file_name.split(".")
    return ".".join(parts[:2]) if parts[1].startswith("as_") else parts[0]


def read_results(folder):
    """Driver name -> Results, and problems with the files."""
    drivers, problems = {}, []
    for file in sorted(folder.glob("*.json")):
        try:
            report = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            problems.append(f"{file.name} cannot be read (did the test program crash?): {error}")
            continue
        drivers.setdefault(driver_of(file.name), Results()).add(file.name, report)
    return drivers, problems


def read_expected(path):
    """List of (driver, test pattern, reason), and problems with the file."""
    entries, problems = [], []
    if path is None:
        return entries, problems
    if not path.exists():
        return entries, [f"there is no {path}"]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = EXPECTED_LINE.match(line)
        if match:
            entries.append(match.groups())
        else:
            problems.append(f"{path.name}:{number}: not '<driver> <Suite.Test>: <reason>': {line}")
    return entries, problems


def entries_of(driver, entries):
    return [entry for entry in entries if fnmatch.fnmatchcase(driver, entry[0])]


def allowed_entries(driver, entries):
    """Those of the driver, and under a device profile those of the driver below."""
    below = driver.split(".")[0]
    return entries_of(driver, entries) + (entries_of(below, entries) if below != driver else [])


def compare_skips(driver, results, entries, parts):
    mine, allowed = entries_of(driver, entries), allowed_entries(driver, entries)
    for test in sorted(results.skipped):
        if not any(fnmatch.fnmatchcase(test, pattern) for _, pattern, _ in allowed):
            yield f"{driver} skipped {test}, which is not in the list of expected skips"
    for _, pattern, reason in mine:
        did_not = fnmatch.filter(sorted(results.passed), pattern)
        if not did_not and not parts and not fnmatch.filter(results.skipped | results.failed, pattern):
            did_not = [pattern]
        for test in did_not:
            yield f"{driver} did not skip {test}, which is listed as expected to be skipped ({reason})"


def lacks_validation(driver, results):
    for version in ("none", "not told"):
        for file in results.validation.get(version, []):
            yield f"{driver}: {file} ran without the validation layer ({version})"


def describe_skips(driver, results, entries):
    """One line for each reason."""
    reasons = {}
    for test in results.skipped:
        reason = next((reason for _, pattern, reason in allowed_entries(driver, entries) if fnmatch.fnmatchcase(test, pattern)), "not listed")
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in sorted(reasons.items()):
        yield f"  {driver} skipped {count}: {reason}"


def judge(folder, expected_path, required, strict, parts=False):
    """Returns (summary lines, reasons to fail, other remarks)."""
    drivers, failures = read_results(folder)
    entries, problems = read_expected(expected_path)
    failures += problems
    summary, remarks = [], []
    width = max([len(name) for name in drivers] + [6])
    summary.append(f"{'driver':{width}}  run  passed  failed  skipped  validation layer")
    for name, results in sorted(drivers.items()):
        summary.append(
            f"{name:{width}} {results.run:4} {len(results.passed):7} {len(results.failed):7} {len(results.skipped):8}"
            f"  {', '.join(sorted(results.validation))} ({', '.join(sorted(results.versions))})"
        )
        failures += [f"{name}: {test} failed" for test in sorted(results.failed)]
        (failures if strict else remarks).extend(compare_skips(name, results, entries, parts))
        (failures if strict else remarks).extend(lacks_validation(name, results))
    for name, results in sorted(drivers.items()):
        summary += describe_skips(name, results, entries)
    for requirement in required:
        name, _, pattern = requirement.partition(":")
        passed = drivers[name].passed if name in drivers else set()
        if not any(fnmatch.fnmatchcase(test, pattern or "*") for test in passed):
            failures.append(f"no GPU test {pattern + ' ' if pattern else ''}passed on {name}, which is required")
    return summary, failures, remarks


def test_report(validation="1.4.309", **outcomes):
    tests = []
    for name, outcome in outcomes.items():
        test = {"name": name, "status": "RUN", "result": "COMPLETED"}
        if outcome == "skip":
            test["result"] = "SKIPPED"
        if outcome == "fail":
            test["failures"] = [{"failure": "no", "type": ""}]
        if outcome == "filtered":
            test.update(status="NOTRUN", result="SUPPRESSED")
        tests.append(test)
    report = {"driver": "fast 1.0", "testsuites": [{"name": "S", "testsuite": tests}]}
    if validation is not None:
        report["validation_layer"] = validation
    return json.dumps(report)


GOOD = test_report(A="pass", B="pass")
SKIPS = test_report(A="pass", B="skip")
# (files, expected skips, required drivers, words of the failure or None)
SELF_TESTS = [
    ({"a.json": GOOD}, "", ["a"], None),
    ({"a.json": GOOD}, "", ["a", "b"], "no GPU test passed on b"),
    ({"a.json": GOOD}, "", ["a:S.B", "a:S.*"], None),
    ({"a.json": GOOD}, "", ["a", "a:S.C"], "no GPU test S.C passed on a"),
    ({"a.json": test_report(A="pass", B="fail")}, "", ["a:S.B"], "no GPU test S.B passed on a"),
    ({"a.json": SKIPS}, "", ["a"], "a skipped S.B"),
    ({"a.json": SKIPS}, "a S.B: it has no such thing\n", ["a"], None),
    ({"a.json": SKIPS}, "# why\na S.[B-Z]*: it has no such thing\n", ["a"], None),
    ({"a.json": SKIPS}, "a S.*: it has no such thing\n", ["a"], "did not skip S.A"),
    ({"a.json": SKIPS}, "a S.B: no\na S.C: it has no such thing\n", ["a"], "did not skip S.C"),
    ({"a.json": GOOD}, "a S.B: it has no such thing\n", ["a"], "did not skip S.B"),
    ({"a.json": GOOD}, "b S.B: it has no such thing\n", ["a"], None),
    ({"a.json": test_report(A="fail")}, "", [], "S.A failed"),
    ({"a.json": "{"}, "", [], "cannot be read"),
    ({"a.json": GOOD}, "nonsense\n", ["a"], "not '<driver>"),
    ({"a.1.json": test_report(A="pass", B="filtered"), "a.2.json": test_report(A="filtered", B="skip")}, "a S.B: no\n", ["a"], None),
    ({"a.json": test_report(A="skip")}, "a S.A: no\n", ["a"], "no GPU test passed on a"),
    ({"a.json": GOOD, "a.as_b.json": SKIPS}, "a.as_b S.B: no\n", ["a", "a.as_b"], None),
    ({"a.json": GOOD, "a.as_b.json": SKIPS}, "", ["a"], "a.as_b skipped S.B"),
    ({"a.json": SKIPS, "a.as_b.json": GOOD}, "a S.B: no\n", ["a"], None),
    ({"a.json": SKIPS, "a.as_b.json": SKIPS}, "a S.B: no\n", ["a"], None),
    ({"a.as_b.json": GOOD}, "a.as_b S.B: no\n", ["a.as_b"], "did not skip S.B"),
    ({"a.as_b.json": SKIPS, "a.as_c.json": SKIPS}, "a.as_* S.B: no\n", ["a.as_b"], None),
    ({"a.as_b.json": SKIPS, "a.as_c.json": GOOD}, "a.as_* S.B: no\n", ["a.as_b"], "a.as_c did not skip S.B"),
    ({"a.b.json": SKIPS}, "a S.B: no\n", ["a"], None),
    ({}, "", ["a"], "no GPU test passed on a"),
    ({"a.json": test_report(validation="none", A="pass")}, "", ["a"], "a.json ran without the validation layer (none)"),
    ({"a.json": test_report(validation=None, A="pass")}, "", ["a"], "a.json ran without the validation layer (not told)"),
    ({"a.json": GOOD, "a.2.json": test_report(validation="none", A="pass")}, "", ["a"], "a.2.json ran without"),
    ({"a.json": test_report(validation="off", A="pass")}, "", ["a"], None),
]
# The same where only parts ran.
PARTS_SELF_TESTS = [
    ({"a.json": GOOD}, "a S.C: elsewhere\n", ["a"], None),
    ({"a.json": GOOD}, "a S.B: it has no such thing\n", ["a"], "did not skip S.B"),
    ({"a.json": SKIPS}, "", ["a"], "a skipped S.B"),
]
# (files, line of the summary that there must be)
SUMMARY_TESTS = [
    ({"a.json": GOOD}, "a         2       2       0        0  1.4.309 (fast 1.0)"),
    ({"a.json": GOOD, "a.2.json": test_report(validation="1.3.239", C="pass")}, "a         3       3       0        0  1.3.239, 1.4.309 (fast 1.0)"),
    ({"a.json": GOOD, "b.json": test_report(validation="off", C="fail")}, "b         1       0       1        0  off (fast 1.0)"),
]


def judge_files(files, expected, required, parts=False):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "results").mkdir()
        for name, text in files.items():
            (root / "results" / name).write_text(text)
        (root / "expected.txt").write_text(expected)
        return judge(root / "results", root / "expected.txt", required, True, parts)


def self_test():
    failed = 0
    for files, expected, required, words, parts in [(*row, False) for row in SELF_TESTS] + [(*row, True) for row in PARTS_SELF_TESTS]:
        _, failures, _ = judge_files(files, expected, required, parts)
        if (words is None and failures) or (words is not None and not any(words in line for line in failures)):
            failed += 1
            print(f"self-test: {files} with {expected!r}: expected {words!r}, got {failures}")
    for files, line in SUMMARY_TESTS:
        summary, _, _ = judge_files(files, "", [])
        if line not in summary:
            failed += 1
            print(f"self-test: {files}: expected {line!r} in {summary}")
    count = len(SELF_TESTS) + len(PARTS_SELF_TESTS) + len(SUMMARY_TESTS)
    print(f"self-test: {count - failed} of {count} passed")
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help="folder of GoogleTest's JSON files")
    parser.add_argument("--expected-skips", type=pathlib.Path)
    parser.add_argument(
        "--require", action="append", default=[], metavar="DRIVER[:TEST]", help="a driver where some test must have passed, or this one; TEST may hold *"
    )
    parser.add_argument("--strict-skips", action="store_true")
    parser.add_argument("--parts", action="store_true", help="only parts of some runs were executed")
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    if args.folder is None:
        parser.error("the folder of results is missing")
    summary, failures, remarks = judge(args.folder, args.expected_skips, args.require, args.strict_skips, args.parts)
    print("\nGPU tests per driver")
    print("\n".join(summary))
    for line in remarks:
        print(f"note: {line}")
    for line in failures:
        print(f"FAIL: {line}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
