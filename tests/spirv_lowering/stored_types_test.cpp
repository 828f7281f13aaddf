// SPDX-License-Identifier: Apache-2.0
// Booleans in payloads: 32-bit words in memory.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

// %flags = {bool, {bvec3, bool[3]}, uint}, input and output; %local is a handle variable of the output.
NodeParts WithFlags(const std::string& body) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%flag_input";
  parts.decorations = R"(
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 12
OpDecorate %bools ArrayStride 4
OpMemberDecorate %flags 0 Offset 0
OpMemberDecorate %flags 1 Offset 4
OpMemberDecorate %flags 2 Offset 28
OpDecorate %length SpecId 4
OpDecorateId %flag_in NodeMaxPayloadsAMDX %uint_4
OpDecorateId %flag_out NodeMaxPayloadsAMDX %uint_4
OpDecorateId %flag_out PayloadNodeNameAMDX %target_name
)";
  parts.globals = R"(
%length = OpSpecConstant %uint 3
%v3bool = OpTypeVector %bool 3
%bools = OpTypeArray %bool %length
%inner = OpTypeStruct %v3bool %bools
%flags = OpTypeStruct %bool %inner %uint
%flag_in = OpTypeNodePayloadArrayAMDX %flags
%flag_out = OpTypeNodePayloadArrayAMDX %flags
%flag_in_ptr = OpTypePointer NodePayloadAMDX %flag_in
%flag_out_ptr = OpTypePointer NodePayloadAMDX %flag_out
%np_flags = OpTypePointer NodePayloadAMDX %flags
%np_bool = OpTypePointer NodePayloadAMDX %bool
%np_inner = OpTypePointer NodePayloadAMDX %inner
%fn_flag_out = OpTypePointer Function %flag_out
%fn_flags = OpTypePointer Function %flags
%fn_bool = OpTypePointer Function %bool
%fn_v3bool = OpTypePointer Function %v3bool
%flag_input = OpVariable %flag_in_ptr NodePayloadAMDX
)";
  parts.variables = "%local = OpVariable %fn_flag_out Function\n%copy = OpVariable %fn_flags Function";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %flag_out_ptr %uint_4 %uint_1 %uint_0
%handle = OpLoad %flag_out %allocated
OpStore %local %handle
)" + body + "\nOpEnqueueNodePayloadsAMDX %local";
  return parts;
}

TEST(StoredTypes, MembersAreWords) {
  const NodeParts parts = WithFlags(R"(
%a = OpAccessChain %np_bool %flag_input %uint_0 %int_1 %int_1 %uint_2
%b = OpLoad %bool %a
%c = OpAccessChain %fn_bool %local %uint_0 %int_0
OpStore %c %b
%d = OpAccessChain %fn_v3bool %local %uint_0 %int_1 %int_0
%e = OpCompositeConstruct %v3bool %b %true %b
OpStore %d %e
%f = OpAccessChain %fn_bool %d %uint_1
%g = OpLoad %bool %f
)");
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.input.size, 32u);
  EXPECT_EQ(info.input.alignment, 16u);
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%flags = OpTypeStruct %uint %inner %uint")) << text;
  EXPECT_TRUE(HasLine(text, "%inner = OpTypeStruct %v3uint %bools"));
  EXPECT_TRUE(HasLine(text, "%bools = OpTypeArray %uint %length"));
  EXPECT_TRUE(HasLine(text, "OpDecorate %bools ArrayStride 4"));
  const std::string main = FunctionText(text, "main");
  EXPECT_TRUE(
      HasLines(main, {"* = OpLoad %uint %a Aligned 4", "* = OpINotEqual %bool * *", "%b = OpCopyObject %bool *",
                      "* = OpSelect %uint %b %uint_1 *", "OpStore %c * Aligned 16", "* = OpSelect %v3uint %e * *",
                      "OpStore %d * Aligned 4", "* = OpLoad %uint %f Aligned 4"}))
      << main;
}

TEST(StoredTypes, WholeStructures) {
  const std::string main = FunctionText(LowerParts(WithFlags(R"(
%from = OpAccessChain %np_flags %flag_input %uint_1
%whole = OpLoad %flags %from
OpStore %copy %whole
%to = OpAccessChain %fn_flags %local %uint_0
OpStore %to %whole
OpCopyMemory %copy %to
OpCopyMemory %to %copy
OpCopyMemory %to %from
%extracted = OpCompositeExtract %inner %handle 0 1
)")),
                                        "main");
  EXPECT_TRUE(
      HasLines(main, {"* = OpLoad %flags %from Aligned 16", "%whole = OpCopyObject %flags *", "OpStore %copy %whole",
                      "OpStore %to * Aligned 16", "* = OpLoad %flags %to Aligned 16", "OpStore %copy *",
                      "* = OpLoad %flags %copy", "OpStore %to * Aligned 16", "%extracted = OpCopyObject %inner *"}))
      << main;
  EXPECT_FALSE(HasLine(main, "OpCopyMemory ..."));
}

// The array's length as it is specialised, not as it is by default.
TEST(StoredTypes, SpecialisedLengths) {
  LowerRequest request;
  request.specialization[4] = {1, 0, 0, 0};
  const NodeParts parts =
      WithFlags("%p = OpAccessChain %np_inner %flag_input %uint_0 %int_1\n%whole = OpLoad %inner %p");
  EXPECT_EQ(CountLines(FunctionText(LowerParts(parts, request), "main"), "* = OpINotEqual %bool * *"), 1u);
  EXPECT_EQ(CountLines(FunctionText(LowerParts(parts), "main"), "* = OpINotEqual %bool * *"), 3u);
}

TEST(StoredTypes, PointersPassedToFunctions) {
  NodeParts parts =
      WithFlags("%p = OpAccessChain %np_bool %flag_input %uint_0 %int_0\n%r = OpFunctionCall %bool %read %p");
  parts.globals += "%fn_read = OpTypeFunction %bool %np_bool\n";
  parts.functions = R"(
%read = OpFunction %bool None %fn_read
%pointer = OpFunctionParameter %np_bool
%read_begin = OpLabel
%value = OpLoad %bool %pointer
OpReturnValue %value
OpFunctionEnd
)";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%pointer = OpFunctionParameter %ptr_PhysicalStorageBuffer_uint")) << text;
}

TEST(StoredTypes, BareStructureAndVulkanMemoryModel) {
  NodeParts parts = WithFlags("%p = OpAccessChain %np_bool %bare %int_0\n%v = OpLoad %bool %p\nOpStore %p %true");
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  parts.interface = "%bare";
  parts.globals += "%bare = OpVariable %np_flags NodePayloadAMDX\n";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(main, {"* = OpLoad %uint %p Aligned|MakePointerVisible|NonPrivatePointer 16 *",
                              "OpStore %p * Aligned|MakePointerAvailable|NonPrivatePointer 16 *"}))
      << main;
}

}  // namespace
}  // namespace trellis::spirv
