// SPDX-License-Identifier: Apache-2.0
// What is refused, and that the message names the GLSL line.
#include <gtest/gtest.h>

#include "tests/front_end/compile_glsl.h"

namespace trellis::spirv {
namespace {

constexpr const char* kStartOfRefused =
    "layout(local_size_x = 4) in; struct Item { uint value; }; struct Task { NODE_GRID uint grid; };\n"
    "NODE_OUTPUT(Item, Work, \"worker\", 8);\n";

// Code begins in line 3 of test.comp.
std::string Refused(const std::string& code) { return RefusalOfGlsl(kStartOfRefused + code); }

void ExpectRefusal(const std::string& code, const std::string& message) {
  const std::string refusal = Refused(code);
  EXPECT_NE(refusal.find(message), std::string::npos) << "got: " << refusal;
}

TEST(Refusals, HandleInAStructure) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nstruct Pair { Work a; uint b; };\nvoid main() { Pair p; p.a = Work_group(1); "
      "node_enqueue(p.a); }",
      "a payload handle of type 'Work' is kept in structure 'Pair'");
}
TEST(Refusals, HandleInAnArray) {
  ExpectRefusal("NODE_STATIC_GRID(1,1,1);\nvoid main() { Work p[2]; p[0] = Work_group(1); node_enqueue(p[0]); }",
                "is kept in an array");
}
TEST(Refusals, HandleFromANumber) {
  ExpectRefusal("NODE_STATIC_GRID(1,1,1);\nvoid main() {\n  Work w = Work(uvec2(1));\n  node_enqueue(w);\n}",
                "test.comp:5: a payload handle cannot be made from a number");
}
TEST(Refusals, AddressOfPayloads) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nlayout(set=0,binding=0) buffer R { uvec2 n; };\nvoid main() {\n  Work w = "
      "Work_group(1);\n  n = uvec2(w);\n  node_enqueue(w);\n}",
      "test.comp:7: OpBitcast on a payload handle");
}
TEST(Refusals, TwoInputs) {
  ExpectRefusal(
      "NODE_INPUT(Task, first);\nNODE_INPUT(Task, second);\nvoid main() { if (first.grid == second.grid) return; }",
      "test.comp:4: a node has one input: 'first' is declared already");
}
TEST(Refusals, FinishWritingWithoutInput) {
  ExpectRefusal("NODE_STATIC_GRID(1,1,1);\nvoid main() {\n  if (node_finish_writing()) return;\n}",
                "test.comp:5: node_finish_writing() in a node without NODE_INPUT");
}
TEST(Refusals, ContentOfAnEmptyPayload) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nNODE_OUTPUT(NodeEmpty, Tick, \"tick\", 1);\nvoid main() {\n  Tick t = "
      "Tick_group(1);\n  t.at[0].node_empty = 1;\n  node_enqueue(t);\n}",
      "test.comp:7: a NodeEmpty payload has no content");
}
TEST(Refusals, MaximumForEachNodeThatIsNotKnown) {
  ExpectRefusal(
      "layout(constant_id = 1) const uint kEach = 2;\nNODE_STATIC_GRID(1,1,1);\n"
      "NODE_ARRAY(8) NODE_MAX_PER_NODE(kEach) NODE_OUTPUT(Item, Next, \"next\", 1);\n"
      "void main() { node_enqueue(Next_group(1)); }",
      "test.comp:5: NODE_MAX_PER_NODE in front of 'Next': the number must be an integer");
}
TEST(Refusals, LimitOfAnUnknownOutput) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nNODE_LIMIT_OF(\"Wrok\") NODE_OUTPUT(Item, Next, \"next\", 1);\nvoid main() { "
      "node_enqueue(Next_group(1)); }",
      "test.comp:4: NODE_LIMIT_OF(\"Wrok\") in front of 'Next': there is no output of that type name");
}
TEST(Refusals, LimitOfOneThatSharesItself) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nNODE_LIMIT_OF(\"Work\") NODE_OUTPUT(Item, A, \"a\", 1);\nNODE_LIMIT_OF(\"A\") "
      "NODE_OUTPUT(Item, B, \"b\", 1);\n"
      "void main() { node_enqueue(A_group(1)); node_enqueue(B_group(1)); }",
      "test.comp:5: NODE_LIMIT_OF(\"A\") in front of 'B': that output must have a maximum of its own");
}
TEST(Refusals, EmptyNodeName) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nNODE_OUTPUT(Item, Next, \"\", 1);\nvoid main() { node_enqueue(Next_group(1)); }",
      "test.comp:4: output 'Next' has no node name");
}
// Declarations are found in the file that was compiled, whose folder is a temporary one.
void ExpectEnd(const std::string& refusal, const std::string& end) {
  EXPECT_TRUE(refusal.ends_with(end)) << "got: " << refusal;
}
TEST(Refusals, MaximaOf0) {
  ExpectEnd(
      Refused("NODE_STATIC_GRID(1,1,1);\nNODE_OUTPUT(Item, Next, \"next\", 0);\nvoid main() {\n  "
              "node_enqueue(Next_thread(gl_LocalInvocationIndex));\n}"),
      "/test.comp:4: the maximum of NODE_OUTPUT 'Next' for node 'next' is 0, so nothing can be enqueued: give the "
      "largest number of payloads that one workgroup allocates");
  ExpectEnd(Refused("NODE_STATIC_GRID(1,1,1);\nNODE_ARRAY(8) NODE_MAX_PER_NODE(0) NODE_OUTPUT(Item, Next, \"next\", "
                    "1);\nvoid main() { node_enqueue(Next_group(1)); }"),
            "/test.comp:4: NODE_MAX_PER_NODE in front of 'Next' for node 'next' is 0, so nothing can be enqueued: give "
            "the largest number of payloads that one workgroup enqueues to one node");
  ExpectEnd(
      Refused("NODE_INPUTS(Item, items, 0);\nvoid main() { node_enqueue(Work_group(items.length())); }"),
      "/test.comp:3: the maximum of NODE_INPUTS 'items' is 0, so no payload can arrive: give the largest number of "
      "payloads that one workgroup takes");
  EXPECT_EQ(Refused("NODE_STATIC_GRID(1,1,1);\nNODE_LIMIT_OF(\"Work\") NODE_OUTPUT(Item, Next, \"next\", 0);\nvoid "
                    "main() { node_enqueue(Next_group(1)); node_enqueue(Work_group(1)); }"),
            "")
      << "the maximum means nothing there";
}
TEST(Refusals, SpirvBefore14) {
  const std::string refusal = RefusalOfGlsl(std::string(kStartOfRefused) + "NODE_STATIC_GRID(1,1,1);\nvoid main() {}",
                                            {.target_environment = "vulkan1.1"});
  EXPECT_NE(refusal.find("use --target-env vulkan1.2 or newer"), std::string::npos) << refusal;
}

// Rules, with the line of the code.
TEST(RulesInGlsl, MoreThanTheMaximum) {
  ExpectRefusal("NODE_STATIC_GRID(1,1,1);\nvoid main() {\n  node_enqueue(Work_group(9));\n}",
                "test.comp:5: warning: [NodeMaxPayloadsAMDX/count] allocates 9 payloads");
}
// Only one of them executes; which one, a specialisation decides.
TEST(RulesInGlsl, WhatMayNeverExecuteIsNoError) {
  const std::string findings = Refused(
      "NODE_STATIC_GRID(1,1,1);\nlayout(constant_id = 1) const bool kMany = false;\nvoid main() {\n"
      "  if (kMany) node_enqueue(Work_group(9)); else node_enqueue(Work_group(8));\n}");
  EXPECT_NE(findings.find("test.comp:6: warning: [NodeMaxPayloadsAMDX/count] allocates 9 payloads"), std::string::npos)
      << findings;
  EXPECT_EQ(findings.find("error"), std::string::npos) << findings;
}
TEST(RulesInGlsl, IndexPastTheNodeArray) {
  ExpectRefusal(
      "NODE_STATIC_GRID(1,1,1);\nNODE_ARRAY(2) NODE_OUTPUT(Item, Next, \"next\", 1);\nvoid main() {\n  "
      "node_enqueue(Next_group(1, 2));\n}",
      "test.comp:6: warning: [PayloadNodeArraySizeAMDX/index]");
}
TEST(RulesInGlsl, NoGridMember) {
  ExpectRefusal("NODE_INPUT(Item, item);\nvoid main() {}", "[PayloadDispatchIndirectAMDX/required]");
}
TEST(RulesInGlsl, SignedGrid) {
  ExpectRefusal("struct Wrong { NODE_GRID ivec2 grid; };\nNODE_INPUT(Wrong, wrong);\nvoid main() {}",
                "[PayloadDispatchIndirectAMDX/type]");
}
TEST(RulesInGlsl, TwoWaysToBeLaunched) {
  ExpectRefusal("NODE_INPUT(Task, task);\nNODE_STATIC_GRID(1,1,1);\nNODE_MAX_GRID(2,1,1);\nvoid main() {}",
                "[StaticNumWorkgroupsAMDX/exclusive]");
  ExpectRefusal("NODE_INPUTS(Item, items, 4);\nNODE_STATIC_GRID(1,1,1);\nvoid main() {}", "[CoalescingAMDX/exclusive]");
}
TEST(RulesInGlsl, SharedInputThatIsWritten) {
  ExpectRefusal("NODE_INPUT(Task, task);\nNODE_SHARES_INPUT(\"other\", 0);\nvoid main() {\n  task.grid = 1;\n}",
                "test.comp:6: error: [SharesInputWithAMDX/NonWritable]");
}
TEST(RulesInGlsl, FinishWritingUntracked) {
  ExpectRefusal("NODE_INPUT(Task, task);\nvoid main() {\n  if (node_finish_writing()) return;\n}",
                "test.comp:5: error: [TrackFinishWritingAMDX/required]");
}
TEST(RulesInGlsl, NumWorkgroups) {
  ExpectRefusal("NODE_STATIC_GRID(1,1,1);\nvoid main() { node_enqueue(Work_group(gl_NumWorkGroups.x)); }",
                "[NumWorkgroups/forbidden]");
}
TEST(RulesInGlsl, MeshNodeEnqueues) {
  const std::string refusal = RefusalOfGlsl(
      "layout(local_size_x = 3) in; layout(triangles, max_vertices = 3, max_primitives = 1) out; struct Item { uint "
      "value; };\nNODE_STATIC_GRID(1,1,1);\n"
      "NODE_OUTPUT(Item, Work, \"worker\", 8);\nvoid main() {\n  node_enqueue(Work_group(1));\n  SetMeshOutputsEXT(0, "
      "0);\n}",
      {.stage = "mesh"}, "#extension GL_EXT_mesh_shader : require\n");
  EXPECT_NE(refusal.find("test.comp:5: error: [OpAllocateNodePayloadsAMDX/execution-model]"), std::string::npos)
      << refusal;
}

}  // namespace
}  // namespace trellis::spirv
