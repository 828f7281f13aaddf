// SPDX-License-Identifier: Apache-2.0
// Barriers of the node's code must order buffer memory after lowering, and be legal in its memory model.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

NodeParts With(const std::string& barrier, const std::string& constants) {
  NodeParts parts;
  parts.globals = constants;
  parts.body = barrier;
  return parts;
}

TEST(Barriers, PayloadMemoryIsAdded) {
  const std::string text = LowerParts(
      With("OpControlBarrier %uint_2 %uint_2 %s264\nOpMemoryBarrier %uint_1 %s264", "%s264 = OpConstant %uint 264"));
  EXPECT_TRUE(HasLines(FunctionText(text, "main"),
                       {"OpControlBarrier %uint_2 %uint_2 %uint_328", "OpMemoryBarrier %uint_1 %uint_328"}))
      << text;
}

// Barrier(NODE_OUTPUT_MEMORY, DEVICE_SCOPE): AcquireRelease | OutputMemory at scope QueueFamily, in a GLSL450 module.
TEST(Barriers, WhatNeedsTheVulkanMemoryModelGoes) {
  const std::string text =
      LowerParts(With("OpControlBarrier %uint_2 %uint_5 %semantics", "%semantics = OpConstant %uint 4104"));
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "OpControlBarrier %uint_2 %uint_1 %uint_72")) << text;
}

TEST(Barriers, InvocationScopeOrdersNothing) {
  const std::string main =
      FunctionText(LowerParts(With("OpControlBarrier %uint_2 %uint_4 %s264\nOpMemoryBarrier %uint_4 %s264",
                                   "%s264 = OpConstant %uint 264")),
                   "main");
  EXPECT_TRUE(HasLine(main, "OpControlBarrier %uint_2 %uint_4 %uint_0")) << main;
  EXPECT_FALSE(HasLine(main, "OpMemoryBarrier ..."));
}

TEST(Barriers, VulkanMemoryModelKeepsItsOwn) {
  NodeParts parts = With("OpControlBarrier %uint_2 %uint_5 %semantics", "%semantics = OpConstant %uint 4104");
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  EXPECT_TRUE(HasLine(FunctionText(LowerParts(parts), "main"), "OpControlBarrier %uint_2 %uint_5 %uint_4168"));
}

TEST(Barriers, ExecutionOnlyStays) {
  EXPECT_TRUE(HasLine(FunctionText(LowerParts(With("OpControlBarrier %uint_2 %uint_2 %uint_0", "")), "main"),
                      "OpControlBarrier %uint_2 %uint_2 %uint_0"));
}

// The node's only reads are through %chosen, which is one of %first (of the input) and `other`.
std::string ReadsAChoice(const std::string& choice, bool vulkan_memory_model) {
  NodeParts parts;
  parts.capabilities = "OpCapability VariablePointers\n";
  if (vulkan_memory_model) {
    parts.capabilities += "OpCapability VulkanMemoryModel";
    parts.memory_model = "OpMemoryModel Logical Vulkan";
  }
  parts.globals = "%semantics = OpConstant %uint 4104";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_4 %uint_0
%own = OpAccessChain %np_uint %allocated %uint_2 %int_1
OpStore %own %uint_7
OpControlBarrier %uint_2 %uint_5 %semantics
%first = OpAccessChain %np_uint %input %uint_0 %int_1
%second = OpAccessChain %np_uint %input %uint_1 %int_1
%sent = OpAccessChain %np_uint %allocated %uint_3 %int_1
)" + choice + R"(
%value = OpLoad %uint %chosen
OpEnqueueNodePayloadsAMDX %allocated
)";
  return LowerParts(parts);
}

constexpr const char* kSelect = "%chosen = OpSelect %np_uint %true %first %sent";
constexpr const char* kPhi = R"(
OpSelectionMerge %join None
OpBranchConditional %true %then %join
%then = OpLabel
OpBranch %join
%join = OpLabel
%chosen = OpPhi %np_uint %first %main_begin %sent %then
)";
constexpr const char* kCopyOfASelect = R"(
%either = OpSelect %np_uint %true %sent %first
%again = OpSelect %np_uint %true %second %either
%chosen = OpCopyObject %np_uint %again
)";

TEST(Barriers, PayloadsThatMayBeReadThroughAChoiceAreCoherent) {
  for (const char* choice : {kSelect, kPhi, kCopyOfASelect}) {
    const std::string text = ReadsAChoice(choice, false);
    EXPECT_TRUE(HasLine(text, "OpMemberDecorate %record 1 Coherent")) << text;
  }
}

TEST(Barriers, PayloadsThatMayBeReadThroughAChoiceAreNotPrivate) {
  for (const char* choice : {kSelect, kPhi, kCopyOfASelect}) {
    const std::string main = FunctionText(ReadsAChoice(choice, true), "main");
    EXPECT_TRUE(HasLine(main, "OpStore %own %uint_7 Aligned|MakePointerAvailable|NonPrivatePointer ...")) << main;
    EXPECT_TRUE(HasLine(main, "%value = OpLoad %uint %chosen Aligned|MakePointerVisible|NonPrivatePointer ..."))
        << main;
  }
}

TEST(Barriers, ChoicesAmongRecordsOfTheInputReadNoOutput) {
  const std::string choice = "%chosen = OpSelect %np_uint %true %first %second";
  EXPECT_FALSE(HasLine(ReadsAChoice(choice, false), "OpMemberDecorate %record 1 Coherent"));
  EXPECT_TRUE(HasLine(ReadsAChoice(choice, true), "%value = OpLoad %uint %chosen Aligned 4"));
}

}  // namespace
}  // namespace trellis::spirv
