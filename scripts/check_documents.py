#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents: every relative link and anchor leads somewhere, and documents for users are easy to read.

Documents for users are README.md, docs/*.md and samples/*/README.md, except those in DEVELOPER_PAGES. Their sentences have at
most 20 words on average and at most 40 each. A cell of a table counts as a sentence or several. Code does not count.

usage: check_documents.py [--figures] [--self-test]
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEVELOPER_PAGES = {"docs/conformance.md", "docs/valid_usage.md"}
PENDING = set()
MAX_AVERAGE, MAX_SENTENCE = 20, 40

FENCE = re.compile(r"^ *(```|~~~)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$")
# A full stop inside these ends no sentence.
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|No)\.")
SENTENCE_END = re.compile(r"(?<=[.!?:])[)\"”*_]*\s+(?=[\"“(*_`\[]*[A-Z0-9`])")


def without_code(lines):
    """(number, line) of the lines outside of code blocks and comments."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.startswith("    ") and not line.lstrip().startswith("<!--"):
            yield number, line


def anchors(text):
    """Anchors of the headings, as the usual forges make them."""
    found = {}
    for _, line in without_code(text.splitlines()):
        match = HEADING.match(line)
        if not match:
            continue
        name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        found[name] = found.get(name, 0) + 1
    return {f"{name}-{i}" if i else name for name, count in found.items() for i in range(count)}


def paragraphs(text):
    """(number of its first line, text) of paragraphs, list items and cells of tables."""
    pending, first = [], 0
    for number, line in without_code(text.splitlines() + [""]):
        stripped = line.strip()
        is_row = stripped.startswith("|")
        begins = re.match(r"^([-*]|\d+\.) ", stripped) is not None
        if (not stripped or is_row or begins or HEADING.match(line)) and pending:
            yield first, " ".join(pending)
            pending = []
        if is_row:
            if not re.match(r"^\|[\s:|-]+\|$", stripped):
                for cell in stripped.strip("|").split("|"):
                    yield number, cell
        elif stripped and not HEADING.match(line):
            if not pending:
                first = number
            pending.append(re.sub(r"^([-*]|\d+\.) ", "", stripped))
    if pending:
        yield first, " ".join(pending)


def sentences(text):
    """(line, number of words) of each sentence."""
    for number, paragraph in paragraphs(text):
        plain = re.sub(r"`[^`]*`", "code", paragraph)
        plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = ABBREVIATIONS.sub(r"\1", plain)
        for sentence in SENTENCE_END.split(plain):
            words = re.findall(r"\w[\w'’./+-]*", sentence)
            if words:
                yield number, len(words)


def broken_links(root, path, text):
    for number, line in without_code(text.splitlines()):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"^[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            destination = (path.parent / file).resolve() if file else path
            if not destination.exists():
                yield f"{path.relative_to(root)}:{number}: {target} does not exist"
            elif anchor and destination.suffix == ".md" and anchor not in anchors(destination.read_text()):
                yield f"{path.relative_to(root)}:{number}: {target}: no such heading"


def user_documents(root):
    for path in [root / "README.md", *sorted(root.glob("docs/*.md")), *sorted(root.glob("samples/**/README.md"))]:
        if path.relative_to(root).as_posix() not in DEVELOPER_PAGES | PENDING:
            yield path


def all_documents(root):
    return [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("samples/**/*.md")]


def check(root, figures):
    problems = []
    for path in all_documents(root):
        problems += broken_links(root, path, path.read_text())
    for path in user_documents(root):
        name = path.relative_to(root).as_posix()
        lengths = list(sentences(path.read_text()))
        if not lengths:
            continue
        average = sum(count for _, count in lengths) / len(lengths)
        longest = max(count for _, count in lengths)
        if figures:
            print(f"{name}: {len(lengths)} sentences, {average:.1f} words on average, {longest} in the longest")
        if average > MAX_AVERAGE:
            problems.append(f"{name}: {average:.1f} words a sentence on average, more than {MAX_AVERAGE}")
        problems += [f"{name}:{number}: a sentence of {count} words" for number, count in lengths if count > MAX_SENTENCE]
    return problems


def self_test():
    cases = [
        (list(sentences("One two three. Four five.\n")), [(1, 3), (1, 2)]),
        (list(sentences("| a b | c |\n|---|---|\n| d e f | g |\n")), [(1, 2), (1, 1), (3, 3), (3, 1)]),
        (list(sentences("Before\n```\nnot counted at all\n```\n")), [(1, 1)]),
        (list(sentences("See [the page](x.md#y) for `code here`.\n")), [(1, 5)]),
        (list(sentences("- one\n- two three\n")), [(1, 1), (2, 2)]),
        (anchors("# A title: it's `here`\n## Two\n## Two\n"), {"a-title-its-here", "two", "two-1"}),
    ]
    for got, expected in cases:
        if got != expected:
            print(f"self-test: expected {expected}, got {got}")
    return all(got == expected for got, expected in cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", action="store_true", help="print a line for each document")
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    problems = check(ROOT, args.figures)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
