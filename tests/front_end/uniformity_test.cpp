// SPDX-License-Identifier: Apache-2.0
// Allocations for the workgroup that not all of its invocations may reach, and those that they do.
#include <gtest/gtest.h>

#include <algorithm>

#include "spirv_lowering/rules/uniformity.h"
#include "tests/front_end/compile_glsl.h"

namespace trellis::spirv {
namespace {

constexpr const char* kSubgroups =
    "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_vote : require\n"
    "#extension GL_KHR_shader_subgroup_ballot : require\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
    "#extension GL_KHR_shader_subgroup_shuffle : require\n";

// Five lines: the code that follows begins in line 6.
constexpr const char* kDeclarations =
    "struct Item { uint value; }; struct Task { NODE_GRID uint grid; uint seed; uint list[8]; };"
    "NODE_INPUT(Task, task); NODE_MAX_GRID(8, 1, 1);\n"
    "layout(set = 0, binding = 1) buffer Data { uint count; uint words[]; } data;\n"
    "layout(set = 0, binding = 2) uniform Values { uint limit; uvec4 table[4]; } values;\n"
    "layout(push_constant) uniform Push { uint mode; }; layout(constant_id = 3) const uint kMode = 1; shared uint "
    "flag;\n"
    "NODE_OUTPUT(Item, Work, \"worker\", 64); NODE_ARRAY(4) NODE_OUTPUT(Item, Many, \"many\", 64);\n";

constexpr const char* kShape = "layout(local_size_x = 32) in;";

std::vector<std::string> WarningsOf(const std::string& declarations, const std::string& code) {
  Expected<RewrittenNode> node = RewriteGlsl(declarations + code, {}, kSubgroups);
  if (!node) {
    ADD_FAILURE() << node.error().message;
    return {};
  }
  std::vector<std::string> lines;
  for (const RuleViolation& violation : CheckUniformity(node->module)) {
    EXPECT_TRUE(violation.tolerated);
    lines.push_back(Describe(violation));
  }
  return lines;
}

// A broadcast node of 32 invocations.
std::vector<std::string> Warnings(const std::string& code, const std::string& shape = kShape) {
  return WarningsOf(shape + kDeclarations, code);
}

std::string Main(const std::string& body) { return "void main() {\n" + body + "}\n"; }

struct Shape {
  const char* name;
  std::string code;
};
std::string ShapeName(const testing::TestParamInfo<Shape>& info) { return info.param.name; }

const std::string kSend = "{ Work w = Work_group(1); w.at[0].value = 1; node_enqueue(w); }\n";

// Each allocates where, or as, not all invocations do.
std::vector<Shape> DivergentShapes() {
  return {
      {"LocalIndex", Main("if (gl_LocalInvocationIndex == 0) " + kSend)},
      {"LocalId", Main("if (gl_LocalInvocationID.x < 3u) " + kSend)},
      {"GlobalId", Main("if (gl_GlobalInvocationID.x < data.count) " + kSend)},
      {"SubgroupInvocation", Main("if (gl_SubgroupInvocationID == 0) " + kSend)},
      {"SubgroupId", Main("if (gl_SubgroupID == 0) " + kSend)},
      {"Elect", Main("if (subgroupElect()) " + kSend)},
      {"Scan", Main("if (subgroupExclusiveAdd(task.seed) == 0) " + kSend)},
      {"Shuffle", Main("if (subgroupShuffle(gl_LocalInvocationIndex, 1) == 0) " + kSend)},
      {"Else", Main("if (gl_LocalInvocationIndex == 0) { data.count = 1; } else " + kSend)},
      {"Nested", Main("if (gl_LocalInvocationIndex == 0) { if (task.seed == 1) " + kSend + "}\n")},
      {"Switch", Main("switch (gl_LocalInvocationIndex & 3) { case 0: data.count = 1; break; case 1: " + kSend +
                      " break; default: break; }\n")},
      {"BufferAtVaryingIndex", Main("if (data.words[gl_LocalInvocationIndex] > 3) " + kSend)},
      {"UniformBufferAtVaryingIndex", Main("if (values.table[gl_LocalInvocationIndex & 3].x > 3) " + kSend)},
      {"PayloadAtVaryingIndex", Main("if (task.list[gl_LocalInvocationIndex & 7] > 3) " + kSend)},
      {"Atomic", Main("if (atomicAdd(data.count, 1) == 0) " + kSend)},
      {"SharedAtomic", Main("if (atomicAdd(flag, 1) == 0) " + kSend)},
      {"Variable", Main("uint i = gl_LocalInvocationIndex; uint j = i * 2 + task.seed; if (j == 6) " + kSend)},
      {"AssignedInABranch",
       Main("bool first = false; if (gl_LocalInvocationIndex == 0) first = true;\nif (first) " + kSend)},
      {"AssignedInTheOtherBranch",
       Main("uint n; if (gl_LocalInvocationIndex == 0) { n = 1; } else { n = 2; }\nif (n == 1) " + kSend)},
      {"Select", Main("uint n = gl_LocalInvocationIndex > 4 ? 1 : 2; if (n == 1) " + kSend)},
      {"ShortCircuit", Main("if (task.seed > 4 && gl_LocalInvocationIndex > 4) " + kSend)},
      {"GlobalVariable",
       "uint mine;\nvoid set() { mine = gl_LocalInvocationIndex; }\n" + Main("set(); if (mine == 1) " + kSend)},
      {"LoopCondition", Main("for (uint i = 0; i < gl_LocalInvocationIndex; ++i) " + kSend)},
      {"LoopBreak", Main("for (uint i = 0; i < 4; ++i) { if (data.words[gl_LocalInvocationIndex + i] == 0) break;\n" +
                         kSend + "}\n")},
      {"LoopContinue", Main("for (uint i = 0; i < 4; ++i) { if (data.words[gl_LocalInvocationIndex + i] == 0) "
                            "continue;\n" +
                            kSend + "}\n")},
      {"LoopDoWhile", Main("uint i = gl_LocalInvocationIndex; do {\n" + kSend + "i += 7; } while (i < 32);\n")},
      {"CountedByALoop",
       Main("uint n = 0; while (n < 4 && data.words[gl_LocalInvocationIndex + n] != 0) ++n;\nif (n == 2) " + kSend)},
      {"FoundByALoop", Main("bool found = false; for (uint i = 0; i < 4; ++i) { if (data.words[gl_LocalInvocationIndex "
                            "+ i] == 0) { found = true; break; } }\nif (found) " +
                            kSend)},
      {"EarlyReturn", Main("if (gl_GlobalInvocationID.x >= data.count) return;\n" + kSend)},
      {"EarlyReturnInALoop",
       Main("for (uint i = 0; i < 4; ++i) { if (data.words[gl_LocalInvocationIndex + i] == 0) return; }\n" + kSend)},
      {"InAFunction", "void send() {\n" + kSend + "}\n" + Main("if (gl_LocalInvocationIndex == 0) send();\n")},
      {"ConditionOfAFunction",
       "bool isFirst() { return gl_LocalInvocationIndex == 0; }\n" + Main("if (isFirst()) " + kSend)},
      {"ReturnedApart", "uint kind(uint x) { if (x == 0) return 1; return 2; }\n" +
                            Main("if (kind(gl_LocalInvocationIndex) == 1) " + kSend)},
      {"OutParameter",
       "void read(out uint x) { x = gl_LocalInvocationIndex; }\n" + Main("uint x; read(x); if (x == 1) " + kSend)},
      {"Parameter", "void send(uint x) { if (x == 1) " + kSend + "}\n" + Main("send(gl_LocalInvocationIndex);\n")},
      {"StructureMember",
       "struct Mine { uint a; uint b; };\n" +
           Main("Mine mine; mine.a = 1; mine.b = gl_LocalInvocationIndex; if (mine.b == 1) " + kSend)},
      {"WholeStructure",
       "struct Mine { uint a; uint b; };\n" +
           Main("Mine mine = Mine(1, gl_LocalInvocationIndex); Mine other = mine; if (other.b == 1) " + kSend)},
      {"ArrayElement", Main("uint list[4]; list[1] = gl_LocalInvocationIndex; if (list[task.seed] == 1) " + kSend)},
      {"VectorComponent", Main("uvec2 both = uvec2(task.seed, gl_LocalInvocationIndex); if (both.yx.x == 1) " + kSend)},
      {"ThreadPayloads", Main("Work mine = Work_thread(gl_LocalInvocationIndex & 1); node_enqueue(mine);\n"
                              "Work w = Work_thread(1); if (node_count(w) == 1) " +
                              kSend + "node_enqueue(w);\n")},
  };
}

class Divergent : public testing::TestWithParam<Shape> {};
TEST_P(Divergent, AllocationIsWarnedOf) {
  const std::vector<std::string> warnings = Warnings(GetParam().code);
  const auto of_allocation = [](const std::string& line) {
    return line.find(
               "warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow] payloads of 'Work' for node 'worker' "
               "are allocated for the workgroup, but some of its invocations may not get here: ") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(), of_allocation), 1) << testing::PrintToString(warnings);
}
INSTANTIATE_TEST_SUITE_P(Uniformity, Divergent, testing::ValuesIn(DivergentShapes()), ShapeName);

// All invocations of a workgroup do the same.
std::vector<Shape> UniformShapes() {
  return {
      {"NoBranch", Main(kSend)},
      {"Constant", Main("if (1 < 2) " + kSend)},
      {"SpecialisationConstant", Main("if (kMode == 2) " + kSend)},
      {"PushConstant", Main("if (mode == 2) " + kSend)},
      {"WorkgroupId", Main("if (gl_WorkGroupID.x == 2) " + kSend)},
      {"ShaderIndex", Main("if (node_shader_index == 2) " + kSend)},
      {"RemainingRecursion", Main("if (node_remaining_recursion == 2) " + kSend)},
      {"Valid", Main("if (Work_valid()) " + kSend)},
      {"SubgroupSize", Main("if (gl_SubgroupSize == 32 && gl_NumSubgroups == 1) " + kSend)},
      {"Payload", Main("if (task.seed == 2) " + kSend)},
      {"PayloadAtUniformIndex", Main("if (task.list[gl_WorkGroupID.x & 7] == 2) " + kSend)},
      {"UniformBuffer", Main("if (values.limit == 2 || values.table[gl_WorkGroupID.x & 3].y == 2) " + kSend)},
      {"BufferAtUniformIndex", Main("if (data.words[task.seed] == 2) " + kSend)},
      {"SharedFlag", Main("if (gl_LocalInvocationIndex == 0) flag = atomicAdd(data.count, 1);\nbarrier(); if (flag == "
                          "2) " +
                          kSend)},
      {"BroadcastFirst", Main("if (subgroupBroadcastFirst(gl_LocalInvocationIndex) == 2) " + kSend)},
      {"Broadcast", Main("if (subgroupBroadcast(data.words[gl_LocalInvocationIndex], 3) == 2) " + kSend)},
      {"Any", Main("if (subgroupAny(gl_LocalInvocationIndex == data.count)) " + kSend)},
      {"Sum", Main("if (subgroupAdd(data.words[gl_LocalInvocationIndex]) == 2) " + kSend)},
      {"BallotCount",
       Main("if (subgroupBallotBitCount(subgroupBallot(data.words[gl_LocalInvocationIndex] == 1)) == 2) " + kSend)},
      {"UniformLoop", Main("for (uint i = 0; i < task.seed; ++i) " + kSend)},
      {"UniformLoopWithBreak", Main("for (uint i = 0; i < task.seed; ++i) { if (data.words[i] == 0) break;\n" + kSend +
                                    "if (data.words[i] == 7) return; }\n")},
      {"BeforeABranch", Main(kSend + "if (gl_LocalInvocationIndex == 0) data.count = 1;\n")},
      {"BehindABranch", Main("if (gl_LocalInvocationIndex == 0) data.count = 1; else data.count = 2;\n" + kSend)},
      {"BehindASwitch", Main("switch (gl_LocalInvocationIndex) { case 0: data.count = 1; break; case 1: data.count = "
                             "2; default: data.count = 3; }\n" +
                             kSend)},
      {"BehindALoop",
       Main("for (uint i = gl_LocalInvocationIndex; i < data.count; i += 32) data.words[i] = 1;\n" + kSend)},
      {"BehindALoopWithBreak", Main("for (uint i = 0; i < 9; ++i) { if (data.words[gl_LocalInvocationIndex + i] == 1) "
                                    "break; data.words[i] = 1; }\n" +
                                    kSend)},
      {"BehindAFunctionThatReturnsEarly",
       "void write() { if (gl_LocalInvocationIndex > data.count) return; data.count = 1; }\n" +
           Main("write();\n" + kSend)},
      {"InAUniformLoopBehindAVaryingOne",
       Main("for (uint i = 0; i < task.seed; ++i) { for (uint j = gl_LocalInvocationIndex; j < 64; j += 32) "
            "data.words[j] = i;\n" +
            kSend + "}\n")},
      {"VariableOfAnotherUse",
       Main("uint n = task.seed; if (n == 1) " + kSend +
            "n = gl_LocalInvocationIndex; data.words[n] = 1; n = 4; if (n == task.seed) " + kSend)},
      {"StructureMember",
       "struct Mine { uint a; uint b; };\n" + Main("Mine mine; mine.a = task.seed; mine.b = gl_LocalInvocationIndex;\n"
                                                   "data.words[mine.b] = 1; Mine other = mine; if (other.a == 1) " +
                                                   kSend)},
      {"ConstantIndexOfAnArray",
       Main(
           "uint list[4]; list[0] = task.seed; list[1] = gl_LocalInvocationIndex; data.words[list[1]] = 1; if (list[0] "
           "== 1) " +
           kSend)},
      {"VectorComponent", Main("uvec2 both = uvec2(task.seed, gl_LocalInvocationIndex); data.words[both.y] = 1; if "
                               "(both.yx.y == 1) " +
                               kSend)},
      {"ComponentOfASum",
       Main("uvec3 at = gl_WorkGroupID * gl_WorkGroupSize + gl_LocalInvocationID; if (at.y == 1) " + kSend)},
      {"LocalIdOfAnUnusedDirection", Main("if (gl_LocalInvocationID.y == 0 && gl_GlobalInvocationID.z == 0) " + kSend)},
      {"FunctionForBoth", "uint hash(uint x) { return x * 747796405u + 2891336453u; }\n" +
                              Main("data.words[hash(gl_LocalInvocationIndex)] = 1; if (hash(task.seed) > 6) " + kSend)},
      {"InOutParameterForBoth", "void step(inout uint x) { if (x > 3) x = x * 5u; else x = 2; }\n" +
                                    Main("uint a = gl_LocalInvocationIndex; step(a); data.words[a] = 1; uint b = "
                                         "task.seed; step(b); if (b > 6) " +
                                         kSend)},
      {"GlobalVariable", "uint mine = 3;\nvoid set() { mine = task.seed; }\n" + Main("set(); if (mine == 1) " + kSend)},
      {"FunctionSends",
       "void send(uint n) { if (n > 2) " + kSend + "}\n" + Main("send(task.seed); send(data.count);\n")},
      {"ThreadAllocation", Main("if (gl_LocalInvocationIndex == 0) { Work w = Work_thread(1); w.at[0].value = 1; "
                                "node_enqueue(w); }\n")},
      {"ThreadAllocationBehindAReturn",
       Main("if (gl_GlobalInvocationID.x >= data.count) return; Work w = Work_thread(1); node_enqueue(w);\n")},
      {"OwnPayloads", Main("Work w = Work_group(task.seed); if (gl_LocalInvocationIndex < node_count(w)) "
                           "w.at[gl_LocalInvocationIndex].value = gl_LocalInvocationIndex;\nbarrier(); if "
                           "(w.at[0].value == 2 && node_count(w) > 1) " +
                           kSend + "node_enqueue(w);\n")},
      {"ChosenHandle", Main("Work w; if (task.seed == 1) w = Work_group(1); else w = Work_group(2);\nnode_enqueue(w);"
                            "\n")},
  };
}

class Uniform : public testing::TestWithParam<Shape> {};
TEST_P(Uniform, NothingIsWarnedOf) {
  const std::vector<std::string> warnings = Warnings(GetParam().code);
  EXPECT_TRUE(warnings.empty()) << testing::PrintToString(warnings);
}
INSTANTIATE_TEST_SUITE_P(Uniformity, Uniform, testing::ValuesIn(UniformShapes()), ShapeName);

void ExpectOnly(const std::vector<std::string>& warnings, const std::string& start) {
  ASSERT_EQ(warnings.size(), 1u) << testing::PrintToString(warnings);
  EXPECT_EQ(warnings[0].substr(0, start.size()), start);
}

TEST(Uniformity, NamesLineOutputBranchAndCause) {
  ExpectOnly(Warnings("void main() {\n  if (gl_LocalInvocationIndex == 3) {\n    Work w = Work_group(1);\n  }\n}\n"),
             "test.comp:8: warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow] payloads of 'Work' for node "
             "'worker' are allocated for the workgroup, but some of its invocations may not get here: the branch at "
             "test.comp:7 depends on LocalInvocationIndex (entry point 'main', %");
}

TEST(Uniformity, NamesTheReturn) {
  ExpectOnly(
      Warnings("void main() {\n  if (atomicAdd(data.count, 1) > 3)\n    return;\n  Work w = Work_group(1);\n}\n"),
      "test.comp:9: warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow] payloads of 'Work' for node "
      "'worker' are allocated for the workgroup, but some of its invocations may not get here: the branch at "
      "test.comp:7, behind which some of them may return, depends on the result of OpAtomicIAdd (");
}

TEST(Uniformity, NamesTheLoop) {
  ExpectOnly(Warnings("void main() {\n  for (uint i = gl_LocalInvocationID.x; i < 9; ++i) {\n    Work w = "
                      "Work_group(1);\n  }\n}\n"),
             "test.comp:8: warning: [OpAllocateNodePayloadsAMDX/uniform-control-flow] payloads of 'Work' for node "
             "'worker' are allocated for the workgroup, but some of its invocations may not get here: how often the "
             "loop at test.comp:7 runs depends on LocalInvocationId (");
}

TEST(Uniformity, Count) {
  ExpectOnly(Warnings("void main() {\n  Work w = Work_group(gl_LocalInvocationIndex & 1);\n}\n"),
             "test.comp:7: warning: [OpAllocateNodePayloadsAMDX/uniform-count] the number of payloads of 'Work' for "
             "node 'worker', allocated for the workgroup, must be the same in all of its invocations, but depends on "
             "LocalInvocationIndex (");
}

TEST(Uniformity, Index) {
  ExpectOnly(Warnings("void main() {\n  Many w = Many_group(1, gl_LocalInvocationIndex & 3);\n}\n"),
             "test.comp:7: warning: [OpAllocateNodePayloadsAMDX/uniform-index] the index of the node that payloads of "
             "'Many' for node 'many', allocated for the workgroup, are for must be the same in all of its invocations, "
             "but depends on LocalInvocationIndex (");
}

TEST(Uniformity, Enqueue) {
  ExpectOnly(Warnings("void main() {\n  Work w = Work_group(1);\n  if (gl_LocalInvocationIndex == 0)\n    "
                      "node_enqueue(w);\n}\n"),
             "test.comp:9: warning: [OpEnqueueNodePayloadsAMDX/uniform-control-flow] payloads that were allocated for "
             "the workgroup are enqueued, but some of its invocations may not get here: the branch at test.comp:8 "
             "depends on LocalInvocationIndex (");
}

TEST(Uniformity, EnqueueOfAHandleThatIsStoredInABranch) {
  ExpectOnly(
      Warnings(
          "void main() {\n  Work w = Work_group(1);\n  Work x;\n  if (gl_LocalInvocationIndex == 0) {\n    x = w;\n"
          "    node_enqueue(x);\n  }\n}\n"),
      "test.comp:11: warning: [OpEnqueueNodePayloadsAMDX/uniform-control-flow] payloads that were allocated for "
      "the workgroup are enqueued, but some of its invocations may not get here: the branch at test.comp:9 "
      "depends on LocalInvocationIndex (");
}

TEST(Uniformity, EnqueueOfOwnPayloadsWhereOthersAreOfTheWorkgroup) {
  EXPECT_EQ(Warnings(Main("Work g = Work_group(1); node_enqueue(g);\n"
                          "if (gl_LocalInvocationIndex == 0) { Work t = Work_thread(1); node_enqueue(t); }\n")),
            std::vector<std::string>());
}

TEST(Uniformity, FinishWriting) {
  const std::string declarations =
      "layout(local_size_x = 32) in; struct Task { NODE_TRACKED NODE_GRID uint grid; };\n"
      "NODE_INPUT(Task, task); NODE_MAX_GRID(8, 1, 1);\n";
  ExpectOnly(WarningsOf(declarations,
                        "void main() {\n  if (gl_LocalInvocationIndex == 0)\n    if (node_finish_writing()) task.grid "
                        "= 2;\n}\n"),
             "test.comp:5: warning: [OpFinishWritingNodePayloadAMDX/uniform-control-flow] the workgroup finishes "
             "writing its input, but some of its invocations may not get here: the branch at test.comp:4 depends on "
             "LocalInvocationIndex (");
  EXPECT_TRUE(WarningsOf(declarations,
                         "void main() { if (node_finish_writing()) { if (gl_LocalInvocationIndex == 0) "
                         "task.grid = 2; } }\n")
                  .empty());
}

TEST(Uniformity, OfAWorkgroupOfOneInvocationEverythingIs) {
  EXPECT_TRUE(Warnings(Main("if (gl_GlobalInvocationID.x == 0) " + kSend), "layout(local_size_x = 1) in;").empty());
  EXPECT_EQ(
      Warnings(Main("if (gl_GlobalInvocationID.x == 0) " + kSend), "layout(local_size_x = 1, local_size_x_id = 9) in;")
          .size(),
      1u);
}

TEST(Uniformity, WhatIsTheSameInASubgroupIsNotInALargeWorkgroup) {
  const std::string code =
      Main("if (subgroupAny(gl_LocalInvocationIndex == data.count)) { Work w = Work_group(1); }\n");
  EXPECT_TRUE(Warnings(code, "layout(local_size_x = 128) in;").empty());
  EXPECT_EQ(Warnings(code, "layout(local_size_x = 129) in;").size(), 1u);
}

TEST(Uniformity, CoalescingNodesHaveTheirPayloadsAtUniformIndices) {
  const std::string declarations = "layout(local_size_x = 32) in; NODE_INPUTS(Item, items, 32);";
  const std::string item = "struct Item { uint value; }; NODE_OUTPUT(Item, Work, \"worker\", 64);";
  const auto warnings = [&](const std::string& condition) {
    return WarningsOf(item + declarations, Main("if (" + condition + ") { Work w = Work_group(1); }\n"));
  };
  EXPECT_TRUE(warnings("items.length() == 32").empty());
  EXPECT_TRUE(warnings("items[0].value == 2").empty());
  EXPECT_EQ(warnings("items[gl_LocalInvocationIndex].value == 2").size(), 1u);
  EXPECT_EQ(warnings("gl_LocalInvocationIndex < items.length()").size(), 1u);
}

// So many blocks and variables that one state has to do for all blocks.
TEST(Uniformity, LargeFunctions) {
  std::string body;
  for (uint32_t i = 0; i < 1500; ++i) {
    const std::string v = "v" + std::to_string(i);
    body += "uint " + v + " = task.seed; if (" + v + " > gl_LocalInvocationIndex) " + v + " += 2;\n";
  }
  const std::string uniform = "uint n = task.seed; n = n * 5; if (n == 3) " + kSend;
  EXPECT_TRUE(Warnings(Main(uniform + body + "if (n == task.seed) " + kSend)).empty());
  EXPECT_EQ(Warnings(Main(body + "if (v1499 == 3) " + kSend)).size(), 1u);
}

// The workgroup's size as a constant, and as literals or ids of the execution mode.
TEST(Uniformity, AllFormsOfTheWorkgroupSize) {
  for (const char* environment : {"vulkan1.2", "vulkan1.3"}) {
    const auto count = [&](const std::string& shape) {
      Expected<RewrittenNode> node =
          RewriteGlsl(shape +
                          "NODE_STATIC_GRID(1, 1, 1); struct Item { uint value; };\n"
                          "NODE_OUTPUT(Item, Work, \"worker\", 1);\n" +
                          Main("if (gl_LocalInvocationIndex == 0) { Work w = Work_group(1); }\n"),
                      {.target_environment = environment});
      EXPECT_TRUE(node) << node.error().message;
      return node ? CheckUniformity(node->module).size() : SIZE_MAX;
    };
    EXPECT_EQ(count("layout(local_size_x = 1) in;"), 0u) << environment;
    EXPECT_EQ(count("layout(local_size_x = 1, local_size_z = 2) in;"), 1u) << environment;
    EXPECT_EQ(count("layout(local_size_x = 1, local_size_x_id = 5) in;"), 1u) << environment;
  }
}

}  // namespace
}  // namespace trellis::spirv
