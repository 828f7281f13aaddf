// SPDX-License-Identifier: Apache-2.0
// Push constants that the node reads from a copy in memory.
#include <gtest/gtest.h>

#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/node_module.h"
#include "tests/leaf_1_0.h"
#include "tests/leaf_1_3.h"
#include "tests/leaf_1_6.h"
#include "tests/spirv_lowering/node_samples.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

NodeParts WithReadBlock(const std::string& body) {
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

constexpr const char* kMember = "%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p";

std::string LowerInMemory(const NodeParts& parts) {
  LowerRequest request;
  request.launch_offset = 0;
  request.push_constant_copy_offset = 8;
  return LowerParts(parts, request);
}

LowerOptions InMemory() {
  LowerOptions options;
  options.push_constant_copy_offset = 8;
  return options;
}

TEST(PushConstantMemory, MembersAreReadBehindTheAddress) {
  const std::string text = LowerInMemory(WithReadBlock(kMember));
  EXPECT_TRUE(HasLine(text, "%ptr_push_uint = OpTypePointer PhysicalStorageBuffer %uint")) << text;
  EXPECT_EQ(CountLines(text, "* = OpVariable * PushConstant"), 1u);
  EXPECT_TRUE(HasLine(text, "* = OpTypeStruct %v2uint %v2uint"));
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 0 Offset 0"));
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 1 Offset 8"));
  EXPECT_TRUE(HasLines(
      FunctionText(text, "main"),
      {"* = OpAccessChain %ptr_PushConstant_v2uint * %uint_1", "* = OpLoad %v2uint *", "* = OpBitcast %ptr_block *",
       "%p = OpAccessChain %ptr_push_uint * %int_1", "%v = OpLoad %uint %p Aligned 4"}))
      << text;
  EXPECT_FALSE(HasLine(text, "OpName %push ...")) << "the application's variable is gone";
}

TEST(PushConstantMemory, AddressIsLoadedBehindTheVariables) {
  NodeParts parts = WithReadBlock(kMember);
  parts.variables = "%local = OpVariable %fn_uint Function";
  parts.body += "\nOpStore %local %v";
  const std::string main = FunctionText(LowerInMemory(parts), "main");
  EXPECT_TRUE(HasLines(main, {"%local = OpVariable %fn_uint Function", "* = OpBitcast %ptr_block *"})) << main;
}

TEST(PushConstantMemory, TheWholeBlock) {
  NodeParts parts = WithReadBlock("%whole = OpLoad %block %push\nOpStore %copy %whole\nOpCopyMemory %copy %push");
  parts.variables = "%copy = OpVariable %fn_block Function";
  const std::string main = FunctionText(LowerInMemory(parts), "main");
  EXPECT_TRUE(HasLines(main, {"%whole = OpLoad %block * Aligned 4", "OpStore %copy %whole",
                              "* = OpLoad %block * Aligned 4", "OpStore %copy *"}))
      << main;
}

TEST(PushConstantMemory, EveryFunctionLoadsTheAddressForItself) {
  NodeParts parts = WithReadBlock(std::string(kMember) + "\n%c = OpFunctionCall %void %helper");
  parts.functions =
      "%helper = OpFunction %void None %fn_void\n%helper_begin = OpLabel\n"
      "%q = OpAccessChain %ptr_push_uint %push %int_1\n%w = OpLoad %uint %q\nOpReturn\nOpFunctionEnd\n";
  const std::string text = LowerInMemory(parts);
  for (const char* function : {"main", "helper"})
    EXPECT_EQ(CountLines(FunctionText(text, function), "* = OpBitcast %ptr_block *"), 1u) << text;
}

TEST(PushConstantMemory, NodeWithoutBlockFindsItsLaunchAllTheSame) {
  const std::string text = LowerInMemory(NodeParts());
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 0 Offset 0")) << text;
  EXPECT_EQ(CountLines(text, "* = OpVariable * PushConstant"), 1u);
}

TEST(PushConstantMemory, SmallMembersNeedTheCapabilityOfTheMemory) {
  NodeParts parts = WithReadBlock("%p = OpAccessChain %ptr_half %push %int_1\n%v = OpLoad %half %p");
  parts.capabilities = "OpCapability Float16\nOpCapability StoragePushConstant16";
  parts.globals =
      "%half = OpTypeFloat 16\n%block = OpTypeStruct %v4uint %half\n%ptr_block = OpTypePointer PushConstant %block\n"
      "%ptr_half = OpTypePointer PushConstant %half\n%push = OpVariable %ptr_block PushConstant";
  const std::string text = LowerInMemory(parts);
  EXPECT_TRUE(HasLine(text, "OpCapability StorageBuffer16BitAccess")) << text;
  EXPECT_TRUE(HasLine(text, "%v = OpLoad %half %p Aligned 2"));
}

TEST(PushConstantMemory, PlacesThatOverlapAreRefused) {
  const Module module = ReadTextOrFail(Compose(WithReadBlock(kMember)));
  Expected<NodeInfo> info = Reflect(module, "node", {});
  ASSERT_TRUE(info);
  LowerOptions options = InMemory();
  EXPECT_TRUE(Lower(module, *info, options));
  for (const uint32_t offset : {0u, 4u, 12u}) {
    options.push_constant_copy_offset = offset;
    EXPECT_FALSE(Lower(module, *info, options)) << offset;
  }
}

TEST(PushConstantMemory, AllSamples) {
  for (const NodeSample& sample : NodeSamples()) {
    LowerRequest request;
    request.launch_offset = 0;
    request.push_constant_copy_offset = 8;
    request.entry_point = sample.entry_point;
    request.execution_model = sample.execution_model;
    EXPECT_FALSE(LowerText(sample.text, request).empty()) << sample.name;
  }
}

// Of any version, with the block used in a function and indexed with a variable.
TEST(PushConstantMemory, PlainComputeShaders) {
  for (const std::span<const uint32_t> words :
       {std::span<const uint32_t>(kLeaf10), std::span<const uint32_t>(kLeaf13), std::span<const uint32_t>(kLeaf16)}) {
    Expected<Module> module = ReadNodeModule(words);
    ASSERT_TRUE(module) << module.error().message;
    Expected<NodeInfo> info = Reflect(*module, "main", {{0, {32, 0, 0, 0}}});
    ASSERT_TRUE(info) << info.error().message;
    Expected<LoweredNode> lowered = Lower(*module, *info, InMemory());
    ASSERT_TRUE(lowered) << lowered.error().message;
    Expected<void> valid = Validate(lowered->words, lowered->words[1] <= 0x00010500);
    EXPECT_TRUE(valid) << valid.error().message << Readable(lowered->words);
    Expected<std::vector<uint32_t>> optimised = Optimize(lowered->words);
    ASSERT_TRUE(optimised) << optimised.error().message;
    EXPECT_TRUE(Validate(*optimised));
  }
}

}  // namespace
}  // namespace trellis::spirv
