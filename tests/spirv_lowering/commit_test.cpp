// SPDX-License-Identifier: Apache-2.0
// Which allocations take their place in the target's region at once: those whose handle is enqueued exactly once on
// every path. And which nodes cannot send more than they may.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kVariables = "%param = OpVariable %fn_out Function\n%local = OpVariable %fn_out Function";
constexpr const char* kAllocate = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\n";
constexpr const char* kKeep = "%h = OpLoad %outputs %a\nOpStore %local %h\n";
constexpr const char* kEnqueue = "OpEnqueueNodePayloadsAMDX %local\n";
constexpr const char* kCondition =
    "%length = OpNodePayloadArrayLengthAMDX %uint %input\n%many = OpUGreaterThan %bool %length %uint_2\n";

// What the node became: 'r' for each reservation at once, 'd' for each deferred one, 'e' for each enqueue that is left.
std::string Decisions(const std::string& body, const std::string& end = "OpReturn", const std::string& globals = "",
                      const std::string& functions = "") {
  NodeParts parts;
  parts.variables = kVariables;
  parts.body = body;
  parts.end = end;
  parts.globals = globals;
  parts.functions = functions;
  const std::string text = LowerParts(parts);
  std::string decisions;
  decisions.append(CountLines(text, "* = OpFunctionCall %v4uint %trellis_reserve_workgroup ..."), 'r');
  decisions.append(CountLines(text, "* = OpFunctionCall %v4uint %trellis_defer_workgroup ..."), 'd');
  decisions.append(CountLines(text, "* = OpFunctionCall %void %trellis_enqueue_workgroup ..."), 'e');
  const NodeInfo info = ReflectParts(parts);
  const bool heap = std::any_of(info.outputs.begin(), info.outputs.end(),
                                [](const NodeOutputInfo& output) { return output.uses_heap; });
  EXPECT_EQ(heap, decisions.find('d') != std::string::npos) << "what the planner is told about the heap";
  return decisions;
}

std::string If(const std::string& then, const std::string& otherwise = "") {
  return "OpSelectionMerge %join None\nOpBranchConditional %many %then %else\n%then = OpLabel\n" + then +
         "OpBranch %join\n%else = OpLabel\n" + otherwise + "OpBranch %join\n%join = OpLabel\n";
}

// for (i = 0; i < length; ++i) { body }, where body may branch to %continue or %done.
std::string Loop(const std::string& body, const std::string& name = "", const std::string& before = "%main_begin") {
  return "OpBranch %header" + name + "\n%header" + name + " = OpLabel\n%i" + name + " = OpPhi %uint %uint_0 " + before +
         " %next" + name + " %continue" + name + "\n%more" + name + " = OpULessThan %bool %i" + name +
         " %length\nOpLoopMerge %done" + name + " %continue" + name + " None\nOpBranchConditional %more" + name +
         " %work" + name + " %done" + name + "\n%work" + name + " = OpLabel\n" + body + "OpBranch %continue" + name +
         "\n%continue" + name + " = OpLabel\n%next" + name + " = OpIAdd %uint %i" + name +
         " %uint_1\nOpBranch %header" + name + "\n%done" + name + " = OpLabel\n";
}

TEST(Commit, StraightLine) {
  EXPECT_EQ(Decisions(std::string(kAllocate) + kKeep + kEnqueue), "r");
  EXPECT_EQ(Decisions(std::string(kAllocate) + "OpEnqueueNodePayloadsAMDX %a\n"), "r") << "without a variable";
  EXPECT_EQ(Decisions(std::string(kAllocate) + "%h = OpLoad %outputs %a\nOpEnqueueNodePayloadsAMDX %h\n"), "r")
      << "as a value";
}

TEST(Commit, BothInsideOneBranch) {
  EXPECT_EQ(Decisions(std::string(kCondition) + If(std::string(kAllocate) + kKeep + kEnqueue)), "r");
}

TEST(Commit, EnqueueInOneBranchOnly) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + If(kEnqueue)), "de");
}

TEST(Commit, EnqueueInEveryBranch) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + If(kEnqueue, kEnqueue)), "r");
}

TEST(Commit, EnqueueInABranchAndBehindIt) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + If(kEnqueue) + kEnqueue), "dee");
}

TEST(Commit, AllocationInABranchAndEnqueueBehindIt) {
  EXPECT_EQ(Decisions(std::string(kCondition) + If(std::string(kAllocate) + kKeep) + kEnqueue), "de")
      << "the other path enqueues what was never allocated";
}

TEST(Commit, StoreInABranch) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + "%h = OpLoad %outputs %a\n" + If("OpStore %local %h\n") +
                      kEnqueue),
            "de");
}

TEST(Commit, EnqueueBeforeTheStore) {
  EXPECT_EQ(Decisions(std::string(kAllocate) + "%h = OpLoad %outputs %a\n" + kEnqueue + "OpStore %local %h\n"), "de");
}

TEST(Commit, BothInOneLoop) {
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep + kEnqueue)), "r");
}

TEST(Commit, LoopThatContinuesEarly) {
  const std::string skip = "OpSelectionMerge %go None\nOpBranchConditional %many %continue %go\n%go = OpLabel\n";
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep + skip + kEnqueue)), "de");
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(skip + kAllocate + kKeep + kEnqueue)), "r")
      << "skipped before the allocation";
}

TEST(Commit, LoopThatIsLeftEarly) {
  const std::string leave = "OpSelectionMerge %go None\nOpBranchConditional %many %done %go\n%go = OpLabel\n";
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep + leave + kEnqueue)), "de");
}

TEST(Commit, WrittenInALoopBetweenAllocationAndEnqueue) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep +
                      Loop("%target = OpAccessChain %fn_uint %local %i %int_0\nOpStore %target %i\n") + kEnqueue),
            "r");
}

TEST(Commit, AllocatedInALoopAndEnqueuedBehindIt) {
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep) + kEnqueue), "de");
}

TEST(Commit, AllocatedBeforeALoopAndEnqueuedInIt) {
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + Loop(kEnqueue)), "de");
}

TEST(Commit, EnqueuedInAnInnerLoop) {
  EXPECT_EQ(
      Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep + Loop(kEnqueue, "2", "%work"), "")),
      "de");
}

TEST(Commit, BothInAnInnerLoop) {
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(Loop(std::string(kAllocate) + kKeep + kEnqueue, "2", "%work"))),
            "r");
}

TEST(Commit, AroundAnInnerLoop) {
  EXPECT_EQ(
      Decisions(std::string(kCondition) + Loop(std::string(kAllocate) + kKeep + Loop("", "2", "%work") + kEnqueue)),
      "r");
}

TEST(Commit, EnqueuedInTheNextIteration) {
  const std::string late =
      "%first = OpIEqual %bool %i %uint_0\nOpSelectionMerge %go None\nOpBranchConditional %first %go %old\n%old = "
      "OpLabel\n" +
      std::string(kEnqueue) + "OpBranch %go\n%go = OpLabel\n";
  EXPECT_EQ(Decisions(std::string(kCondition) + Loop(late + kAllocate + kKeep)), "de");
}

TEST(Commit, EarlyReturn) {
  const std::string leave =
      "OpSelectionMerge %go None\nOpBranchConditional %many %leave %go\n%leave = OpLabel\nOpReturn\n%go = OpLabel\n";
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + leave + kEnqueue), "de");
  EXPECT_EQ(Decisions(std::string(kCondition) + leave + kAllocate + kKeep + kEnqueue), "r");
}

TEST(Commit, TwoAllocationsInOneVariable) {
  EXPECT_EQ(Decisions(std::string(kCondition) +
                      If(std::string(kAllocate) + kKeep,
                         "%b = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_2 %uint_0\n"
                         "%g = OpLoad %outputs %b\nOpStore %local %g\n") +
                      kEnqueue),
            "dde");
}

TEST(Commit, OneHandleInTwoVariables) {
  EXPECT_EQ(Decisions(std::string(kAllocate) + kKeep + "OpStore %param %h\nOpEnqueueNodePayloadsAMDX %param\n"), "de");
}

TEST(Commit, HandleThatIsReadBackOrPassedOn) {
  EXPECT_EQ(Decisions(std::string(kAllocate) + kKeep + "%again = OpLoad %outputs %local\n" + kEnqueue), "de");
  EXPECT_EQ(Decisions(std::string(kAllocate) + "%r = OpFunctionCall %void %f %a\nOpEnqueueNodePayloadsAMDX %a\n",
                      "OpReturn", "%f_type = OpTypeFunction %void %out_ptr",
                      "%f = OpFunction %void None %f_type\n%p = OpFunctionParameter %out_ptr\n%f_begin = "
                      "OpLabel\nOpReturn\nOpFunctionEnd\n"),
            "de");
}

TEST(Commit, HandleInAModuleVariable) {
  EXPECT_EQ(
      Decisions(
          std::string(kAllocate) + "%h = OpLoad %outputs %a\nOpStore %shared %h\nOpEnqueueNodePayloadsAMDX %shared\n",
          "OpReturn", "%ptr_shared = OpTypePointer Private %outputs\n%shared = OpVariable %ptr_shared Private"),
      "de")
      << "another function may enqueue it";
}

std::string EmptyBlocks(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string label = "%empty" + std::to_string(i);
    text += "OpBranch " + label + "\n" + label + " = OpLabel\n";
  }
  return text;
}

TEST(Commit, BehindManyBlocks) {
  EXPECT_EQ(Decisions(std::string(kAllocate) + kKeep + EmptyBlocks(500) + kEnqueue), "r");
}

// 2^22 blocks are looked at in one function: those behind each of the first allocations, then no more.
TEST(Commit, FarAllocationsAreDeferredPastTheLimit) {
  constexpr int kCount = 2500, kKnown = (1 << 22) / (2 * kCount);
  std::string allocations, enqueues;
  for (int i = 0; i < kCount; ++i) {
    const std::string id = "%a" + std::to_string(i);
    allocations += id + " = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\n";
    enqueues += "OpEnqueueNodePayloadsAMDX " + id + "\n";
  }
  EXPECT_EQ(Decisions(allocations + EmptyBlocks(2 * kCount) + enqueues),
            std::string(kKnown, 'r') + std::string(kCount - kKnown, 'd') + std::string(kCount - kKnown, 'e'));
}

TEST(Commit, NeverEnqueued) {
  EXPECT_EQ(Decisions(kAllocate), "d") << "records that nobody sends";
  EXPECT_EQ(Decisions("%s = OpAllocateNodePayloadsAMDX %signal_ptr %uint_2 %uint_1 %uint_0\n"), "r")
      << "an empty payload needs no enqueue";
  EXPECT_EQ(Decisions(std::string(kCondition) + If("%s = OpAllocateNodePayloadsAMDX %signal_ptr %uint_2 %uint_1 "
                                                   "%uint_0\n%n = OpNodePayloadArrayLengthAMDX %uint %s\n")),
            "r");
  EXPECT_EQ(
      Decisions(std::string(kCondition) + "%s = OpAllocateNodePayloadsAMDX %signal_ptr %uint_2 %uint_1 %uint_0\n" +
                If("OpEnqueueNodePayloadsAMDX %s\n")),
      "de")
      << "an empty payload that is enqueued here and not there";
}

TEST(Commit, InAFunctionThatIsCalledTwice) {
  EXPECT_EQ(Decisions("%r1 = OpFunctionCall %void %f\n%r2 = OpFunctionCall %void %f\n", "OpReturn", "",
                      "%f = OpFunction %void None %fn_void\n%f_begin = OpLabel\n" + std::string(kAllocate) +
                          "OpEnqueueNodePayloadsAMDX %a\nOpReturn\nOpFunctionEnd\n"),
            "r");
}

TEST(Commit, SwitchWithAllPathsEnqueueing) {
  const std::string choose =
      "OpSelectionMerge %join None\nOpSwitch %length %default 0 %zero 1 %one\n%zero = OpLabel\n" +
      std::string(kEnqueue) + "OpBranch %join\n%one = OpLabel\n" + kEnqueue + "OpBranch %join\n%default = OpLabel\n";
  EXPECT_EQ(
      Decisions(std::string(kCondition) + kAllocate + kKeep + choose + kEnqueue + "OpBranch %join\n%join = OpLabel\n"),
      "r");
  EXPECT_EQ(Decisions(std::string(kCondition) + kAllocate + kKeep + choose + "OpBranch %join\n%join = OpLabel\n"),
            "dee");
}

// Whether the limit of %outputs, 4 payloads, holds whatever the node computes.
bool LimitHolds(const std::string& body, const std::string& local_size = "64 1 1", const std::string& functions = "") {
  NodeParts parts;
  parts.local_size = "OpExecutionMode %main LocalSize " + local_size;
  parts.variables = kVariables;
  parts.body = std::string(kCondition) + body;
  parts.functions = functions;
  return ReflectParts(parts).outputs.at(0).limit_holds;
}

std::string AllocateAndEnqueue(const std::string& id, const std::string& scope, const std::string& count) {
  return id + " = OpAllocateNodePayloadsAMDX %out_ptr " + scope + " " + count + " %uint_0\n" +
         "OpEnqueueNodePayloadsAMDX " + id + "\n";
}
constexpr const char* kOfWorkgroup = "%uint_2";
constexpr const char* kOfInvocation = "%uint_4";

TEST(Limits, OfWorkgroups) {
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_4")));
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_9"))) << "is cut";
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%length"))) << "is cut";
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_3") +
                         AllocateAndEnqueue("%b", kOfWorkgroup, "%uint_1")));
  EXPECT_FALSE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_3") +
                          AllocateAndEnqueue("%b", kOfWorkgroup, "%uint_2")));
  EXPECT_FALSE(LimitHolds(AllocateAndEnqueue("%a", kOfWorkgroup, "%length") +
                          AllocateAndEnqueue("%b", kOfWorkgroup, "%uint_1")));
}

TEST(Limits, OfInvocations) {
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfInvocation, "%uint_1"), "2 2 1"));
  EXPECT_FALSE(LimitHolds(AllocateAndEnqueue("%a", kOfInvocation, "%uint_1"), "5 1 1"));
  EXPECT_FALSE(LimitHolds(AllocateAndEnqueue("%a", kOfInvocation, "%uint_2"), "2 2 1"));
  EXPECT_FALSE(LimitHolds(AllocateAndEnqueue("%a", kOfInvocation, "%length"), "2 1 1"));
  EXPECT_TRUE(LimitHolds(AllocateAndEnqueue("%a", kOfInvocation, "%length"), "1 1 1"));
}

TEST(Limits, AllocationsThatRunAgainAndAgain) {
  const std::string once = AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_1");
  EXPECT_TRUE(LimitHolds(If(once)));
  EXPECT_TRUE(LimitHolds(Loop("") + once));
  EXPECT_FALSE(LimitHolds(Loop(once)));
  EXPECT_FALSE(
      LimitHolds("%r = OpFunctionCall %void %f\n", "64 1 1",
                 "%f = OpFunction %void None %fn_void\n%f_begin = OpLabel\n" + once + "OpReturn\nOpFunctionEnd\n"))
      << "who knows how often it is called";
}

// What the heap holds can be enqueued twice.
TEST(Limits, HandlesThatAreEnqueuedOnSomePaths) {
  EXPECT_FALSE(LimitHolds(std::string(kAllocate) + kKeep + If(kEnqueue)));
  EXPECT_TRUE(LimitHolds(std::string(kAllocate) + kKeep + If(kEnqueue, kEnqueue)));
}

// %outputs2 has the limit of %outputs, 4 payloads for both.
TEST(Limits, OfOutputsThatShareThem) {
  const auto reflect = [](const std::string& count, const std::string& count2) {
    NodeParts parts;
    parts.local_size = "OpExecutionMode %main LocalSize 64 1 1";
    parts.decorations = "OpDecorateId %outputs2 NodeSharesPayloadLimitsWithAMDX %outputs";
    parts.variables = kVariables;
    parts.body = std::string(kCondition) + AllocateAndEnqueue("%a", kOfWorkgroup, count) +
                 "%b = OpAllocateNodePayloadsAMDX %out2_ptr %uint_2 " + count2 +
                 " %uint_0\nOpEnqueueNodePayloadsAMDX %b\n";
    return ReflectParts(parts).outputs;
  };
  std::vector<NodeOutputInfo> outputs = reflect("%uint_3", "%uint_1");
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_FALSE(outputs[0].shares_limit_with);
  EXPECT_EQ(outputs[1].shares_limit_with, 0u);
  EXPECT_TRUE(outputs[0].limit_holds && outputs[1].limit_holds);
  outputs = reflect("%uint_3", "%uint_2");
  EXPECT_FALSE(outputs[0].limit_holds || outputs[1].limit_holds) << "5 payloads";
}

TEST(Limits, OfOneNodeOfAnArray) {
  NodeParts parts;
  parts.decorations = "OpDecorateString %outputs UserSemantic \"MaxRecordsPerNode:2\"";
  parts.body = AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_2");
  EXPECT_TRUE(ReflectParts(parts).outputs.at(0).limit_holds);
  parts.body = AllocateAndEnqueue("%a", kOfWorkgroup, "%uint_3");
  EXPECT_FALSE(ReflectParts(parts).outputs.at(0).limit_holds);
}

}  // namespace
}  // namespace trellis::spirv
