// SPDX-License-Identifier: Apache-2.0
// The new entry point around the node's own function.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

TEST(EntryPoint, CoalescingNode) {
  const std::string text = LowerParts(NodeParts());
  EXPECT_TRUE(HasLines(text, {"OpEntryPoint GLCompute * \"main\" ...", "OpExecutionMode * LocalSize 64 1 1"})) << text;
  EXPECT_EQ(CountLines(text, "OpExecutionMode ..."), 1u);
  EXPECT_TRUE(HasLines(
      text, {"* = OpFunctionCall %void %trellis_start_in_batch * * * * %uint_4 %uint_1 %uint_0 * * *",
             "* = OpFunctionCall %bool %trellis_enter_coalescing %uint_4 %uint_1 %false", "OpSelectionMerge * None",
             "OpBranchConditional ...", "* = OpLabel", "* = OpFunctionCall %void %main",
             "* = OpFunctionCall %bool %trellis_next_piece", "OpLoopMerge ...", "OpBranchConditional ...",
             "* = OpLabel", "OpControlBarrier %uint_2 %uint_2 %uint_264", "OpBranch *", "* = OpLabel", "OpBranch *",
             "* = OpLabel", "OpReturn", "OpFunctionEnd"}))
      << text;
}

// An iteration for the rest of its records begins with what the first one began with.
TEST(EntryPoint, CoalescingNodeWithInitialMemory) {
  NodeParts parts;
  parts.globals =
      "%ptr_shared = OpTypePointer Workgroup %uint\n%zero = OpConstantNull %uint\n"
      "%shared = OpVariable %ptr_shared Workgroup %zero\n%ptr_own = OpTypePointer Private %uint\n"
      "%own = OpVariable %ptr_own Private %uint_1";
  parts.interface = "%input %shared %own";
  parts.body = "OpStore %own %uint_2\nOpStore %shared %uint_2";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLines(
      text, {"OpStore %own %uint_1", "* = OpFunctionCall %void %main", "* = OpFunctionCall %bool %trellis_next_piece",
             "OpLoopMerge ...", "OpControlBarrier %uint_2 %uint_2 %uint_264", "OpStore %shared %zero",
             "OpControlBarrier %uint_2 %uint_2 %uint_264"}))
      << text;
}

TEST(EntryPoint, NodeThatTakesOneRecordTakesItAtOnce) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  EXPECT_FALSE(HasLine(LowerParts(parts), "* = OpFunctionCall %bool %trellis_next_piece"));
}

TEST(EntryPoint, NodeThatNoBatchHas) {
  LowerRequest request;
  request.in_batches = false;
  const std::string text = LowerParts(NodeParts(), request);
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %void %trellis_start * * * * %uint_4 %uint_1 %uint_0 * *")) << text;
  EXPECT_FALSE(HasLine(text, "%trellis_start_in_batch = OpFunction ..."));
}

// Its place in a workgroup of one row is that in the row.
TEST(EntryPoint, LocalIndex) {
  for (const bool one_row : {false, true}) {
    NodeParts parts;
    parts.local_size = one_row ? "OpExecutionMode %main LocalSize 64 1 1" : "OpExecutionMode %main LocalSize 32 1 2";
    const std::string text = LowerParts(parts);
    EXPECT_EQ(HasLine(text, "OpDecorate * BuiltIn LocalInvocationId"), one_row) << text;
    EXPECT_EQ(HasLine(text, "OpDecorate * BuiltIn LocalInvocationIndex"), !one_row) << text;
  }
}

// Searches of its own, and a place for lost records that is looked up once.
TEST(EntryPoint, NodeForACpu) {
  NodeParts parts;
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  LowerRequest request;
  request.for_cpu = true;
  const std::string text = LowerParts(parts, request);
  EXPECT_TRUE(HasLines(text, {"* = OpFunctionCall %void %trellis_start_in_batch * * * * * * * * %false %true",
                              "* = OpFunctionCall %void %trellis_find_dump"}))
      << text;
  request.for_cpu = false;
  EXPECT_FALSE(HasLine(LowerParts(parts, request), "* = OpFunctionCall %void %trellis_find_dump"));
  request.for_cpu = true;
  parts.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_8 %uint_7";
  parts.decorations = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX";
  EXPECT_TRUE(
      HasLine(LowerParts(parts, request), "* = OpFunctionCall %bool %trellis_enter_dynamic * * * * * %true %false"));
}

TEST(EntryPoint, StaticGrid) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_0 %uint_4";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "* = OpConstantComposite %v3uint %uint_2 %uint_1 %uint_4"))
      << "a zero must not be divided by: " << text;
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %bool %trellis_enter_static ..."));
}

TEST(EntryPoint, DynamicGrid) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_8 %uint_7";
  parts.decorations = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX";
  const std::string text = LowerParts(parts);
  // Offset 4, four bytes, one component; the bounds come with the launch block.
  EXPECT_TRUE(HasLine(
      text,
      "* = OpFunctionCall %bool %trellis_enter_dynamic %uint_1310724 %uint_1 %uint_0 %uint_1 %true %false %false"))
      << text;
}

TEST(EntryPoint, GridOfAWrittenRecordComesFromItsState) {
  NodeParts parts;
  parts.modes.clear();
  parts.decorations = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX";
  parts.body = "%p = OpAccessChain %np_uint %input %uint_0 %uint_1\nOpStore %p %uint_3";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(
      HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_1 %uint_0 %uint_4 %true %false %false"))
      << text;
}

TEST(EntryPoint, InterfaceBeforeAndAfterVersion14) {
  constexpr const char* kPlain = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 1 1
OpName %main "main"
OpName %id "id"
OpName %shared "shared"
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%ptr_in = OpTypePointer Input %uint
%ptr_shared = OpTypePointer Workgroup %uint
%id = OpVariable %ptr_in Input
%shared = OpVariable %ptr_shared Workgroup
%main = OpFunction %void None %fn
%begin = OpLabel
%v = OpLoad %uint %id
OpStore %shared %v
OpReturn
OpFunctionEnd
)";
  LowerRequest request;
  request.entry_point = "main";
  request.version = 0x00010300;
  std::string text = LowerText(kPlain, request);
  EXPECT_TRUE(HasLine(text, "OpEntryPoint GLCompute * \"main\" %id * * *"))
      << "LocalInvocationIndex, WorkgroupId, NumWorkgroups, LocalInvocationId: " << text;
  EXPECT_FALSE(HasLine(text, "OpEntryPoint GLCompute * \"main\" %id %shared ...")) << text;
  request.version = 0x00010600;
  text = LowerText(kPlain, request);
  EXPECT_TRUE(HasLine(text, "OpEntryPoint GLCompute * \"main\" %id %shared ...")) << text;
}

TEST(EntryPoint, OnlyTheAskedForNodeRemains) {
  NodeParts parts;
  parts.functions =
      "%other = OpFunction %void None %fn_void\n%other_begin = OpLabel\n%length2 = OpNodePayloadArrayLengthAMDX %uint "
      "%input2\nOpReturn\nOpFunctionEnd\n";
  parts.globals = "%input2 = OpVariable %in_ptr NodePayloadAMDX";
  std::string text = Compose(parts);
  text.insert(text.find("OpExecutionMode"),
              "OpEntryPoint GLCompute %other \"second\" %input2\nOpExecutionMode %other LocalSize 2 1 "
              "1\nOpExecutionMode %other CoalescingAMDX\n");
  const std::string first = LowerText(text);
  EXPECT_TRUE(FunctionText(first, "other").empty());
  EXPECT_TRUE(HasLine(first, "OpExecutionMode * LocalSize 64 1 1"));
  LowerRequest request;
  request.entry_point = "second";
  const std::string second = LowerText(text, request);
  EXPECT_FALSE(FunctionText(second, "other").empty());
  EXPECT_TRUE(HasLine(second, "OpExecutionMode * LocalSize 2 1 1"));
}

}  // namespace
}  // namespace trellis::spirv
