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

}  // namespace
}  // namespace trellis::spirv
