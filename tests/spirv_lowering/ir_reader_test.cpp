// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/reader.h"

#include <gtest/gtest.h>

#include <chrono>

#include "spirv_lowering/ir/writer.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

std::vector<uint32_t> Swapped(std::vector<uint32_t> words) {
  for (uint32_t& word : words) word = __builtin_bswap32(word);
  return words;
}

TEST(Strings, EncodedTextIsDecodedAgain) {
  for (const std::string_view text : {"", "a", "abc", "abcd", "abcde", "node \xc3\xa9"}) {
    const std::vector<uint32_t> words = EncodeString(text);
    EXPECT_EQ(words.size(), text.size() / 4 + 1);
    size_t consumed = 0;
    EXPECT_EQ(DecodeString(words.data(), words.size(), &consumed), text);
    EXPECT_EQ(consumed, words.size());
  }
}

TEST(Strings, DecodingStopsAtTheNulOrTheEnd) {
  const uint32_t words[] = {0x64636261, 0x68676665, 0x00000069, 0x6a6a6a6a};
  size_t consumed = 0;
  EXPECT_EQ(DecodeString(words, 4, &consumed), "abcdefghi");
  EXPECT_EQ(consumed, 3u);
  EXPECT_EQ(DecodeString(words, 2, &consumed), "abcdefgh");
  EXPECT_EQ(consumed, 2u);
  EXPECT_EQ(DecodeString(words, 0, &consumed), "");
}

TEST(Reader, WordsComeBackUnchanged) {
  for (const SampleModule& sample : SampleModules()) {
    SCOPED_TRACE(sample.name);
    const std::vector<uint32_t> words = AssembleOrFail(sample.text);
    EXPECT_EQ(WriteModule(ReadOrFail(words)), words);
  }
}

TEST(Reader, TheOtherByteOrderIsReadToo) {
  for (const SampleModule& sample : SampleModules()) {
    SCOPED_TRACE(sample.name);
    const std::vector<uint32_t> words = AssembleOrFail(sample.text);
    EXPECT_EQ(WriteModule(ReadOrFail(Swapped(words))), words);
  }
}

TEST(Reader, AllVersionsFromOneZeroToOneSixAreRead) {
  for (uint32_t minor = 0; minor <= 6; ++minor) {
    std::vector<uint32_t> words = AssembleOrFail(SampleText("empty"));
    words[1] = 0x00010000 | (minor << 8);
    EXPECT_EQ(ReadOrFail(words).version, words[1]);
  }
}

TEST(Reader, SectionsAreFilled) {
  const Module control = ReadTextOrFail(SampleText("control"));
  EXPECT_EQ(control.capabilities.size(), 3u);
  EXPECT_EQ(control.extensions.size(), 1u);
  EXPECT_EQ(control.ext_inst_imports.size(), 1u);
  EXPECT_EQ(control.memory_model.size(), 1u);
  EXPECT_EQ(control.entry_points.size(), 1u);
  EXPECT_EQ(control.execution_modes.size(), 1u);
  EXPECT_EQ(control.debug_sources.size(), 3u);
  EXPECT_EQ(control.debug_names.size(), 2u);
  EXPECT_EQ(control.debug_processed.size(), 1u);
  EXPECT_EQ(control.annotations.size(), 9u);
  ASSERT_EQ(control.functions.size(), 2u);
  EXPECT_EQ(control.functions[0].blocks.size(), 11u);
  ASSERT_EQ(control.functions[1].parameters.size(), 1u);
  EXPECT_EQ(control.functions[1].id(), FindId(control, "later(u1;"));
  EXPECT_EQ(control.functions[1].blocks[0].body.back().opcode, spv::Op::OpReturnValue);
}

TEST(Reader, DebugLinesInBlocksStayAndThoseOutsideGo) {
  const Module module = ReadTextOrFail(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
%file = OpString "f"
%void = OpTypeVoid
%fn = OpTypeFunction %void
OpLine %file 1 0
%main = OpFunction %void None %fn
OpLine %file 2 0
%entry = OpLabel
OpLine %file 3 0
OpBranch %next
OpLine %file 4 0
%next = OpLabel
OpNoLine
OpReturn
OpLine %file 5 0
OpFunctionEnd
)");
  ASSERT_EQ(module.functions.size(), 1u);
  ASSERT_EQ(module.functions[0].blocks.size(), 2u);
  EXPECT_EQ(module.functions[0].blocks[0].body.size(), 2u);
  EXPECT_EQ(module.functions[0].blocks[1].body.size(), 2u);
}

TEST(Reader, DecorationGroupsBecomePlainDecorations) {
  const Module module = ReadTextOrFail(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %group "group"
OpDecorate %group Restrict
OpDecorate %group Binding 3
%group = OpDecorationGroup
OpDecorate %member_group Offset 8
%member_group = OpDecorationGroup
OpGroupDecorate %group %a %b
OpGroupMemberDecorate %member_group %struct 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%struct = OpTypeStruct %uint %uint
%ptr = OpTypePointer Uniform %struct
%a = OpVariable %ptr Uniform
%b = OpVariable %ptr Uniform
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
)");
  const std::string text = ToText(module);
  EXPECT_FALSE(Contains(text, "Group")) << text;
  EXPECT_TRUE(module.debug_names.empty());
  EXPECT_EQ(module.annotations.size(), 5u) << text;
  EXPECT_EQ(module.annotations.back().opcode, spv::Op::OpMemberDecorate);
  EXPECT_EQ(module.annotations.back().operands[1], 1u);
}

TEST(Reader, OpenClDebugInformationIsLeftOut) {
  std::string text(SampleText("empty"));
  text.insert(text.find("OpMemoryModel"), "%set = OpExtInstImport \"OpenCL.DebugInfo.100\"\n");
  text.insert(text.find("%void ="), "%path = OpString \"x\"\nOpName %source \"source\"\n");
  text.insert(text.find("%fn ="), "%source = OpExtInst %void %set DebugSource %path\n");
  text.insert(text.find("OpReturn"), "%scope = OpExtInst %void %set DebugScope %source\n");
  const Module module = ReadTextOrFail(text);
  EXPECT_FALSE(Contains(ToText(module), "OpExtInst"));
  EXPECT_TRUE(module.debug_names.empty());
}

TEST(Reader, NonSemanticInstructionsBetweenFunctionsGoWithTheirUsers) {
  std::string text(SampleText("empty"));
  text.insert(text.find("OpMemoryModel"), "%set = OpExtInstImport \"NonSemantic.Something\"\n");
  text.insert(text.find("%fn ="), "%user = OpExtInst %void %set 1 %stray\n%kept = OpExtInst %void %set 2\n");
  text += "%stray = OpExtInst %void %set 3 %main\n";
  const Module module = ReadTextOrFail(text);
  size_t kept = 0;
  for (const Instruction& global : module.globals) kept += global.opcode == spv::Op::OpExtInst ? 1 : 0;
  EXPECT_EQ(kept, 1u) << ToText(module);
}

TEST(Reader, DebugInformationAboutNothingIsLeftOut) {
  RawModule raw;
  raw.Op(spv::Op::OpCapability, {1}).Op(spv::Op::OpExtInstImport, {9, 0x536e6f4e, 0x6e616d65, 0x2e636974, 0x61});
  raw.Op(spv::Op::OpMemoryModel, {0, 1}).Op(spv::Op::OpTypeVoid, {1});
  raw.Op(spv::Op::OpExtInst, {1, 2, 9, 1, 0}).Op(spv::Op::OpExtInst, {1, 3, 9, 1, 2});
  raw.Op(spv::Op::OpExtInst, {1, 4, 9, 1, 77}).Op(spv::Op::OpExtInst, {1, 5, 9, 1, 1});
  const Module module = ReadOrFail(raw.words());
  ASSERT_EQ(module.globals.size(), 2u);
  EXPECT_EQ(module.globals[1].result_id, 5u);
}

TEST(Reader, NopsOutsideFunctionsAreDropped) {
  const std::vector<uint32_t> sample = AssembleOrFail(SampleText("empty"));
  std::vector<uint32_t> words(sample.begin(), sample.begin() + 5);
  words.push_back(0x00010000);
  words.insert(words.end(), sample.begin() + 5, sample.end());
  EXPECT_EQ(WriteModule(ReadOrFail(words)), sample);
}

TEST(Reader, AHugeBoundCostsNothing) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Refusal(RawModule(4'194'303).Start().Op(spv::Op::OpTypeVoid, {4'194'302}).words()), "");
  }
  // A table sized by the bound would be filled sixteen billion bytes wide.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Reader, LongInputsAreReadInLinearTime) {
  RawModule module(4'000'000);
  module.Start().Op(spv::Op::OpTypeInt, {1, 32, 0});
  for (uint32_t id = 2; id < 300'000; ++id) module.Op(spv::Op::OpConstant, {1, id, id});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Refusal(module.words()), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Reader, CaseLiteralsAreAsWideAsTheSelector) {
  const Module module = ReadTextOrFail(SampleText("control"));
  std::vector<uint32_t> switches;
  for (const BasicBlock& block : module.functions[0].blocks) {
    if (block.body.back().opcode == spv::Op::OpSwitch) switches.push_back(block.body.back().case_words);
  }
  EXPECT_EQ(switches, (std::vector<uint32_t>{2, 1}));
}

}  // namespace
}  // namespace trellis::spirv
