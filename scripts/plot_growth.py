#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `trellis_bench --growth FILE` wrote: one panel a series, both axes logarithmic, as an SVG.

usage: plot_growth.py growth.json [-o growth.svg]
"""

import argparse
import html
import json
import math
import pathlib

PANEL_WIDTH, PANEL_HEIGHT = 360, 240
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 64, 16, 36, 44
COLUMNS = 2
HEADER = 44
CURVES = [("ours_ns", "work graph", "#0b6e99"), ("theirs_ns", "hand-written", "#c2410c")]
STYLE = "text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.grid{stroke:#ddd}.frame{fill:none;stroke:#888}"
PANEL_STEP_X = MARGIN_LEFT + PANEL_WIDTH + MARGIN_RIGHT
PANEL_STEP_Y = MARGIN_TOP + PANEL_HEIGHT + MARGIN_BOTTOM


class LogAxis:
    """Maps values to 0..1 between powers of `base` that enclose them all."""

    def __init__(self, values, base):
        self.base = base
        self.low = math.floor(math.log(min(values), base) + 1e-9)
        self.high = max(math.ceil(math.log(max(values), base) - 1e-9), self.low + 1)

    def place(self, value):
        return (math.log(value, self.base) - self.low) / (self.high - self.low)

    def ticks(self, most):
        step = max(1, math.ceil((self.high - self.low) / most))
        return [self.base**power for power in range(self.low, self.high + 1, step)]


def time_text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:g} {unit}"
    return f"{nanoseconds:g} ns"


def count_text(count):
    for unit, size in ((" M", 1 << 20), (" k", 1 << 10)):
        if count >= size:
            return f"{count / size:g}{unit}"
    return f"{count:g}"


def text(x, y, content, anchor="middle", style=""):
    css = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{css}>{html.escape(content)}</text>'


def line(x1, y1, x2, y2):
    return f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def curve(points, color):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>{dots}'


def panel(name, points, left, top):
    across = LogAxis([point["x"] for point in points], 2)
    up = LogAxis([point[key] for point in points for key, _, _ in CURVES], 10)
    x_of = lambda value: left + across.place(value) * PANEL_WIDTH
    y_of = lambda value: top + (1 - up.place(value)) * PANEL_HEIGHT
    parts = [text(left, top - 12, f"time against {name}", "start", "title")]
    for tick in across.ticks(8):
        parts.append(line(x_of(tick), top, x_of(tick), top + PANEL_HEIGHT))
        parts.append(text(x_of(tick), top + PANEL_HEIGHT + 18, count_text(tick)))
    for tick in up.ticks(6):
        parts.append(line(left, y_of(tick), left + PANEL_WIDTH, y_of(tick)))
        parts.append(text(left - 6, y_of(tick) + 4, time_text(tick), "end"))
    parts.append(f'<rect class="frame" x="{left}" y="{top}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}"/>')
    for key, _, color in CURVES:
        parts.append(curve([(x_of(point["x"]), y_of(point[key])) for point in points], color))
    return "\n".join(parts)


def legend(device):
    parts = [text(MARGIN_LEFT, 24, device, "start", "title")]
    x = MARGIN_LEFT + PANEL_STEP_X
    for _, label, color in CURVES:
        parts.append(f'<rect x="{x}" y="14" width="18" height="4" fill="{color}"/>')
        parts.append(text(x + 24, 22, label, "start"))
        x += 120
    return "\n".join(parts)


def draw(points):
    series = {}
    for point in points:
        series.setdefault(point["series"], []).append(point)
    rows = math.ceil(len(series) / COLUMNS)
    width, height = COLUMNS * PANEL_STEP_X, HEADER + rows * PANEL_STEP_Y
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="white"/>',
        legend(points[0]["device"]),
    ]
    for number, (name, its_points) in enumerate(series.items()):
        left = (number % COLUMNS) * PANEL_STEP_X + MARGIN_LEFT
        top = HEADER + (number // COLUMNS) * PANEL_STEP_Y + MARGIN_TOP
        parts.append(panel(name, sorted(its_points, key=lambda point: point["x"]), left, top))
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("growth", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("growth.svg"))
    arguments = parser.parse_args()
    points = json.loads(arguments.growth.read_text(encoding="utf-8"))
    if not points:
        parser.error(f"{arguments.growth} holds no points")
    arguments.output.write_text(draw(points), encoding="utf-8")


if __name__ == "__main__":
    main()
