// SPDX-License-Identifier: Apache-2.0
// One test per kind of input that the reader must refuse, with the words of the message that say so.
#include <gtest/gtest.h>

#include "spirv_lowering/ir/reader.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

using spv::Op;

void ExpectRefusal(const std::vector<uint32_t>& words, std::string_view part) {
  const std::string message = Refusal(words);
  EXPECT_TRUE(Contains(message, part)) << "wanted \"" << part << "\", got \"" << message << '"';
}

// The sample "empty" with text put in front of, or in place of, a piece of it.
std::vector<uint32_t> Edited(std::string_view before, std::string_view inserted, size_t erased = 0) {
  std::string text(SampleText("empty"));
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, erased, inserted);
  return AssembleOrFail(text);
}

std::vector<uint32_t> Inserted(std::string_view before, std::string_view inserted) { return Edited(before, inserted); }
std::vector<uint32_t> Replaced(std::string_view piece, std::string_view by) { return Edited(piece, by, piece.size()); }

// Capability, memory model, %1 = void, %2 = function type: then whatever follows.
RawModule WithTypes(uint32_t bound = 100) {
  RawModule module(bound);
  module.Start().Op(Op::OpTypeVoid, {1}).Op(Op::OpTypeFunction, {2, 1});
  return module;
}

RawModule WithFunction(uint32_t bound = 100) { return WithTypes(bound).Op(Op::OpFunction, {1, 3, 0, 2}); }

TEST(ReaderRefuses, Headers) {
  ExpectRefusal({}, "truncated");
  ExpectRefusal({spv::MagicNumber, 0x10000, 0, 1}, "truncated");
  ExpectRefusal({0x12345678, 0x10000, 0, 1, 0}, "magic");
  ExpectRefusal(RawModule(10, 0x00010700).Start().words(), "version");
  ExpectRefusal(RawModule(10, 0x00020000).Start().words(), "version");
  ExpectRefusal(RawModule(10, 0).Start().words(), "version");
  ExpectRefusal(RawModule(0).Start().words(), "bound");
}

TEST(ReaderRefuses, BoundsAboveTheUniversalLimit) {
  EXPECT_EQ(Refusal(RawModule(4'194'303).Start().words()), "");
  ExpectRefusal(RawModule(4'194'304).Start().words(), "universal limit");
  ExpectRefusal(RawModule(UINT32_MAX).Start().words(), "universal limit");
}

TEST(ReaderRefuses, WordCounts) {
  ExpectRefusal(RawModule().Start().Raw({static_cast<uint32_t>(Op::OpTypeVoid)}).words(),
                "word 10, OpTypeVoid: a word count of zero");
  ExpectRefusal(RawModule().Start().Raw({(3u << 16) | static_cast<uint32_t>(Op::OpTypeVoid), 1}).words(),
                "word 10, OpTypeVoid: truncated");
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeVoid, {}).words(), "too few words for result");
  ExpectRefusal(WithTypes().Op(Op::OpUndef, {1}).words(), "too few words for result");
}

TEST(ReaderRefuses, UnknownOpcodes) {
  ExpectRefusal(RawModule().Start().Raw({(1u << 16) | 0xffffu}).words(), "opcode 65535");
  ExpectRefusal(RawModule().Start().Raw({(1u << 16) | 9u}).words(), "opcode is unknown");
}

TEST(ReaderRefuses, OperandsThatDoNotFitTheGrammar) {
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeInt, {1, 32}).words(), "too few operand words");
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeInt, {1, 32, 0, 0}).words(), "too many operand words");
  ExpectRefusal(RawModule().Op(Op::OpExtension, {0x64636261}).words(), "unterminated string");
  ExpectRefusal(RawModule().Op(Op::OpExtension, {}).words(), "too few operand words");
  ExpectRefusal(WithTypes().Op(Op::OpTypeInt, {5, 64, 0}).Op(Op::OpConstant, {5, 6, 1}).words(),
                "too few operand words");
  ExpectRefusal(WithTypes().Op(Op::OpTypeInt, {5, 32, 0}).Op(Op::OpConstant, {5, 6, 1, 1}).words(),
                "too many operand words");
  ExpectRefusal(WithTypes().Op(Op::OpConstant, {1, 6, 1}).words(), "not a number's");
  ExpectRefusal(RawModule().Start().Op(Op::OpDecorate, {1, 0xfffff}).Op(Op::OpTypeVoid, {1}).words(),
                "unknown enumerant");
}

TEST(ReaderRefuses, EmbeddedOpcodesWithoutValue) {
  const auto with = [](uint32_t opcode) {
    return WithTypes().Op(Op::OpTypeInt, {5, 32, 0}).Op(Op::OpSpecConstantOp, {5, 6, opcode, 5, 5}).words();
  };
  ExpectRefusal(with(static_cast<uint32_t>(Op::OpSpecConstantOp)), "embedded opcode");
  ExpectRefusal(with(static_cast<uint32_t>(Op::OpStore)), "embedded opcode");
  ExpectRefusal(with(99999), "embedded opcode");
}

TEST(ReaderRefuses, IdsOutOfRange) {
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeVoid, {0}).words(), "an id of zero");
  ExpectRefusal(RawModule(10).Start().Op(Op::OpTypeVoid, {10}).words(), "not below the id bound");
  ExpectRefusal(RawModule(10).Start().Op(Op::OpTypeStruct, {1, 0}).words(), "an id of zero");
  ExpectRefusal(RawModule(10).Start().Op(Op::OpTypeStruct, {1, 10}).words(), "not below the id bound");
  ExpectRefusal(RawModule(10).Start().Op(Op::OpName, {12, 0}).words(), "not below the id bound");
}

TEST(ReaderRefuses, ResultsDefinedTwice) {
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeVoid, {1}).Op(Op::OpTypeBool, {1}).words(), "defined twice");
  ExpectRefusal(WithFunction().Op(Op::OpLabel, {2}).words(), "defined twice");
}

TEST(ReaderRefuses, InstructionsOutsideTheirSection) {
  ExpectRefusal(RawModule().Start().Op(Op::OpCapability, {1}).words(), "stands after the section it belongs to");
  ExpectRefusal(WithTypes().Op(Op::OpName, {1, 0}).words(), "stands after the section it belongs to");
  ExpectRefusal(WithTypes().Op(Op::OpDecorate, {1, 0}).words(), "stands after the section it belongs to");
  ExpectRefusal(WithTypes().Op(Op::OpReturn, {}).words(), "stands outside a function");
  ExpectRefusal(WithTypes().Op(Op::OpLabel, {9}).words(), "stands outside a function");
  ExpectRefusal(WithTypes().Op(Op::OpFunctionEnd, {}).words(), "stands outside a function");
  ExpectRefusal(WithTypes().Op(Op::OpLoad, {1, 9, 2}).words(), "stands outside a function");
  ExpectRefusal(Inserted("OpReturn", "%bool = OpTypeBool\n"), "stands inside a function");
  ExpectRefusal(Inserted("OpReturn", "%null = OpConstantNull %void\n"), "stands inside a function");
  ExpectRefusal(Inserted("OpReturn", "OpName %main \"x\"\n"), "stands inside a function");
  ExpectRefusal(Inserted("OpReturn", "OpCapability Shader\n"), "stands inside a function");
  ExpectRefusal(Replaced("OpFunctionEnd\n", "OpFunctionEnd\n%bool = OpTypeBool\n"),
                "stands after the section it belongs to");
}

TEST(ReaderRefuses, MemoryModelsThatAreNotExactlyOne) {
  ExpectRefusal(Replaced("OpMemoryModel Logical GLSL450\n", ""), "no OpMemoryModel");
  ExpectRefusal(Inserted("OpEntryPoint", "OpMemoryModel Logical GLSL450\n"), "there is one already");
}

TEST(ReaderRefuses, SemanticExtendedInstructionsAmongGlobals) {
  std::string text(SampleText("empty"));
  text.insert(text.find("OpMemoryModel"), "%glsl = OpExtInstImport \"GLSL.std.450\"\n");
  text.insert(text.find("%main ="),
              "%float = OpTypeFloat 32\n%one = OpConstant %float 1\n%root = OpExtInst %float %glsl Sqrt %one\n");
  ExpectRefusal(AssembleOrFail(text), "stands outside a function");
}

TEST(ReaderRefuses, FunctionsWithoutShape) {
  ExpectRefusal(WithFunction().words(), "no OpFunctionEnd");
  ExpectRefusal(WithFunction().Op(Op::OpFunction, {1, 4, 0, 2}).Op(Op::OpFunctionEnd, {}).words(), "no OpFunctionEnd");
  ExpectRefusal(WithFunction().Op(Op::OpReturn, {}).Op(Op::OpFunctionEnd, {}).words(), "stands outside a block");
  ExpectRefusal(WithFunction().Op(Op::OpLabel, {5}).Op(Op::OpFunctionEnd, {}).words(), "no terminator");
  ExpectRefusal(
      WithFunction().Op(Op::OpLabel, {5}).Op(Op::OpLabel, {6}).Op(Op::OpReturn, {}).Op(Op::OpFunctionEnd, {}).words(),
      "no terminator");
  ExpectRefusal(WithFunction()
                    .Op(Op::OpLabel, {5})
                    .Op(Op::OpReturn, {})
                    .Op(Op::OpNop, {})
                    .Op(Op::OpReturn, {})
                    .Op(Op::OpFunctionEnd, {})
                    .words(),
                "stands outside a block");
  ExpectRefusal(WithFunction()
                    .Op(Op::OpLabel, {5})
                    .Op(Op::OpFunctionParameter, {1, 6})
                    .Op(Op::OpReturn, {})
                    .Op(Op::OpFunctionEnd, {})
                    .words(),
                "first block");
  ExpectRefusal(WithFunction().Op(Op::OpFunctionParameter, {1, 6}).Op(Op::OpFunctionEnd, {}).words(),
                "the parameters are not those");
  ExpectRefusal(WithFunction().Op(Op::OpFunctionEnd, {7}).words(), "too many operand words");
}

TEST(ReaderRefuses, UndefinedIds) {
  ExpectRefusal(WithTypes().Op(Op::OpTypePointer, {5, 7, 50}).words(), "%50 is used but nothing defines it");
  ExpectRefusal(RawModule().Start().Op(Op::OpName, {50, 0}).words(), "%50 is used but nothing defines it");
  ExpectRefusal(RawModule().Start().Op(Op::OpEntryPoint, {5, 50, 0}).words(), "%50 is used but nothing defines it");
  ExpectRefusal(RawModule().Start().Op(Op::OpUndef, {50, 51}).words(), "nothing defines the result type");
  ExpectRefusal(WithFunction().Op(Op::OpLabel, {5}).Op(Op::OpBranch, {50}).Op(Op::OpFunctionEnd, {}).words(),
                "nothing defines it");
}

TEST(ReaderRefuses, GlobalsUsedBeforeTheirDefinition) {
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeStruct, {1, 2}).Op(Op::OpTypeVoid, {2}).words(),
                "%2 is used before its definition");
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeStruct, {1, 1}).words(), "%1 is used before its definition");
  ExpectRefusal(RawModule().Start().Op(Op::OpConstantNull, {2, 1}).Op(Op::OpTypeBool, {2}).words(),
                "the result type is used before");
  // A pointer without OpTypeForwardPointer.
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeStruct, {1, 2}).Op(Op::OpTypePointer, {2, 5349, 1}).words(),
                "used before its definition");
  EXPECT_EQ(Refusal(RawModule()
                        .Start()
                        .Op(Op::OpTypeForwardPointer, {2, 5349})
                        .Op(Op::OpTypeStruct, {1, 2})
                        .Op(Op::OpTypePointer, {2, 5349, 1})
                        .words()),
            "");
  ExpectRefusal(RawModule().Start().Op(Op::OpTypeForwardPointer, {2, 5349}).Op(Op::OpTypeVoid, {2}).words(),
                "used before its definition");
}

TEST(ReaderRefuses, TypesNestedDeeperThan255) {
  const auto nested = [](uint32_t depth) {
    RawModule module(1000);
    module.Start().Op(Op::OpTypeInt, {1, 32, 0});
    for (uint32_t id = 2; id <= depth; ++id) module.Op(Op::OpTypeStruct, {id, id - 1, id - 1});
    return module.words();
  };
  EXPECT_EQ(Refusal(nested(255)), "");
  ExpectRefusal(nested(256), "nested deeper than 255");
}

TEST(ReaderRefuses, TypesMadeOfSomethingElse) {
  ExpectRefusal(WithTypes().Op(Op::OpConstantNull, {1, 5}).Op(Op::OpTypeStruct, {6, 5}).words(),
                "a member is not a type");
  ExpectRefusal(WithTypes().Op(Op::OpConstantNull, {1, 5}).Op(Op::OpTypePointer, {6, 7, 5}).words(),
                "the pointee is not a type");
  ExpectRefusal(WithTypes().Op(Op::OpTypeArray, {6, 1, 1}).words(), "the length is not a constant");
  ExpectRefusal(WithTypes().Op(Op::OpTypeVector, {6, 1, 4}).words(), "not a scalar type");
  ExpectRefusal(WithTypes().Op(Op::OpTypeInt, {6, 33, 0}).words(), "the width");
  ExpectRefusal(WithTypes().Op(Op::OpTypeInt, {6, 32, 2}).words(), "signedness");
  ExpectRefusal(WithTypes().Op(Op::OpTypeFloat, {6, 0}).words(), "the width");
  ExpectRefusal(WithTypes().Op(Op::OpConstantTrue, {1, 6}).words(), "not OpTypeBool");
  ExpectRefusal(WithTypes().Op(Op::OpConstantNull, {1, 6}).Op(Op::OpConstantNull, {6, 7}).words(),
                "the result type is not a type");
}

TEST(ReaderRefuses, VariablesInTheWrongPlace) {
  const auto global = [](uint32_t pointer, uint32_t variable) {
    return WithTypes()
        .Op(Op::OpTypeBool, {5})
        .Op(Op::OpTypePointer, {6, pointer, 5})
        .Op(Op::OpVariable, {6, 7, variable})
        .words();
  };
  EXPECT_EQ(Refusal(global(6, 6)), "");
  ExpectRefusal(global(6, 4), "not that of the pointer type");
  ExpectRefusal(global(7, 7), "does not belong to variables at this place");
  ExpectRefusal(WithTypes().Op(Op::OpVariable, {1, 7, 6}).words(), "the type is not a pointer");
}

TEST(ReaderRefuses, ReferencesOfTheWrongSort) {
  ExpectRefusal(Replaced("OpEntryPoint GLCompute %main \"main\"", "OpEntryPoint GLCompute %void \"main\""),
                "the entry point is not a function");
  ExpectRefusal(Replaced("\"main\"", "\"main\" %void"), "not a global variable");
  ExpectRefusal(Replaced("OpExecutionMode %main", "OpExecutionMode %void"), "the entry point is not a function");
  ExpectRefusal(Replaced("OpReturn", "OpBranch %void"), "not a label");
  ExpectRefusal(Replaced("OpReturn\n", "%x = OpFunctionCall %void %fn\nOpReturn\n"), "not a function");
  ExpectRefusal(Replaced("OpReturn\n", "%x = OpFunctionCall %void %main %void\nOpReturn\n"), "number of arguments");
  ExpectRefusal(Replaced("OpReturn\n", "%x = OpLoad %void %main\nOpReturn\n"), "the base is not a pointer");
  ExpectRefusal(WithFunction()
                    .Op(Op::OpLabel, {5})
                    .Op(Op::OpExtInst, {1, 6, 2, 1})
                    .Op(Op::OpReturn, {})
                    .Op(Op::OpFunctionEnd, {})
                    .words(),
                "the set is not an import");
  ExpectRefusal(Inserted("OpReturn", "OpLine %void 1 1\n"), "not an OpString");
  ExpectRefusal(Inserted("%void =", "OpSource GLSL 450 %void\n"), "not an OpString");
  ExpectRefusal(Replaced("%main = OpFunction %void None %fn", "%main = OpFunction %void None %void"),
                "not OpTypeFunction");
  ExpectRefusal(Inserted("%void =", "OpMemberDecorate %fn 0 Offset 0\n"), "not a structure type");
  ExpectRefusal(Inserted("%fn =",
                         "%s = OpTypeStruct\n%p = OpTypePointer Private %s\n%v = OpVariable %p Private "
                         "%nothing\n%nothing = OpUndef %s\n"),
                "used before its definition");
}

TEST(ReaderRefuses, MembersThatAStructureDoesNotHave) {
  std::string text(SampleText("producer"));
  const size_t at = text.find("OpMemberDecorate %record 2 Offset 16");
  text.replace(at, std::string_view("OpMemberDecorate %record 2").size(), "OpMemberDecorate %record 3");
  ExpectRefusal(AssembleOrFail(text), "no such member");
}

TEST(ReaderRefuses, ValuesOfOtherFunctions) {
  std::string text(SampleText("control"));
  text.replace(text.find("OpIAdd %uint %x %x"), 18, "OpIAdd %uint %x %i");
  ExpectRefusal(AssembleOrFail(text), "inside another function");
  text = SampleText("control");
  text.replace(text.find("OpReturnValue %twice"), 20, "OpBranch %exit");
  ExpectRefusal(AssembleOrFail(text), "inside another function");
}

TEST(ReaderRefuses, DebugInstructionsUsedAsValues) {
  std::string text(SampleText("references"));
  text.replace(text.find("OpLoad %ptr_list %head_at"), 25, "OpCopyObject %void %debug_type");
  ExpectRefusal(AssembleOrFail(text), "has no value");
}

TEST(ReaderRefuses, DecorationGroupsThatExplode) {
  // 2,000 decorations on 2,000 targets out of some 12,000 words.
  RawModule module(10'000);
  module.Start();
  for (uint32_t i = 0; i < 2000; ++i) module.Op(Op::OpDecorate, {1, 34, i});
  module.Op(Op::OpDecorationGroup, {1});
  std::vector<uint32_t> targets = {1};
  for (uint32_t id = 100; id < 2100; ++id) targets.push_back(id);
  module.Op(Op::OpGroupDecorate, targets);
  module.Op(Op::OpTypeBool, {2}).Op(Op::OpTypePointer, {3, 6, 2});
  for (uint32_t id = 100; id < 2100; ++id) module.Op(Op::OpVariable, {3, id, 6});
  ExpectRefusal(module.words(), "decoration group");
}

}  // namespace
}  // namespace trellis::spirv
