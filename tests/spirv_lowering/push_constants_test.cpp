// The launch address beside the application's push constants.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

NodeParts WithBlock(const std::string& body) {
  NodeParts parts;
  parts.interface = "%input %push";
  parts.decorations =
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 16";
  parts.globals =
      "%block = OpTypeStruct %v4uint %uint\n%ptr_block = OpTypePointer PushConstant %block\n%ptr_push_uint = "
      "OpTypePointer PushConstant %uint\n"
      "%fn_block = OpTypePointer Function %block\n%push = OpVariable %ptr_block PushConstant";
  parts.body = body;
  return parts;
}

TEST(PushConstants, NodeWithoutBlockGetsOne) {
  LowerRequest request;
  request.launch_offset = 32;
  const std::string text = LowerParts(NodeParts(), request);
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 0 Offset 32")) << text;
  EXPECT_TRUE(HasLines(text, {"* = OpTypeStruct %v2uint", "* = OpVariable * PushConstant"}));
}

TEST(PushConstants, MemberBehindTheApplications) {
  LowerRequest request;
  request.launch_offset = 24;
  const std::string text =
      LowerParts(WithBlock("%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p"), request);
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate %block 1 Offset 16")) << text;
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate %block 2 Offset 24"));
  EXPECT_TRUE(HasLine(text, "%block = OpTypeStruct %v4uint %uint %v2uint"));
  EXPECT_EQ(CountLines(text, "* = OpVariable * PushConstant"), 1u);
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%p = OpAccessChain %ptr_push_uint %push %int_1"));
}

TEST(PushConstants, BlockLoadedAsAWholeAndUsedElsewhere) {
  NodeParts parts =
      WithBlock("%whole = OpLoad %block %push\nOpStore %copy %whole\n%v = OpCompositeExtract %uint %whole 1");
  parts.variables = "%copy = OpVariable %fn_block Function";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(
      main, {"* = OpAccessChain %ptr_PushConstant_v4uint %push %uint_0",
             "* = OpAccessChain %ptr_PushConstant_uint %push %uint_1", "%whole = OpCompositeConstruct %block * *",
             "OpStore %copy %whole", "%v = OpCompositeExtract %uint %whole 1"}))
      << main;
}

TEST(PushConstants, OtherUsesOfTheWholeAreRefused) {
  NodeParts parts = WithBlock("OpCopyMemory %copy %push");
  parts.variables = "%copy = OpVariable %fn_block Function";
  const std::string message = LoweringRefusal(parts);
  EXPECT_NE(message.find("push constant OpVariable %"), std::string::npos) << message;
}

TEST(PushConstants, AddressThatDoesNotFitIsRefused) {
  const Module module =
      ReadTextOrFail(Compose(WithBlock("%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p")));
  Expected<NodeInfo> info = Reflect(module, "node", {});
  ASSERT_TRUE(info);
  for (const uint32_t offset : {0u, 16u, 20u, 28u}) EXPECT_FALSE(Lower(module, *info, {offset, false})) << offset;
  EXPECT_TRUE(Lower(module, *info, {24, false}));
}

}  // namespace
}  // namespace trellis::spirv
