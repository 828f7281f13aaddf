#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which module includes which (docs/architecture/README.md, "Modules"). Arrows go one way:

    spirv_lowering <- graph <- pipeline <- entry,    memory <- replay <- entry

Four rules: a module includes only the modules that RULES names; modules without Vulkan include no Vulkan header, directly or through
other headers; modules of the layer form no cycle; code and headers of one system are in folders named platform. Generated headers count by their path, like any other.

usage: check_includes.py [--root DIR] [--graph] [--self-test]
"""

import argparse
import pathlib
import re
import sys
import tempfile

# What any module of the layer may use besides itself.
PLUMBING = ["layer/platform", "layer/dispatch", "layer/objects", "layer/settings", "layer/diagnostics", "layer/device"]
SUPPORT = ["spirv_lowering/support"]
REPLAY = PLUMBING + SUPPORT + ["layer/graph", "layer/memory", "layer/pipeline", "meta_shaders"]
EVERYTHING = None

# Module -> modules it may include besides itself. The longest prefix of a file's path is its module.
RULES = {
    "spirv_lowering/support": [],
    "spirv_lowering": ["meta_shaders/runtime"],
    "spirv_lowering/rules": ["spirv_lowering"],
    "spirv_lowering/front_end": ["spirv_lowering"],
    "meta_shaders/shared": [],
    "meta_shaders": ["meta_shaders/shared"],
    "layer/graph": ["spirv_lowering/reflect", "meta_shaders/shared"] + SUPPORT,
    "layer/platform": SUPPORT,
    "layer/dispatch": PLUMBING + SUPPORT,
    "layer/objects": PLUMBING + SUPPORT,
    "layer/settings": PLUMBING + SUPPORT,
    "layer/diagnostics": PLUMBING + SUPPORT,
    "layer/device": PLUMBING + SUPPORT,
    "layer/maintenance5": PLUMBING + SUPPORT,
    "layer/memory": PLUMBING + SUPPORT + ["meta_shaders"],
    "layer/pipeline": PLUMBING + SUPPORT + ["layer/graph", "layer/memory", "spirv_lowering", "meta_shaders"],
    "layer/replay/planning": REPLAY,
    "layer/replay/placing": REPLAY + ["layer/replay/planning"],
    "layer/replay/reports": REPLAY + ["layer/replay/planning", "layer/replay/placing"],
    "layer/replay/recording": REPLAY + ["layer/replay/planning", "layer/replay/placing", "layer/replay/reports"],
    "layer/replay": REPLAY,
    "layer/validation": PLUMBING + SUPPORT + ["layer/graph", "layer/memory", "layer/pipeline"],
    "layer/entry": EVERYTHING,
    "layer": EVERYTHING,
    "samples": [],
    "tools": ["layer/dispatch", "spirv_lowering", "spirv_lowering/rules", "spirv_lowering/front_end"],
    "bench": [],
    "tests": EVERYTHING,
}

# Modules whose library and unit tests need no GPU and no loader.
WITHOUT_VULKAN = ["spirv_lowering", "meta_shaders", "layer/graph"]
# The only folder that may use SPIRV-Tools.
SPIRV_TOOLS_USERS = ["spirv_lowering/post", "tests", "tools"]

# Modules in which only files of a folder named platform may depend on the system.
PORTABLE = ["layer", "spirv_lowering", "tools", "samples", "meta_shaders"]
SYSTEM_HEADER = re.compile(r"(?:sys|linux|netinet|arpa)/.*|(?:unistd|fcntl|spawn|dlfcn|pthread|poll|dirent|pwd|signal|windows|io|shellapi)\.h")
SYSTEM_TEST = re.compile(
    r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(?:_WIN32|WIN32|_WIN64|__MINGW\w*|_MSC_VER|__linux__|__unix__|__APPLE__)\b", re.MULTILINE
)

SOURCE_SUFFIXES = {".h", ".hpp", ".inc", ".cpp", ".cc", ".glsl", ".comp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def module_of(path, modules):
    """The most specific of `modules` that holds `path`, or None."""
    best = None
    for module in modules:
        if (path == module or path.startswith(module + "/")) and (best is None or len(module) > len(best)):
            best = module
    return best


class Tree:
    """All source files below a root with what they include."""

    def __init__(self, root):
        self.root = root
        self.system_tests = {}  # path -> a line of the preprocessor that asks for the system
        self.includes = {}  # path -> list of (bracket, name as written, repository path or None)
        for module in sorted({rule.split("/")[0] for rule in RULES}):
            for file in sorted((root / module).rglob("*")):
                if file.suffix in SOURCE_SUFFIXES and file.is_file():
                    path = file.relative_to(root).as_posix()
                    text = file.read_text(encoding="utf-8", errors="replace")
                    self.includes[path] = [
                        (bracket, name, self.resolve(path, bracket, name)) for bracket, name in INCLUDE.findall(text)
                    ]
                    if found := SYSTEM_TEST.search(text):
                        self.system_tests[path] = found.group().strip()

    def resolve(self, includer, bracket, name):
        """Repository path that an include means; None for system and third-party headers."""
        if (self.root / name).is_file():
            return name
        if bracket == '"':
            beside = (self.root / includer).parent / name
            if beside.is_file():
                return beside.resolve().relative_to(self.root.resolve()).as_posix()
        # A header that the build generates has the path of the module it belongs to.
        return name if module_of(name, RULES) and "/" in name else None


def check_modules(tree):
    for path, includes in tree.includes.items():
        module = module_of(path, RULES)
        allowed = RULES[module]
        for _, _, target in includes:
            if target is None or allowed is EVERYTHING:
                continue
            if module_of(target, [module] + allowed) is None:
                yield f"{path}: {module} must not include {target}"


def check_spirv_tools(tree):
    for path, includes in tree.includes.items():
        for _, name, _ in includes:
            if name.startswith("spirv-tools/") and module_of(path, SPIRV_TOOLS_USERS) is None:
                yield f"{path}: only {', '.join(SPIRV_TOOLS_USERS)} may include {name}"


def check_systems(tree):
    for path, includes in tree.includes.items():
        if module_of(path, PORTABLE) is None or "platform" in path.split("/")[:-1]:
            continue
        if path in tree.system_tests:
            yield f"{path}: only a folder named platform may have '{tree.system_tests[path]}'"
        for bracket, name, _ in includes:
            if bracket == "<" and SYSTEM_HEADER.fullmatch(name):
                yield f"{path}: only a folder named platform may include <{name}>"


def check_vulkan(tree):
    for path in tree.includes:
        if module_of(path, WITHOUT_VULKAN) is None:
            continue
        way = way_to_vulkan(tree, path)
        if way:
            yield f"{path}: {module_of(path, WITHOUT_VULKAN)} must not see a Vulkan header ({' -> '.join(way)})"


def way_to_vulkan(tree, start):
    """The chain of includes from `start` to the first Vulkan header, or None."""
    seen = {start}
    pending = [[start]]
    while pending:
        way = pending.pop(0)
        for _, name, target in tree.includes.get(way[-1], []):
            if name.startswith("vulkan/") or name.startswith("vk_video/"):
                return way + [name]
            if target is not None and target not in seen:
                seen.add(target)
                pending.append(way + [target])
    return None


def module_graph(tree):
    """Module -> modules it includes, with one example each."""
    graph = {}
    for path, includes in tree.includes.items():
        module = module_of(path, RULES)
        for _, _, target in includes:
            other = module_of(target, RULES) if target else None
            if other and other != module:
                graph.setdefault(module, {}).setdefault(other, f"{path} includes {target}")
    return graph


def check_cycles(tree):
    # The plumbing is one module here, because its parts know each other, and so are the hooks and the lookup of hooks.
    def merged(module):
        if module in PLUMBING:
            return "layer plumbing"
        return "layer/entry" if module == "layer" else module

    graph = {}
    for module, others in module_graph(tree).items():
        for other, example in others.items():
            if merged(module) != merged(other):
                graph.setdefault(merged(module), {}).setdefault(merged(other), example)
    done = set()

    def visit(module, way):
        if module in way:
            cycle = way[way.index(module) :] + [module]
            examples = "; ".join(graph[a][b] for a, b in zip(cycle, cycle[1:]))
            return f"modules include each other in a circle: {' -> '.join(cycle)} ({examples})"
        if module in done:
            return None
        for other in graph.get(module, {}):
            found = visit(other, way + [module])
            if found:
                return found
        done.add(module)
        return None

    for module in list(graph):
        found = visit(module, [])
        if found:
            yield found
            return


def check(root):
    tree = Tree(root)
    problems = []
    for rule in (check_modules, check_spirv_tools, check_systems, check_vulkan, check_cycles):
        problems += rule(tree)
    return tree, problems


# Files of a small tree, and the words that the complaint about it must contain; None: no complaint.
SELF_TESTS = [
    ({"layer/graph/a.h": '#include "spirv_lowering/reflect/node_info.h"', "spirv_lowering/reflect/node_info.h": ""}, None),
    ({"layer/graph/a.h": '#include "layer/dispatch/d.h"', "layer/dispatch/d.h": ""}, "must not include layer/dispatch/d.h"),
    ({"layer/graph/a.h": '#include "spirv_lowering/ir/m.h"', "spirv_lowering/ir/m.h": ""}, "must not include"),
    ({"spirv_lowering/a.cpp": '#include "layer/graph/a.h"', "layer/graph/a.h": ""}, "must not include layer/graph/a.h"),
    ({"spirv_lowering/a.cpp": "#include <vulkan/vulkan.h>"}, "Vulkan header"),
    ({"layer/graph/a.cpp": '#include "x.h"', "layer/graph/x.h": "#  include <vulkan/vulkan_core.h>"}, "x.h -> vulkan/vulkan_core.h"),
    ({"layer/memory/a.h": '#include "layer/replay/r.h"', "layer/replay/r.h": ""}, "must not include layer/replay/r.h"),
    ({"layer/pipeline/a.h": '#include "layer/entry/e.h"', "layer/entry/e.h": ""}, "must not include layer/entry/e.h"),
    ({"layer/replay/a.h": '#include "layer/pipeline/p.h"', "layer/pipeline/p.h": ""}, None),
    ({"layer/pipeline/a.h": '#include "layer/replay/p.h"', "layer/replay/p.h": ""}, "must not include layer/replay/p.h"),
    ({"samples/a.cpp": '#include "layer/graph/a.h"', "layer/graph/a.h": ""}, "must not include"),
    ({"spirv_lowering/passes/a.cpp": "#include <spirv-tools/optimizer.hpp>"}, "only spirv_lowering/post"),
    ({"layer/memory/a.cpp": "#include <unistd.h>"}, "only a folder named platform may include <unistd.h>"),
    ({"samples/s/a.cpp": "# ifdef _WIN32"}, "only a folder named platform may have '# ifdef _WIN32'"),
    ({"layer/platform/posix.cpp": "#include <sys/auxv.h>\n#if defined(__linux__)"}, None),
    ({"tests/a.cpp": "#include <unistd.h>"}, None),
    ({"spirv_lowering/a.cpp": '#include "layer/generated/table.h"'}, "must not include layer/generated/table.h"),
    (
        {
            "layer/memory/a.h": '#include "layer/graph/g.h"',
            "layer/graph/g.h": '#include "layer/memory/a.h"',
        },
        "in a circle",
    ),
]


def self_test():
    failures = 0
    for files, expected in SELF_TESTS:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text + "\n")
            _, problems = check(root)
        if (expected is None and problems) or (expected is not None and not any(expected in line for line in problems)):
            failures += 1
            print(f"self-test: {files}: expected {expected!r}, got {problems}")
    print(f"self-test: {len(SELF_TESTS) - failures} of {len(SELF_TESTS)} passed")
    return failures == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--graph", action="store_true", help="print which module includes which")
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    args = parser.parse_args()
    if args.self_test:
        sys.exit(0 if self_test() else 1)
    tree, problems = check(args.root)
    if args.graph:
        for module, others in sorted(module_graph(tree).items()):
            print(f"{module} -> {', '.join(sorted(others))}")
    if not tree.includes:
        problems.append(f"no source file below {args.root}")
    for problem in problems:
        print(problem)
    print(f"{len(tree.includes)} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
