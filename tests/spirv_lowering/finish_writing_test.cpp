// OpFinishWritingNodePayloadAMDX, and payloads that several workgroups use at once.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kFinish = "%last = OpFinishWritingNodePayloadAMDX %bool %input\n";

NodeParts Finishing(const std::string& modes) {
  NodeParts parts;
  parts.modes = modes;
  parts.decorations =
      "OpDecorate %record TrackFinishWritingAMDX\nOpMemberDecorate %record 0 PayloadDispatchIndirectAMDX";
  parts.body = kFinish;
  return parts;
}

TEST(FinishWriting, OfAStaticGrid) {
  const NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  EXPECT_TRUE(
      HasLine(FunctionText(LowerParts(parts), "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  const NodeInfo info = ReflectParts(parts);
  EXPECT_TRUE(info.finishes_writing);
  EXPECT_TRUE(info.writes_input) << "its counter is written";
  EXPECT_EQ(info.NoteWords(), 1u);
}

TEST(FinishWriting, OfADynamicGrid) {
  const NodeParts parts = Finishing("OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_4"));
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_4 %true %false")) << text;
  EXPECT_EQ(ReflectParts(parts).NoteWords(), 4u);
}

TEST(FinishWriting, ReadersKeepNoMoreThanTheirFirstWorkgroups) {
  NodeParts parts = Finishing("");
  parts.body.clear();
  EXPECT_EQ(ReflectParts(parts).NoteWords(), 1u);
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  EXPECT_EQ(ReflectParts(parts).NoteWords(), 0u);
  const std::string text = LowerParts(parts);
  EXPECT_FALSE(HasLine(text, "OpName %trellis_finish_writing ...")) << text;
  EXPECT_FALSE(HasLine(text, "OpMemberDecorate %record 0 Coherent"));
}

// The order that the last workgroup's reads rely on: payload barrier, count, payload barrier.
TEST(FinishWriting, CountsBetweenBarriers) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  const auto expect_order = [&](const char* barrier, const char* count) {
    const std::string text = LowerParts(parts);
    EXPECT_TRUE(HasLine(FunctionText(text, "PayloadBarrier"), barrier)) << text;
    EXPECT_TRUE(HasLines(
        FunctionText(text, "trellis_finish_writing"),
        {"* = OpFunctionCall %void %PayloadBarrier", count, "* = OpFunctionCall %v4uint %BroadcastInWorkgroup ...",
         "* = OpFunctionCall %void %PayloadBarrier", "OpReturnValue *"}))
        << text;
  };
  // AcquireRelease | UniformMemory | WorkgroupMemory; at scope Device without, QueueFamily with the Vulkan memory
  // model.
  expect_order("OpControlBarrier %uint_2 %uint_1 %uint_328", "* = OpAtomicIAdd %uint * %int_1 %uint_72 *");
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  expect_order("OpControlBarrier %uint_2 %uint_5 %uint_328", "* = OpAtomicIAdd %uint * %int_5 %uint_72 *");
}

// What unoptimised code does: the input and pointers into it are passed to functions.
NodeParts WithHelper() {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  parts.declare_input = false;
  parts.interface = "%own";
  parts.decorations = R"(
OpDecorate %outer TrackFinishWritingAMDX
OpMemberDecorate %outer 0 Offset 0
OpMemberDecorate %outer 1 Offset 4
OpMemberDecorate %inner 0 Offset 0
OpDecorate %inners ArrayStride 4
OpDecorateId %outers NodeMaxPayloadsAMDX %uint_1
)";
  parts.globals = R"(
%inner = OpTypeStruct %uint
%inners = OpTypeArray %inner %uint_3
%outer = OpTypeStruct %uint %inners
%outers = OpTypeNodePayloadArrayAMDX %outer
%own_ptr = OpTypePointer NodePayloadAMDX %outers
%np_inner = OpTypePointer NodePayloadAMDX %inner
%own = OpVariable %own_ptr NodePayloadAMDX
%helper_type = OpTypeFunction %bool %own_ptr %np_uint %np_inner
)";
  parts.body = R"(
%first = OpAccessChain %np_uint %own %uint_0 %int_0
%second = OpAccessChain %np_inner %own %uint_0 %int_1 %uint_2
%result = OpFunctionCall %bool %helper %own %first %second
)";
  parts.functions = R"(
%helper = OpFunction %bool None %helper_type
%whole = OpFunctionParameter %own_ptr
%word = OpFunctionParameter %np_uint
%part = OpFunctionParameter %np_inner
%helper_begin = OpLabel
%old = OpLoad %uint %word
%place = OpAccessChain %np_uint %part %int_0
OpStore %place %old
%told = OpFinishWritingNodePayloadAMDX %bool %whole
%again = OpLoad %uint %place
OpReturnValue %told
OpFunctionEnd
)";
  return parts;
}

TEST(FinishWriting, CoherentThroughParametersAndInNestedStructures) {
  const std::string text = LowerParts(WithHelper());
  EXPECT_TRUE(HasLine(FunctionText(text, "helper"), "%told = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  for (const char* line :
       {"OpMemberDecorate %outer 0 Coherent", "OpMemberDecorate %outer 1 Coherent",
        "OpMemberDecorate %inner 0 Coherent", "OpDecorate %word Coherent", "OpDecorate %part Coherent"})
    EXPECT_TRUE(HasLine(text, line)) << line << "\n" << text;
}

TEST(FinishWriting, EveryAccessIsMarkedInTheVulkanMemoryModel) {
  NodeParts parts = WithHelper();
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  const std::string helper = FunctionText(LowerParts(parts), "helper");
  EXPECT_TRUE(HasLines(helper, {"%old = OpLoad %uint %word Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5",
                                "OpStore %place %old Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_5",
                                "%again = OpLoad %uint %place Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5"}))
      << helper;
}

TEST(FinishWriting, OfACopyOfTheInput) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  parts.body = "%same = OpCopyObject %in_ptr %input\n%last = OpFinishWritingNodePayloadAMDX %bool %same\n";
  EXPECT_TRUE(
      HasLine(FunctionText(LowerParts(parts), "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  EXPECT_TRUE(ReflectParts(parts).writes_input);
}

TEST(FinishWriting, OfNothingElse) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  parts.variables = "%own = OpVariable %fn_in Function";
  parts.globals = "%fn_in = OpTypePointer Function %inputs";
  parts.body = "%last = OpFinishWritingNodePayloadAMDX %bool %own\n";
  EXPECT_NE(LoweringRefusal(parts).find("the operand is not the node's input"), std::string::npos);
}

TEST(FinishWriting, TheInputCopiedIntoAVariableMayBeWritten) {
  NodeParts parts;
  parts.globals = "%fn_in = OpTypePointer Function %inputs";
  parts.variables = "%own = OpVariable %fn_in Function";
  parts.body = "OpCopyMemory %own %input\n";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.body = "%handle = OpLoad %inputs %input\nOpStore %own %handle\n";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.body = "%length = OpNodePayloadArrayLengthAMDX %uint %input\n";
  EXPECT_FALSE(ReflectParts(parts).writes_input);
}

}  // namespace
}  // namespace trellis::spirv
