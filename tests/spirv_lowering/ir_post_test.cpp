// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/sample_modules.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// A block that only scalar layout allows: a float at offset 12 behind a three-vector is fine everywhere, a two-vector
// at offset 4 is not.
constexpr std::string_view kScalarLayout = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %data
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%v3 = OpTypeVector %uint 3
%block = OpTypeStruct %uint %v3
%pointer = OpTypePointer StorageBuffer %block
%pointer_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %pointer_uint %data %zero
%value = OpLoad %uint %at
%sum = OpIAdd %uint %value %zero
OpStore %at %sum
OpReturn
OpFunctionEnd
)";

std::vector<uint32_t> WithVersion(std::vector<uint32_t> words, uint32_t version) {
  words[1] = version;
  return words;
}

TEST(Post, ScalarBlockLayoutIsValid) {
  const Expected<void> valid = Validate(AssembleOrFail(kScalarLayout));
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(Post, WhatIsNotValidIsExplained) {
  std::string text(kScalarLayout);
  text.replace(text.find("OpIAdd %uint"), 12, "OpFAdd %uint");
  const Expected<void> valid = Validate(AssembleOrFail(text));
  ASSERT_FALSE(valid);
  EXPECT_TRUE(Contains(valid.error().message, "FAdd")) << valid.error().message;
}

TEST(Post, Vulkan12TakesNoNewerModules) {
  const std::vector<uint32_t> words = AssembleOrFail(kScalarLayout);
  EXPECT_FALSE(Validate(words, true));
  EXPECT_TRUE(Validate(WithVersion(words, 0x00010500), true));
  EXPECT_FALSE(Validate(std::vector<uint32_t>{1, 2, 3}));
}

TEST(Post, OptimisedModulesAreValidAndNoNewer) {
  for (const uint32_t version : {0x00010500u, 0x00010600u}) {
    const Expected<std::vector<uint32_t>> words = Optimize(WithVersion(AssembleOrFail(kScalarLayout), version));
    ASSERT_TRUE(words) << words.error().message;
    EXPECT_EQ((*words)[1], version);
    EXPECT_TRUE(Validate(*words, version == 0x00010500));
    EXPECT_FALSE(Contains(*Disassemble(*words), "OpIAdd")) << "adding nothing is optimised away";
  }
}

TEST(Post, RubbishIsNotOptimised) { EXPECT_FALSE(Optimize(std::vector<uint32_t>{1, 2, 3})); }

TEST(Post, TextComesBackWithTheSameIds) {
  const std::vector<uint32_t> words = AssembleOrFail(SampleText("producer"));
  const Expected<std::string> text = Disassemble(words);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_TRUE(Contains(*text, "OpAllocateNodePayloadsAMDX"));
  const std::vector<uint32_t> again = AssembleOrFail(*text);
  // spirv-as writes itself into the generator word.
  EXPECT_EQ(again, words);
}

TEST(Post, WrongTextIsAnError) {
  const Expected<std::vector<uint32_t>> words = Assemble("OpCapability Nonsense");
  ASSERT_FALSE(words);
  EXPECT_TRUE(Contains(words.error().message, "Nonsense"));
  EXPECT_FALSE(Disassemble(std::vector<uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace trellis::spirv
