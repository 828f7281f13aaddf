// SPDX-License-Identifier: Apache-2.0
// The launch address next to the application's push constants.
#include <gtest/gtest.h>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/reflect/node_module.h"
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

TEST(PushConstants, BlockCopiedAsAWhole) {
  NodeParts parts = WithBlock("OpCopyMemory %copy %push Aligned 16");
  parts.variables = "%copy = OpVariable %fn_block Function";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(main, {"* = OpAccessChain %ptr_PushConstant_v4uint %push %uint_0",
                              "* = OpAccessChain %ptr_PushConstant_uint %push %uint_1",
                              "* = OpCompositeConstruct %block * *", "OpStore %copy * Aligned 16"}))
      << main;
  EXPECT_FALSE(HasLine(main, "OpCopyMemory ..."));
}

TEST(PushConstants, CopiesOfThePointerAreTheBlock) {
  NodeParts parts = WithBlock(
      "%same = OpCopyObject %ptr_block %push\n%again = OpAccessChain %ptr_block %same\n"
      "%p = OpAccessChain %ptr_push_uint %again %int_1\n%v = OpLoad %uint %p\n%whole = OpLoad %block %same");
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLine(main, "%p = OpAccessChain %ptr_push_uint %push %int_1")) << main;
  EXPECT_TRUE(HasLine(main, "%whole = OpCompositeConstruct %block * *"));
  EXPECT_FALSE(HasLine(main, "%same = ..."));
  EXPECT_FALSE(HasLine(main, "%again = ..."));
}

// spirv-val refuses functions that take such pointers; what compilers leave behind without optimisation has them.
TEST(PushConstants, FunctionsNeedNoPointerToTheBlock) {
  NodeParts parts = WithBlock("%r = OpFunctionCall %uint %read %int_3 %push %uint_2");
  parts.globals += "\n%fn_read = OpTypeFunction %uint %int %ptr_block %uint";
  parts.functions = R"(
%read = OpFunction %uint None %fn_read
%before = OpFunctionParameter %int
%from = OpFunctionParameter %ptr_block
%after = OpFunctionParameter %uint
%read_begin = OpLabel
%deeper = OpFunctionCall %uint %read_deeper %from
%rp = OpAccessChain %ptr_push_uint %from %int_1
%rv = OpLoad %uint %rp
%sum = OpIAdd %uint %rv %after
OpReturnValue %sum
OpFunctionEnd
%read_deeper = OpFunction %uint None %fn_deeper
%given = OpFunctionParameter %ptr_block
%deeper_begin = OpLabel
%gp = OpAccessChain %ptr_push_uint %given %int_1
%gv = OpLoad %uint %gp
OpReturnValue %gv
OpFunctionEnd
)";
  parts.globals += "\n%fn_deeper = OpTypeFunction %uint %ptr_block";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%r = OpFunctionCall %uint %read %int_3 %uint_2")) << text;
  EXPECT_TRUE(HasLine(text, "%deeper = OpFunctionCall %uint %read_deeper"));
  EXPECT_TRUE(HasLine(FunctionText(text, "read"), "%rp = OpAccessChain %ptr_push_uint %push %int_1"));
  EXPECT_TRUE(HasLine(FunctionText(text, "read_deeper"), "%gp = OpAccessChain %ptr_push_uint %push %int_1"));
  EXPECT_EQ(CountLines(text, "* = OpFunctionParameter %ptr_block"), 0u);
}

// The same structure behind another block keeps its size.
TEST(PushConstants, TheTypesOtherUsesStay) {
  NodeParts parts = WithBlock(
      "%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p\n"
      "OpCopyMemory %buffer %push");
  parts.interface = "%input %push %buffer";
  parts.globals += "\n%ptr_buffer = OpTypePointer StorageBuffer %block\n%buffer = OpVariable %ptr_buffer StorageBuffer";
  parts.decorations += "\nOpDecorate %buffer DescriptorSet 0\nOpDecorate %buffer Binding 0";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%block = OpTypeStruct %v4uint %uint")) << text;
  EXPECT_TRUE(HasLine(text, "%block = OpTypeStruct %v4uint %uint %v2uint"));
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "OpStore %buffer *"));
}

TEST(PushConstants, AddressThatDoesNotFitIsRefused) {
  const Module module =
      ReadTextOrFail(Compose(WithBlock("%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p")));
  Expected<NodeInfo> info = Reflect(module, "node", {});
  ASSERT_TRUE(info);
  for (const uint32_t offset : {0u, 16u, 20u, 28u})
    EXPECT_FALSE(Lower(module, *info, {.launch_offset = offset})) << offset;
  EXPECT_TRUE(Lower(module, *info, {.launch_offset = 24}));
}

// Every pointer to the block is the block, also one that a function returns.
TEST(PushConstants, LoadedAsAWholeThroughAReturnedPointer) {
  NodeParts parts = WithBlock("%got = OpFunctionCall %ptr_block %get\n%whole = OpLoad %block %got");
  parts.globals += "\n%get_type = OpTypeFunction %ptr_block";
  parts.functions =
      "%get = OpFunction %ptr_block None %get_type\n%get_begin = OpLabel\nOpReturnValue %push\nOpFunctionEnd\n";
  std::string text;
  {
    const std::vector<uint32_t> words = AssembleOrFail(Compose(parts));
    const Expected<Module> module = ReadNodeModule(words);
    ASSERT_TRUE(module);
    const Expected<NodeInfo> info = Reflect(*module, "node", {});
    ASSERT_TRUE(info) << info.error().message;
    const Expected<LoweredNode> lowered = Lower(*module, *info, {.launch_offset = 24});
    ASSERT_TRUE(lowered) << lowered.error().message;
    text = Readable(lowered->words);
  }
  EXPECT_TRUE(HasLines(FunctionText(text, "main"), {"%got = OpFunctionCall * %get", "* = OpAccessChain * %push %uint_0",
                                                    "%whole = OpCompositeConstruct %block * *"}))
      << text;
}

}  // namespace
}  // namespace trellis::spirv
