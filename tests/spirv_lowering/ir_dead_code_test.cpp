// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/ir/dead_code.h"

#include <gtest/gtest.h>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/ir/types.h"
#include "spirv_lowering/ir/writer.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// Ids are numbers so that the text after can be compared.
constexpr std::string_view kTwoNodes = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "first" %10 %11
OpEntryPoint GLCompute %2 "second" %10 %12
OpExecutionMode %1 LocalSize 1 1 1
OpExecutionModeId %2 LocalSizeId %25 %25 %25
OpName %1 "first"
OpName %2 "second"
OpName %3 "shared"
OpName %4 "unused"
OpName %12 "b"
OpName %30 "Unused"
OpMemberName %30 0 "x"
OpDecorate %11 Binding 0
OpDecorate %12 Binding 1
OpMemberDecorate %30 0 Offset 0
OpDecorate %25 SpecId 0
%20 = OpTypeVoid
%21 = OpTypeFunction %20
%22 = OpTypeInt 32 0
%23 = OpTypePointer Private %22
%24 = OpConstant %22 24
%25 = OpSpecConstant %22 25
%30 = OpTypeStruct %22
%10 = OpVariable %23 Private
%11 = OpVariable %23 Private
%12 = OpVariable %23 Private
%1 = OpFunction %20 None %21
%40 = OpLabel
%41 = OpFunctionCall %20 %3
OpStore %11 %24
OpReturn
OpFunctionEnd
%2 = OpFunction %20 None %21
%42 = OpLabel
OpStore %12 %24
OpReturn
OpFunctionEnd
%3 = OpFunction %20 None %21
%43 = OpLabel
OpReturn
OpFunctionEnd
%4 = OpFunction %20 None %21
%44 = OpLabel
OpStore %10 %24
OpReturn
OpFunctionEnd
)";

TEST(DeadCode, OneEntryPointKeepsWhatItReaches) {
  Module module = ReadTextOrFail(kTwoNodes);
  ASSERT_TRUE(KeepEntryPoint(module, "first", spv::ExecutionModel::GLCompute));
  EliminateDead(module);
  EXPECT_EQ(ToText(module), Normalise(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "first" %11
OpExecutionMode %1 LocalSize 1 1 1
OpName %1 "first"
OpName %3 "shared"
OpDecorate %11 Binding 0
%20 = OpTypeVoid
%21 = OpTypeFunction %20
%22 = OpTypeInt 32 0
%23 = OpTypePointer Private %22
%24 = OpConstant %22 24
%11 = OpVariable %23 Private
%1 = OpFunction %20 None %21
%40 = OpLabel
%41 = OpFunctionCall %20 %3
OpStore %11 %24
OpReturn
OpFunctionEnd
%3 = OpFunction %20 None %21
%43 = OpLabel
OpReturn
OpFunctionEnd
)"));
}

TEST(DeadCode, ExecutionModesKeepTheirConstants) {
  Module module = ReadTextOrFail(kTwoNodes);
  ASSERT_TRUE(KeepEntryPoint(module, "second", spv::ExecutionModel::GLCompute));
  EliminateDead(module);
  const std::string text = ToText(module);
  EXPECT_TRUE(Contains(text, "OpExecutionModeId %2 LocalSizeId %25 %25 %25"));
  EXPECT_TRUE(Contains(text, "OpDecorate %25 SpecId 0"));
  EXPECT_TRUE(Contains(text, "OpEntryPoint GLCompute %2 \"second\" %12\n"));
  EXPECT_EQ(module.functions.size(), 1u);
}

TEST(DeadCode, BothEntryPointsStayIfBothAreKept) {
  Module module = ReadTextOrFail(kTwoNodes);
  EliminateDead(module);
  EXPECT_EQ(module.entry_points.size(), 2u);
  EXPECT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(FindId(module, "unused"), kNoId);
  EXPECT_EQ(FindId(module, "Unused"), kNoId);
  const std::string once = ToText(module);
  EliminateDead(module);
  EXPECT_EQ(ToText(module), once);
}

TEST(DeadCode, OutputsOfTheInterfaceStay) {
  Module module = ReadTextOrFail(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out
OpName %in "in"
OpName %out "out"
OpName %unlisted "unlisted"
OpDecorate %in Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%float = OpTypeFloat 32
%fn = OpTypeFunction %void
%ptr_in = OpTypePointer Input %float
%ptr_out = OpTypePointer Output %float
%in = OpVariable %ptr_in Input
%out = OpVariable %ptr_out Output
%unlisted = OpVariable %ptr_out Output
%main = OpFunction %void None %fn
%begin = OpLabel
OpReturn
OpFunctionEnd
)");
  const Id out = FindId(module, "out");
  EliminateDead(module);
  EXPECT_EQ(FindId(module, "out"), out);
  EXPECT_EQ(FindId(module, "in"), kNoId);
  EXPECT_EQ(FindId(module, "unlisted"), kNoId);
  EXPECT_EQ(module.entry_points[0].operands.back(), out);
}

TEST(DeadCode, UnknownEntryPointsAreAnError) {
  Module module = ReadTextOrFail(kTwoNodes);
  const Expected<void> kept = KeepEntryPoint(module, "third", spv::ExecutionModel::GLCompute);
  ASSERT_FALSE(kept);
  EXPECT_TRUE(Contains(kept.error().message, "third"));
  EXPECT_FALSE(KeepEntryPoint(module, "first", spv::ExecutionModel::MeshEXT));
  EXPECT_FALSE(KeepEntryPoint(module, "firs", spv::ExecutionModel::GLCompute));
  EXPECT_EQ(module.entry_points.size(), 2u);
}

TEST(DeadCode, WhatIdDecorationsNameStays) {
  Module module = ReadTextOrFail(SampleText("producer"));
  const std::string before = ToText(module);
  EliminateDead(module);
  const std::string text = ToText(module);
  EXPECT_TRUE(Contains(text, "OpConstantStringAMDX \"consumer\""));
  EXPECT_TRUE(Contains(text, "SpecId 7"));
  // %group is listed in the interface, but nothing reads it.
  EXPECT_FALSE(Contains(text, "BuiltIn WorkgroupId"));
  EXPECT_EQ(Refusal(WriteModule(module)), "");
}

TEST(DeadCode, TheWorkgroupSizeConstantStays) {
  Module module = ReadTextOrFail(SampleText("control"));
  EliminateDead(module);
  EXPECT_TRUE(Contains(ToText(module), "BuiltIn WorkgroupSize"));
  EXPECT_TRUE(Contains(ToText(module), "OpSpecConstantComposite"));
}

TEST(DeadCode, ForwardPointersLiveWithTheirPointers) {
  Module module = ReadTextOrFail(SampleText("references"));
  EliminateDead(module);
  EXPECT_TRUE(Contains(ToText(module), "OpTypeForwardPointer"));
  EXPECT_EQ(Refusal(WriteModule(module)), "");
  // Nothing uses the list any more: all of its types go, the declaration too.
  for (BasicBlock& block : module.functions[0].blocks) {
    std::erase_if(block.body, [](const Instruction& i) { return i.opcode != spv::Op::OpReturn; });
  }
  EliminateDead(module);
  EXPECT_FALSE(Contains(ToText(module), "OpTypeForwardPointer"));
  EXPECT_EQ(FindId(module, "List"), kNoId);
}

TEST(DeadCode, DebugInformationStaysWhereWhatItNamesStays) {
  Module module = ReadTextOrFail(SampleText("references"));
  const std::string before = ToText(module);
  EliminateDead(module);
  EXPECT_EQ(ToText(module), before);
}

constexpr std::string_view kDebugged = R"(
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpExtension "SPV_KHR_non_semantic_info"
%1 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%2 = OpExtInstImport "NonSemantic.DebugPrintf"
%3 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %4 "main"
OpExecutionMode %4 LocalSize 1 1 1
%5 = OpString "name"
OpName %33 "dead type"
OpName %44 "no such instruction"
OpDecorateId %33 NodeMaxPayloadsAMDX %22
%20 = OpTypeVoid
%21 = OpTypeInt 32 0
%22 = OpConstant %21 22
%23 = OpConstant %21 23
%24 = OpConstant %21 24
%32 = OpTypeStruct %21
%33 = OpTypeNodePayloadArrayAMDX %32
%44 = OpConstant %21 44
%50 = OpExtInst %20 %1 DebugSource %5
%51 = OpExtInst %20 %1 DebugTypeBasic %5 %23 %23 %23
%52 = OpExtInst %20 %1 DebugTypePointer %53 %24 %33
%53 = OpExtInst %20 %1 DebugTypePointer %52 %24 %24
%60 = OpTypeFunction %20
%4 = OpFunction %20 None %60
%61 = OpLabel
%62 = OpExtInst %20 %1 DebugScope %51
%63 = OpExtInst %20 %1 DebugScope %53
OpReturn
OpFunctionEnd
)";

TEST(DeadCode, DebugInformationKeepsNoDeadTypesAlive) {
  Module module = ReadTextOrFail(kDebugged);
  EliminateDead(module);
  EXPECT_EQ(ToText(module), Normalise(R"(
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpExtension "SPV_KHR_non_semantic_info"
%1 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%3 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %4 "main"
OpExecutionMode %4 LocalSize 1 1 1
%5 = OpString "name"
%20 = OpTypeVoid
%21 = OpTypeInt 32 0
%23 = OpConstant %21 23
%50 = OpExtInst %20 %1 DebugSource %5
%51 = OpExtInst %20 %1 DebugTypeBasic %5 %23 %23 %23
%60 = OpTypeFunction %20
%4 = OpFunction %20 None %60
%61 = OpLabel
%62 = OpExtInst %20 %1 DebugScope %51
OpReturn
OpFunctionEnd
)"));
}

TEST(DeadCode, NamesOfWhatAPassTookOutGo) {
  Module module = ReadTextOrFail(SampleText("producer"));
  module.debug_names.emplace_back(spv::Op::OpName, kNoId, kNoId, std::vector<uint32_t>{module.NewId(), 0});
  module.annotations.emplace_back(spv::Op::OpDecorate, kNoId, kNoId, std::vector<uint32_t>{module.NewId(), 0});
  EliminateDead(module);
  EXPECT_EQ(Refusal(WriteModule(module)), "");
}

TEST(DeadCode, LongChainsOfCallsTakeNoStack) {
  constexpr uint32_t kCount = 100'000;
  RawModule raw(1'000'000);
  raw.Start().Op(spv::Op::OpEntryPoint, {5, 10, 0x61}).Op(spv::Op::OpTypeVoid, {1}).Op(spv::Op::OpTypeFunction, {2, 1});
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t id = 10 + 3 * i;
    raw.Op(spv::Op::OpFunction, {1, id, 0, 2}).Op(spv::Op::OpLabel, {id + 1});
    if (i + 1 < kCount) raw.Op(spv::Op::OpFunctionCall, {1, id + 2, id + 3});
    raw.Op(spv::Op::OpReturn, {}).Op(spv::Op::OpFunctionEnd, {});
  }
  Module module = ReadOrFail(raw.words());
  EliminateDead(module);
  EXPECT_EQ(module.functions.size(), kCount);
}

}  // namespace
}  // namespace trellis::spirv
