// SPDX-License-Identifier: Apache-2.0
// The runtime's words in Workgroup memory next to blocks with an explicit layout.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kWorkgroupAllocation =
    "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";

NodeParts WithBlocks(const std::string& body) {
  NodeParts parts;
  parts.capabilities =
      "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"";
  parts.interface = "%input %words %numbers";
  parts.decorations = R"(
OpDecorate %word_block Block
OpMemberDecorate %word_block 0 Offset 0
OpDecorate %word_array ArrayStride 4
OpDecorate %number_block Block
OpMemberDecorate %number_block 0 Offset 4
OpDecorate %words Aliased
OpDecorate %numbers Aliased
OpDecorate %length SpecId 7
)";
  parts.globals = R"(
%length = OpSpecConstant %uint 5
%word_array = OpTypeArray %uint %length
%word_block = OpTypeStruct %word_array
%number_block = OpTypeStruct %float
%word_ptr = OpTypePointer Workgroup %word_block
%number_ptr = OpTypePointer Workgroup %number_block
%wg_uint = OpTypePointer Workgroup %uint
%wg_float = OpTypePointer Workgroup %float
%words = OpVariable %word_ptr Workgroup
%numbers = OpVariable %number_ptr Workgroup
)";
  parts.body =
      "%w = OpAccessChain %wg_uint %words %int_0 %int_3\nOpStore %w %uint_9\n"
      "%n = OpAccessChain %wg_float %numbers %int_0\n%f = OpLoad %float %n\n" +
      body;
  return parts;
}

// Of Workgroup variables: the runtime has decorated pointers too.
size_t CountAliased(const std::string& text) {
  NodeParts plain;
  plain.body = kWorkgroupAllocation;
  return CountLines(text, "OpDecorate * Aliased") - CountLines(LowerParts(plain), "OpDecorate * Aliased");
}

TEST(SharedMemory, OurWordsLiePastTheLargestBlock) {
  const std::string text = LowerParts(WithBlocks(kWorkgroupAllocation));
  EXPECT_EQ(CountLines(text, "* = OpVariable * Workgroup"), 3u) << text;
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 0 Offset 32"));
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 1 Offset 48"));
  EXPECT_EQ(CountAliased(text), 3u);
  const std::string broadcast = FunctionText(text, "BroadcastInWorkgroup");
  EXPECT_TRUE(HasLines(broadcast, {"* = OpAccessChain %ptr_Workgroup_v4uint * %uint_0", "OpStore * *"})) << broadcast;
  EXPECT_TRUE(HasLines(broadcast, {"* = OpAccessChain %ptr_Workgroup_v4uint * %uint_1", "OpStore * *"})) << broadcast;
  EXPECT_FALSE(HasLine(broadcast, "* = OpLoad %v4uint %trellis_shared_even"));

  LowerRequest request;
  request.specialization[7] = {17, 0, 0, 0};
  EXPECT_TRUE(HasLine(LowerParts(WithBlocks(kWorkgroupAllocation), request), "OpMemberDecorate * 0 Offset 80"));
}

TEST(SharedMemory, FinishWritingNeedsThemToo) {
  NodeParts parts = WithBlocks("%last = OpFinishWritingNodePayloadAMDX %bool %input");
  parts.decorations += "OpDecorate %record TrackFinishWritingAMDX\n";
  const std::string text = LowerParts(parts);
  EXPECT_EQ(CountLines(text, "* = OpVariable * Workgroup"), 3u) << text;
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 0 Offset 32"));
}

TEST(SharedMemory, ASingleBlockIsMarkedAliased) {
  NodeParts parts = WithBlocks(kWorkgroupAllocation);
  parts.interface = "%input %words";
  parts.decorations.erase(parts.decorations.find("OpDecorate %words Aliased"), 25);
  parts.body =
      std::string("%w = OpAccessChain %wg_uint %words %int_0 %int_3\nOpStore %w %uint_9\n") + kWorkgroupAllocation;
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpDecorate %words Aliased")) << text;
  EXPECT_EQ(CountAliased(text), 2u);
}

TEST(SharedMemory, WithoutBlocksNothingChanges) {
  NodeParts parts;
  parts.capabilities =
      "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"";
  parts.body = kWorkgroupAllocation;
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%trellis_shared_even = OpVariable %ptr_Workgroup_v4uint Workgroup")) << text;
  EXPECT_EQ(CountAliased(text), 0u);
}

std::optional<uint64_t> SharedBytesOf(const NodeParts& parts) {
  const Module module = ReadTextOrFail(Compose(parts));
  const Expected<LoweredNode> lowered = Lower(module, ReflectParts(parts), {.launch_offset = 64});
  if (!lowered) {
    ADD_FAILURE() << lowered.error().message;
    return std::nullopt;
  }
  return lowered->shared_bytes;
}

// The runtime's two words take 32 bytes.
TEST(SharedMemory, AllOfItIsMeasured) {
  EXPECT_EQ(SharedBytesOf(WithBlocks(kWorkgroupAllocation)), std::nullopt) << "a specialisation constant decides";
  NodeParts fixed = WithBlocks(kWorkgroupAllocation);
  fixed.decorations.erase(fixed.decorations.find("OpDecorate %length SpecId 7\n"), 28);
  fixed.globals.replace(fixed.globals.find("OpSpecConstant"), 14, "OpConstant");
  EXPECT_EQ(SharedBytesOf(fixed), 64u) << "blocks alias: 20 bytes, rounded up to 32";

  NodeParts plain;
  plain.interface = "%input %mine";
  plain.globals = R"(
%mixed = OpTypeStruct %bool %v3uint
%pair = OpTypeArray %mixed %uint_2
%wg_pair = OpTypePointer Workgroup %pair
%wg_bool = OpTypePointer Workgroup %bool
%mine = OpVariable %wg_pair Workgroup
)";
  plain.body =
      std::string("%p = OpAccessChain %wg_bool %mine %int_1 %int_0\nOpStore %p %true\n") + kWorkgroupAllocation;
  EXPECT_EQ(SharedBytesOf(plain), 96u) << "the vector of an element begins at byte 16, the second element at 32";
  plain.body = "%p = OpAccessChain %wg_bool %mine %int_1 %int_0\nOpStore %p %true\n";
  EXPECT_EQ(SharedBytesOf(plain), std::nullopt) << "nothing of it is the layer's";
}

TEST(SharedMemory, NodesThatNeedNoneAddNone) {
  const std::string text = LowerParts(WithBlocks(""));
  EXPECT_EQ(CountLines(text, "* = OpVariable * Workgroup"), 2u) << text;
}

}  // namespace
}  // namespace trellis::spirv
