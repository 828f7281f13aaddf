// SPDX-License-Identifier: Apache-2.0
// LowerOptions::robust_access: indices inside of payloads.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

// An allocated payload %big = {uint[4], uvec4, uint[%length]} in which %p, made by `chain`, is written. %i is no
// constant.
NodeParts Writing(const std::string& chain) {
  NodeParts parts;
  parts.capabilities = "OpCapability Int64";
  parts.decorations = R"(
OpDecorate %length SpecId 0
OpDecorate %words ArrayStride 4
OpDecorate %more_words ArrayStride 4
OpMemberDecorate %big 0 Offset 0
OpMemberDecorate %big 1 Offset 16
OpMemberDecorate %big 2 Offset 32
OpDecorateId %bigs NodeMaxPayloadsAMDX %uint_4
OpDecorateId %bigs PayloadNodeNameAMDX %target_name
)";
  parts.globals = R"(
%ulong = OpTypeInt 64 0
%length = OpSpecConstant %uint 5
%words = OpTypeArray %uint %uint_4
%more_words = OpTypeArray %uint %length
%big = OpTypeStruct %words %v4uint %more_words
%bigs = OpTypeNodePayloadArrayAMDX %big
%bigs_ptr = OpTypePointer NodePayloadAMDX %bigs
%np_words = OpTypePointer NodePayloadAMDX %words
)";
  parts.body =
      "%a = OpAllocateNodePayloadsAMDX %bigs_ptr %uint_4 %uint_1 %uint_0\n"
      "%i = OpIAdd %uint %uint_1 %uint_2\n%si = OpIAdd %int %int_1 %int_2\n%li = OpUConvert %ulong %i\n" +
      chain + "\nOpStore %p %uint_7\nOpEnqueueNodePayloadsAMDX %a";
  return parts;
}

std::string LowerRobust(const std::string& chain) {
  LowerRequest request;
  request.robust_access = true;
  return LowerParts(Writing(chain), request);
}

TEST(RobustAccess, IndicesOfArraysAndVectorsAreAtMostTheLastOne) {
  for (const char* member : {"%uint_0", "%uint_1"}) {
    const std::string text = LowerRobust("%p = OpAccessChain %np_uint %a %uint_0 " + std::string(member) + " %i");
    EXPECT_TRUE(HasLines(text, {"* = OpULessThan %bool %i %uint_3", "* = OpSelect %uint * %i %uint_3",
                                "%p = OpAccessChain * * " + std::string(member) + " *"}))
        << text;
    EXPECT_FALSE(HasLine(text, "%p = OpAccessChain * * " + std::string(member) + " %i")) << text;
  }
}

TEST(RobustAccess, NothingIsAddedWithoutIt) {
  const std::string text = LowerParts(Writing("%p = OpAccessChain %np_uint %a %uint_0 %uint_0 %i"));
  EXPECT_TRUE(HasLine(text, "%p = OpAccessChain * * %uint_0 %i")) << text;
  EXPECT_FALSE(HasLine(text, "* = OpULessThan %bool %i *")) << text;
}

TEST(RobustAccess, ConstantsInRangeStay) {
  const std::string text = LowerRobust("%p = OpAccessChain %np_uint %a %uint_0 %uint_0 %uint_3");
  EXPECT_TRUE(HasLine(text, "%p = OpAccessChain * * %uint_0 %uint_3")) << text;
  EXPECT_FALSE(HasLine(FunctionText(text, "main"), "* = OpSelect ...")) << text;
}

TEST(RobustAccess, ConstantsPastTheEndBecomeTheLastOne) {
  const std::string text = LowerRobust("%p = OpAccessChain %np_uint %a %uint_0 %uint_0 %uint_9");
  EXPECT_TRUE(HasLine(text, "%p = OpAccessChain * * %uint_0 %uint_3")) << text;
}

TEST(RobustAccess, LengthsMayBeSpecialised) {
  const std::string text = LowerRobust("%p = OpAccessChain %np_uint %a %uint_0 %uint_2 %i");
  EXPECT_TRUE(HasLines(text, {"* = OpISub %uint %length %uint_1", "* = OpULessThan %bool %i *",
                              "* = OpSelect %uint * %i *", "%p = OpAccessChain * * %uint_2 *"}))
      << text;
}

// Negative ones are past the end too.
TEST(RobustAccess, IndicesMayBeOfAnyIntegerType) {
  for (const char* index : {"%si", "%li"}) {
    const std::string text = LowerRobust("%p = OpAccessChain %np_uint %a %uint_0 %uint_0 " + std::string(index));
    const char* convert = std::string_view(index) == "%si" ? "* = OpBitcast %uint %si" : "* = OpUConvert %uint %li";
    EXPECT_TRUE(HasLines(text, {convert, "* = OpULessThan %bool * %uint_3"})) << text;
  }
}

TEST(RobustAccess, PathsInSeveralSteps) {
  const std::string text =
      LowerRobust("%w = OpAccessChain %np_words %a %uint_0 %uint_0\n%p = OpInBoundsAccessChain %np_uint %w %i");
  EXPECT_TRUE(HasLines(text, {"* = OpULessThan %bool %i %uint_3", "%p = OpInBoundsAccessChain ..."})) << text;
  EXPECT_FALSE(HasLine(text, "%p = OpInBoundsAccessChain * * %i")) << text;
}

}  // namespace
}  // namespace trellis::spirv
