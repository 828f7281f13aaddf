// SPDX-License-Identifier: Apache-2.0
// LoweringTarget::check_allocations: what is called before allocations, and that nothing is where it is off.
#include <gtest/gtest.h>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// Scopes of allocations.
constexpr const char* kWorkgroup = "%uint_2";
constexpr const char* kInvocation = "%uint_4";

NodeParts Allocating(const std::string& scope) {
  NodeParts parts;
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr " + scope + " %uint_3 %uint_1\nOpEnqueueNodePayloadsAMDX %a";
  return parts;
}

// The function "main" of the lowered node, which must be valid.
std::string LowerWith(const NodeParts& parts, LowerOptions options, uint32_t packed = 1) {
  const Module module = ReadTextOrFail(Compose(parts));
  NodeInfo info = ReflectParts(parts);
  info.packed = packed;
  options.launch_offset = 64;
  const Expected<LoweredNode> lowered = Lower(module, info, options);
  if (!lowered) {
    ADD_FAILURE() << lowered.error().message;
    return {};
  }
  const Expected<void> valid = Validate(lowered->words);
  EXPECT_TRUE(valid) << valid.error().message;
  return FunctionText(Readable(lowered->words), "main");
}

TEST(CheckAllocations, TheCheckComesFirstWithTheArgumentsOfTheAllocation) {
  const std::string main = LowerWith(Allocating(kWorkgroup), {.target = {.check_allocations = true}});
  EXPECT_TRUE(
      HasLines(main, {"* = OpFunctionCall %void %trellis_check_workgroup %uint_0 %uint_3 %uint_1 %uint_4 %uint_0",
                      "%a = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_0 %uint_3 %uint_1 %uint_4"}))
      << main;
}

// Messages name nodes by their shader index.
TEST(CheckAllocations, ChecksKnowTheBaseIndex) {
  NodeParts parts = Allocating(kWorkgroup);
  parts.decorations = "OpDecorateId %outputs PayloadNodeBaseIndexAMDX %uint_7";
  const std::string main = LowerWith(parts, {.target = {.check_allocations = true}});
  EXPECT_TRUE(
      HasLine(main, "* = OpFunctionCall %void %trellis_check_workgroup %uint_0 %uint_3 %uint_1 %uint_4 %uint_7"))
      << main;
}

TEST(CheckAllocations, NothingIsCalledWithoutThem) {
  for (const char* scope : {kWorkgroup, kInvocation}) {
    const std::string main = LowerWith(Allocating(scope), {});
    for (const char* check : {"workgroup", "invocations", "single"})
      EXPECT_FALSE(HasLine(main, std::string("* = OpFunctionCall %void %trellis_check_") + check + " ...")) << main;
  }
}

// NodeMaxPayloadsAMDX counts what all invocations of a workgroup allocate, so they are added up.
TEST(CheckAllocations, InvocationsAreCountedTogether) {
  for (const bool together : {false, true}) {
    const std::string main =
        LowerWith(Allocating(kInvocation), {.target = {.workgroup_aggregation = together, .check_allocations = true}});
    EXPECT_EQ(
        CountLines(main, "* = OpFunctionCall %void %trellis_check_invocations %uint_0 %uint_3 %uint_1 %uint_4 %uint_0"),
        1u)
        << main;
  }
}

// Packed nodes are workgroups of one invocation each: no barrier may stand in them.
TEST(CheckAllocations, PackedNodesAreCheckedOneByOne) {
  NodeParts parts = Allocating(kInvocation);
  parts.local_size = "OpExecutionMode %main LocalSize 1 1 1";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  for (const uint32_t packed : {1u, 64u}) {
    const std::string main = LowerWith(parts, {.target = {.check_allocations = true}}, packed);
    EXPECT_EQ(
        CountLines(main, "* = OpFunctionCall %void %trellis_check_single %uint_0 %uint_3 %uint_1 %uint_4 %uint_0"), 1u)
        << main;
    EXPECT_FALSE(HasLine(main, "* = OpFunctionCall %void %trellis_check_invocations ...")) << main;
  }
}

// An allocation that goes through the heap is checked where it is made, not where it is enqueued.
TEST(CheckAllocations, DeferredAllocationsAreCheckedToo) {
  NodeParts parts = Allocating(kWorkgroup);
  parts.body =
      "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_3 %uint_1\n"
      "OpSelectionMerge %after None\nOpBranchConditional %true %then %after\n"
      "%then = OpLabel\nOpEnqueueNodePayloadsAMDX %a\nOpBranch %after\n%after = OpLabel";
  const std::string main = LowerWith(parts, {.target = {.check_allocations = true}});
  EXPECT_TRUE(
      HasLines(main, {"* = OpFunctionCall %void %trellis_check_workgroup %uint_0 %uint_3 %uint_1 %uint_4 %uint_0",
                      "%a = OpFunctionCall %v4uint %trellis_defer_workgroup %uint_0 %uint_3 %uint_1 %uint_4"}))
      << main;
  EXPECT_EQ(CountLines(main, "* = OpFunctionCall %void %trellis_check_workgroup ..."), 1u);
}

}  // namespace
}  // namespace trellis::spirv
