#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of a report in a headless Chromium: it draws each node and edge, and nothing goes wrong. Prints how long that takes.

usage: report_page_test.py TRELLIS CHROMIUM
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile


def tree(count):
    """A report about a binary tree of `count` nodes. Node 2 dropped records; nodes from 40 on received none."""
    node = {"index": 0, "launch": "static", "grid": [4, 1, 1], "workgroup_size": [64, 1, 1], "coalesce": 1}
    node |= {"payload_bytes": 8, "max_recursion": 0, "slot_count": 1, "sharers": [], "scalars": [], "outputs": []}
    slots = [
        {"level": (i + 1).bit_length() - 1, "slot": i, "records": 7, "max_records": 7, "dropped": 5 if i == 2 else 0}
        for i in range(min(count, 40))
    ]
    graph = {
        "name": "<tree>", "id": 3, "depth": 10,
        "nodes": [node | {"name": f"n{i}", "first_slot": i} for i in range(count)],
        "slots": [{"node": i, "remaining_recursion": 0, "record_bytes": 8} for i in range(count)],
        "edges": [{"from": (i - 1) // 2, "to": i, "max_payloads": 4} for i in range(1, count)],
    }
    dispatch = {
        "graph": 3, "command": "vkCmdDispatchGraphAMDX", "levels": 10, "recordings": 1, "executions": 1,
        "counted_executions": 1, "not_counted": "", "dispatches": 20, "barriers": 10, "draws": 0, "steps": 0,
        "fit": "all", "ring_bytes": 4096, "scratch_bytes": 4096, "slots": slots, "payloads": [],
    }
    return {
        "schema": 1, "generator": "test", "written": 0, "reason": "end", "device": None, "settings": {},
        "graphs": [graph], "dispatches": [dispatch], "findings": [], "times": [],
    }


def with_payloads(report):
    """Node 1 holds two payloads; one script's words must not become the page's."""
    report["graphs"][0]["nodes"][1]["scalars"] = [
        {"name": "at.x", "offset": 0, "type": "float", "bits": 32},
        {"name": "</td><b>", "offset": 4, "type": "int", "bits": 16},
        {"name": "big", "offset": 8, "type": "uint", "bits": 64},
    ]
    report["dispatches"][0]["payloads"] = [
        {"level": 1, "slot": 1, "payloads": ["0000c03ffeff0000ffffffffffffffff", "000000000100000002000000"]}
    ]
    return report


def with_a_coalescing_node(report):
    """Node 1 ran in three workgroups, node 2 on the records of node 1, and dispatches have CPU times."""
    nodes = report["graphs"][0]["nodes"]
    nodes[1] |= {"launch": "coalescing", "coalesce": 4, "sharers": [2]}
    report["dispatches"][0]["slots"][1] |= {"workgroups": 3, "reserved_bytes": 2048}
    report["dispatches"][0]["recording"] = {"count": 2, "total_ns": 3000, "min_ns": 1000, "max_ns": 2000}
    return report


def with_a_finding(report):
    """Node 0 lost records that the device did not count. The node 2 counts more than the finding says."""
    finding = {"graph": 3, "command": "vkCmdDispatchGraphAMDX", "id": "TRELLIS-records-lost", "severity": "warning", "level": 0}
    report["findings"] = [finding | {"slot": 0, "records": 2, "value": 0, "text": "lost"}, finding | {"slot": 2, "records": 4, "value": 0, "text": "lost"}]
    return report


def cells(text, table, row):
    """Of one row of a table, without elements."""
    line = text.split(f'id="{table}"')[1].split("</table>")[0].split("<tr")[row + 1]
    return [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]


def rendered(trellis, chromium, folder, report):
    """The page's elements once its script has run, and what went to the console."""
    data = folder / "report.json"
    page = folder / "report.html"
    data.write_text(json.dumps(report))
    subprocess.run([trellis, "report", data, "-o", page], check=True)
    result = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={folder}/profile",
         "--virtual-time-budget=8000", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )
    console = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    return result.stdout, console


def check(what, expected, found):
    if expected != found:
        sys.exit(f"{what}: {expected} expected, {found} found")


def main():
    trellis, chromium = sys.argv[1:]
    for count in (3, 127, 1023):
        with tempfile.TemporaryDirectory() as name:
            text, console = rendered(trellis, chromium, pathlib.Path(name), with_a_coalescing_node(with_a_finding(with_payloads(tree(count)))))
        check("messages on the console", [], console)
        check("nodes drawn", count, len(re.findall(r'<g class="node ', text)))
        check("edges drawn", count - 1, len(re.findall(r'<path class="edge ', text)))
        check("edges with drops", 1, text.count('class="edge dropped"'))
        check("rows of the table of nodes", count, text.split('id="nodes"')[1].split("</table>")[0].count("<tr") - 1)
        payloads = text.split('id="payloads"')[1].split("</table>")[0]
        check("rows of payloads", 2, payloads.count("<tr") - 1)
        check("members", True, "at.x = 1.5, &lt;/td&gt;&lt;b&gt; = -2, big = 18446744073709551615<" in payloads)
        check("a short payload", True, "at.x = 0, &lt;/td&gt;&lt;b&gt; = 1, big = <" in payloads)
        check("payloads dropped", True, "6 payloads dropped; 1 execution; " in text)
        head = "n0[0]|grid 4×1×1; 64×1×1||7|7|28||2|n1[0]: 7 (0.3 of 4)n2[0]: 7 (0.3 of 4)|56"
        check("a node", head, "|".join(cells(text, "nodes", 1)))
        check("a coalescing node", ["7", "7", "3", "2.3 of 4", "0"], cells(text, "nodes", 2)[3:8])
        check("one that shares", ["14", "7", "56", "", "5"], cells(text, "nodes", 3)[3:8])
        check("memory of a level", ["14", "2.0 KiB", "0.1 KiB"], cells(text, "levels", 2)[2:5])
        check("CPU time", ["1.5 µs", ""], cells(text, "dispatches", 1)[-2:])
        taken = int(re.search(r'data-drawn="(\d+)"', text)[1])
        print(f"{count} nodes: {taken} ms")


if __name__ == "__main__":
    main()
