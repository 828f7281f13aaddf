// SPDX-License-Identifier: Apache-2.0
// Built-ins that the graph defines: variables that the entry fills.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

NodeParts WithBuiltIns() {
  NodeParts parts;
  parts.interface = "%input %group %invocation %local %index %shader %remaining";
  parts.decorations = R"(
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %invocation BuiltIn GlobalInvocationId
OpDecorate %local BuiltIn LocalInvocationId
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %shader BuiltIn ShaderIndexAMDX
OpDecorate %remaining BuiltIn RemainingRecursionLevelsAMDX
)";
  parts.globals = R"(
%v3int = OpTypeVector %int 3
%ptr_uint = OpTypePointer Input %uint
%ptr_int = OpTypePointer Input %int
%ptr_v3uint = OpTypePointer Input %v3uint
%ptr_v3int = OpTypePointer Input %v3int
%group = OpVariable %ptr_v3uint Input
%invocation = OpVariable %ptr_v3int Input
%local = OpVariable %ptr_v3int Input
%index = OpVariable %ptr_int Input
%shader = OpVariable %ptr_uint Input
%remaining = OpVariable %ptr_int Input
)";
  return parts;
}

TEST(BuiltIns, FilledByTheEntry) {
  NodeParts parts = WithBuiltIns();
  parts.body = R"(
%y_ptr = OpAccessChain %ptr_uint %group %uint_1
%y = OpLoad %uint %y_ptr
%id = OpLoad %v3int %invocation
%own = OpLoad %v3int %local
%number = OpLoad %int %index
%which = OpLoad %uint %shader
%left = OpLoad %int %remaining
)";
  const std::string text = LowerParts(parts);
  for (const char* variable :
       {"%group = OpVariable %ptr_Private_v3uint Private", "%invocation = OpVariable %ptr_Private_v3int Private",
        "%shader = OpVariable %ptr_Private_uint Private", "%remaining = OpVariable %ptr_Private_int Private"}) {
    EXPECT_TRUE(HasLine(text, variable)) << text;
  }
  EXPECT_FALSE(HasLine(text, "OpDecorate %group BuiltIn ..."));
  EXPECT_TRUE(HasLine(text, "OpDecorate %local BuiltIn LocalInvocationId")) << "true as the dispatch has it";
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%y_ptr = OpAccessChain %ptr_Private_uint %group %uint_1"));
  EXPECT_TRUE(HasLines(text, {"OpStore %group *", "* = OpIMul %v3uint * *", "* = OpLoad %v3int %local",
                              "* = OpBitcast %v3uint *", "* = OpIAdd %v3uint * *", "* = OpBitcast %v3int *",
                              "OpStore %invocation *", "* = OpFunctionCall %uint %trellis_shader_index",
                              "OpStore %shader *", "* = OpFunctionCall %uint %trellis_remaining_recursion",
                              "* = OpBitcast %int *", "OpStore %remaining *", "* = OpFunctionCall %void %main"}))
      << text;
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn LocalInvocationIndex"), 1u)
      << "an entry point may list a built-in once";
}

TEST(BuiltIns, UnusedOnesAreGone) {
  const std::string text = LowerParts(WithBuiltIns());
  EXPECT_FALSE(HasLine(text, "%group = ..."));
  EXPECT_FALSE(HasLine(text, "%shader = ..."));
}

TEST(BuiltIns, GlobalInvocationUsesTheSpecialisedSize) {
  NodeParts parts = WithBuiltIns();
  parts.local_size = "OpExecutionModeId %main LocalSizeId %x %uint_2 %uint_1";
  parts.decorations += "OpDecorate %x SpecId 0";
  parts.globals += "%x = OpSpecConstant %uint 4";
  parts.body = "%id = OpLoad %v3int %invocation";
  LowerRequest request;
  request.specialization = {{0, {9, 0, 0, 0}}};
  const std::string text = LowerParts(parts, request);
  EXPECT_TRUE(HasLine(text, "* = OpConstantComposite %v3uint %uint_9 %uint_2 %uint_1")) << text;
}

TEST(BuiltIns, Refusals) {
  NodeParts parts = WithBuiltIns();
  parts.decorations += "OpDecorate %odd BuiltIn WorkgroupId";
  parts.globals += "%ptr_float = OpTypePointer Input %float\n%odd = OpVariable %ptr_float Input";
  parts.interface += " %odd";
  parts.body = "%v = OpLoad %float %odd";
  EXPECT_NE(LoweringRefusal(parts).find("does not fit its built-in"), std::string::npos) << LoweringRefusal(parts);

  parts = WithBuiltIns();
  parts.globals += "%f_type = OpTypeFunction %void %ptr_v3uint";
  parts.functions =
      "%f = OpFunction %void None %f_type\n%p = OpFunctionParameter %ptr_v3uint\n%f_begin = "
      "OpLabel\nOpReturn\nOpFunctionEnd\n";
  parts.body = "%r = OpFunctionCall %void %f %group";
  EXPECT_NE(LoweringRefusal(parts).find("OpFunctionCall %"), std::string::npos) << LoweringRefusal(parts);
}

// A block in Input whose second member is the built-in.
NodeParts InBlock(const std::string& built_in, const std::string& type) {
  NodeParts parts;
  parts.interface = "%input %block";
  parts.decorations =
      "OpDecorate %block_type Block\nOpMemberDecorate %block_type 0 BuiltIn LocalInvocationIndex\n"
      "OpMemberDecorate %block_type 1 BuiltIn " +
      built_in + "\n";
  parts.globals = "%block_type = OpTypeStruct %uint " + type +
                  "\n%ptr_block = OpTypePointer Input %block_type\n%ptr_member = OpTypePointer Input " + type +
                  "\n%block = OpVariable %ptr_block Input\n";
  parts.body = "%member = OpAccessChain %ptr_member %block %int_1\n%value = OpLoad " + type + " %member\n";
  return parts;
}

TEST(BuiltIns, OfTheGraphAreNoMembersOfABlock) {
  struct Case {
    const char *built_in, *type;
  };
  for (const Case& test : {Case{"WorkgroupId", "%v3uint"}, Case{"GlobalInvocationId", "%v3uint"},
                           Case{"ShaderIndexAMDX", "%uint"}, Case{"RemainingRecursionLevelsAMDX", "%uint"}}) {
    const std::string message = LoweringRefusal(InBlock(test.built_in, test.type));
    EXPECT_NE(message.find("OpTypeStruct %"), std::string::npos) << message;
    EXPECT_NE(message.find(std::string("member 1 is the built-in ") + test.built_in), std::string::npos) << message;
  }
  const std::string message = LoweringRefusal(InBlock("NumWorkgroups", "%v3uint"));
  EXPECT_NE(message.find("the built-in NumWorkgroups must not be used"), std::string::npos) << message;
}

// Lowering gives packed nodes places of their own, but not in a block.
TEST(BuiltIns, PlacesInABlockKeepANodeFromBeingPacked) {
  NodeParts parts = InBlock("LocalInvocationId", "%v3uint");
  EXPECT_EQ(LoweringRefusal(parts), "");
  parts.local_size = "OpExecutionMode %main LocalSize 1 1 1";
  EXPECT_NE(ReflectParts(parts).packing_obstacle.find("is the built-in LocalInvocation"), std::string::npos)
      << ReflectParts(parts).packing_obstacle;
}

TEST(BuiltIns, PointersThatGoAnywhereElseAreRefused) {
  NodeParts parts = WithBuiltIns();
  parts.globals += "%fn_ptr = OpTypePointer Function %ptr_v3uint\n";
  parts.variables = "%kept = OpVariable %fn_ptr Function\n";
  parts.body = "OpStore %kept %group\n";
  EXPECT_NE(LoweringRefusal(parts).find("a pointer to a built-in is passed on"), std::string::npos)
      << LoweringRefusal(parts);
}

}  // namespace
}  // namespace trellis::spirv
