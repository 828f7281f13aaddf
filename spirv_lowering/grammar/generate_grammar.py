#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the operand table of grammar.cpp from SPIRV-Headers' spirv.core.grammar.json.

Usage: generate_grammar.py spirv.core.grammar.json OUTPUT

The output is a list of constexpr arrays whose row types grammar.cpp declares. Enumerations without parameters need no table: their
operands are single words whatever their value, so modules that use newer capabilities or storage classes can still be read.
"""

import json
import os
import sys

# Opcode -> name that a grammar must have to be new enough for revision 2 of SPV_AMDX_shader_enqueue.
REQUIRED = {
    5074: "OpAllocateNodePayloadsAMDX",
    5075: "OpEnqueueNodePayloadsAMDX",
    5076: "OpTypeNodePayloadArrayAMDX",
    5078: "OpFinishWritingNodePayloadAMDX",
    5090: "OpNodePayloadArrayLengthAMDX",
    5101: "OpIsNodePayloadValidAMDX",
    5103: "OpConstantStringAMDX",
    5104: "OpSpecConstantStringAMDX",
}

BASE_KINDS = {
    "LiteralInteger": "kWord",
    "LiteralFloat": "kWord",
    "LiteralExtInstInteger": "kWord",
    "LiteralString": "kString",
    "LiteralContextDependentNumber": "kContextNumber",
    "LiteralSpecConstantOpInteger": "kSpecConstantOp",
    "PairLiteralIntegerIdRef": "kPairLiteralId",
    "PairIdRefLiteralInteger": "kPairIdWord",
    "PairIdRefIdRef": "kPairIdId",
}

# Classes of instructions that concern the invocation that executes them, and no other one.
INVOCATION_CLASSES = (
    "Memory",
    "Function",
    "Image",
    "Conversion",
    "Composite",
    "Arithmetic",
    "Bit",
    "Relational_and_Logical",
    "Control-Flow",
    "Atomic",
)
# What extensions add to those classes may be of another kind, such as matrices of a whole subgroup.
FIRST_EXTENSION_OPCODE = 4096

QUANTIFIERS = {None: "kOnce", "?": "kOptional", "*": "kAny"}


def fail(message):
    sys.exit("generate_grammar.py: " + message)


def number(value):
    return int(value, 0) if isinstance(value, str) else value


class TokenPool:
    """Operand lists, each stored once."""

    def __init__(self):
        self.tokens = []
        self.first = {}

    def add(self, tokens):
        key = tuple(tokens)
        if key not in self.first:
            self.first[key] = len(self.tokens)
            self.tokens.extend(tokens)
        return self.first[key]


class Kinds:
    """Maps operand kinds of the grammar to tokens; numbers the enumerations that have parameters."""

    def __init__(self, operand_kinds):
        self.by_name = {kind["kind"]: kind for kind in operand_kinds}
        self.with_parameters = [
            kind["kind"]
            for kind in operand_kinds
            if any(e.get("parameters") for e in kind.get("enumerants", []))
        ]

    def token(self, operand):
        name = operand["kind"]
        quantifier = operand.get("quantifier")
        if quantifier not in QUANTIFIERS:
            fail("unknown quantifier %r" % quantifier)
        if name in self.with_parameters:
            kind = "EnumKind(%d)" % self.with_parameters.index(name)
        elif name in BASE_KINDS:
            kind = "Kind::" + BASE_KINDS[name]
        elif self.by_name[name]["category"] == "Id":
            kind = "Kind::kIdRef"
        elif self.by_name[name]["category"] in ("BitEnum", "ValueEnum"):
            kind = "Kind::kWord"
        else:
            fail("operand kind %s is new; teach this script about it" % name)
        return (kind, "Quantifier::" + QUANTIFIERS[quantifier])


def opcode_class(instruction):
    name = instruction["opname"]
    if name.startswith("OpType"):
        return "kType"
    if name.startswith(("OpConstant", "OpSpecConstant")):
        return "kConstant"
    if instruction["class"] in INVOCATION_CLASSES and instruction["opcode"] < FIRST_EXTENSION_OPCODE:
        return "kInvocation"
    return {"Debug": "kDebug", "Annotation": "kAnnotation"}.get(instruction["class"], "kOther")


def opcode_rows(grammar, kinds, pool):
    rows = {}
    for instruction in grammar["instructions"]:
        opcode = instruction["opcode"]
        if opcode in rows:  # An alias.
            continue
        operands = instruction.get("operands", [])
        names = [operand["kind"] for operand in operands]
        has_type = "IdResultType" in names
        has_result = "IdResult" in names
        rest = [o for o in operands if o["kind"] not in ("IdResultType", "IdResult")]
        tokens = [kinds.token(o) for o in rest]
        rows[opcode] = '{{"%s", %s, %s, OpcodeClass::%s}, %d, %d, %d},' % (
            instruction["opname"],
            "true" if has_type else "false",
            "true" if has_result else "false",
            opcode_class(instruction),
            opcode,
            pool.add(tokens),
            len(tokens),
        )
    return [rows[opcode] for opcode in sorted(rows)]


def enumerant_rows(grammar, kinds, pool):
    kind_rows, rows = [], []
    for name in kinds.with_parameters:
        kind = kinds.by_name[name]
        is_mask = kind["category"] == "BitEnum"
        values = {}
        for enumerant in kind["enumerants"]:
            tokens = [kinds.token(p) for p in enumerant.get("parameters", [])]
            value = number(enumerant["value"])
            if values.setdefault(value, tokens) != tokens:
                fail("aliases of %s value %d differ in their parameters" % (name, value))
        if is_mask:
            values.pop(0, None)
            combined = [v for v in values if v & (v - 1)]
            if any(values[v] for v in combined):
                fail("%s has parameters on a value of several bits" % name)
            for value in combined:
                del values[value]
        kind_rows.append("{%s, %d, %d},  // %s" % ("true" if is_mask else "false", len(rows), len(values), name))
        for value in sorted(values):
            rows.append("{%du, %d, %d}," % (value, pool.add(values[value]), len(values[value])))
    return kind_rows, rows


def emit(out, declaration, rows):
    out.write("constexpr %s[] = {\n" % declaration)
    for row in rows:
        out.write("    %s\n" % row)
    out.write("};\n\n")


def main():
    if len(sys.argv) != 3:
        fail("usage: generate_grammar.py spirv.core.grammar.json OUTPUT")
    with open(sys.argv[1], encoding="utf-8") as source:
        grammar = json.load(source)

    names = {}
    for instruction in grammar["instructions"]:
        names.setdefault(instruction["opcode"], instruction["opname"])
    for opcode, name in REQUIRED.items():
        if names.get(opcode) != name:
            fail(
                "%s does not know %s (opcode %d, SPV_AMDX_shader_enqueue revision 2): "
                "SPIRV-Headers of Vulkan 1.4.309 or newer are needed" % (sys.argv[1], name, opcode)
            )

    kinds = Kinds(grammar["operand_kinds"])
    pool = TokenPool()
    opcodes = opcode_rows(grammar, kinds, pool)
    enum_kinds, enumerants = enumerant_rows(grammar, kinds, pool)

    os.makedirs(os.path.dirname(os.path.abspath(sys.argv[2])), exist_ok=True)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("// Generated by generate_grammar.py; do not edit.\n\n")
        emit(out, "OpcodeRow kOpcodeRows", opcodes)
        emit(out, "Token kTokens", ["{%s, %s}," % token for token in pool.tokens])
        emit(out, "EnumKindRow kEnumKindRows", enum_kinds)
        emit(out, "EnumerantRow kEnumerantRows", enumerants)


if __name__ == "__main__":
    main()
