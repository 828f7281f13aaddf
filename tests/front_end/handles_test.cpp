// SPDX-License-Identifier: Apache-2.0
// Handles as values: parameters, loops, branches, results.
#include <gtest/gtest.h>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/reflect/reflect.h"
#include "tests/front_end/compile_glsl.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kStart =
    "layout(local_size_x = 4) in;\nstruct Item { uint value; };\nNODE_STATIC_GRID(2, 1, 1);\n"
    "NODE_ARRAY(4) NODE_OUTPUT(Item, Work, \"worker\", 8);\nNODE_OUTPUT(Item, Other, \"other\", 8);\n";

Module NodeWith(const std::string& code) { return NodeOrFail(kStart + code); }

// Reflection and lowering take it too.
void ExpectLowers(const Module& module) {
  const Expected<NodeInfo> info = Reflect(module, "main", {});
  ASSERT_TRUE(info) << info.error().message;
  const Expected<LoweredNode> lowered = Lower(module, *info, {});
  EXPECT_TRUE(lowered) << lowered.error().message;
}

// Committed at allocation: nothing else happened to the handle than to be written and enqueued.
bool IsCommittedEarly(const Module& module) {
  const Expected<NodeInfo> info = Reflect(module, "main", {});
  if (!info) {
    ADD_FAILURE() << info.error().message;
    return false;
  }
  for (const NodeOutputInfo& output : info->outputs) {
    if (output.uses_heap) return false;
  }
  return true;
}

TEST(Handles, OneVariableIsReachedDirectlyAndCommittedEarly) {
  const Module module =
      NodeWith("void main() { Work w = Work_group(4); w.at[gl_LocalInvocationIndex].value = 1; node_enqueue(w); }");
  const std::string text = ToText(module);
  EXPECT_EQ(CountOf(text, "OpAllocateNodePayloadsAMDX"), 1u);
  EXPECT_EQ(CountOf(text, "OpFunctionCall"), 0u) << "the header's functions are inlined";
  EXPECT_EQ(CountOf(text, "OpEnqueueNodePayloadsAMDX"), 1u);
  EXPECT_EQ(CountOf(text, "OpStore"), 2u) << "the handle and the member";
  EXPECT_TRUE(IsCommittedEarly(module));
  ExpectLowers(module);
}

TEST(Handles, AllocationWithoutAVariable) {
  const Module module = NodeWith("void main() { node_enqueue(Work_group(2, 1)); }");
  EXPECT_EQ(CountOf(ToText(module), "OpVariable"), 0u);
  EXPECT_TRUE(IsCommittedEarly(module));
}

TEST(Handles, Parameters) {
  const Module module = NodeWith(
      "void by_value(const Work p, uint v) { p.at[0].value = v; }\nvoid by_copy(Work p, uint v) { p.at[1].value = v; "
      "node_enqueue(p); }\n"
      "void by_reference(inout Work p) { p.at[2].value = 3; }\n"
      "void main() { Work w = Work_group(4); by_value(w, 1); by_reference(w); by_copy(w, 2); }");
  EXPECT_EQ(CountOf(ToText(module), "OpFunctionCall"), 3u);
  ExpectLowers(module);
}

TEST(Handles, ReturnedFromASmallFunctionIsInlined) {
  const Module module = NodeWith(
      "Work make(uint i) { return Work_group(1, i); }\nvoid main() { Work w = make(2); w.at[0].value = 5; "
      "node_enqueue(w); }");
  EXPECT_EQ(CountOf(ToText(module), "OpFunctionCall"), 0u);
  EXPECT_TRUE(IsCommittedEarly(module));
  ExpectLowers(module);
}

TEST(Handles, ReturnedFromAFunctionThatWrites) {
  const Module module = NodeWith(
      "Work make(uint i) { Work w = Work_group(2, i); for (uint k = 0; k < 2; ++k) w.at[k].value = k; return w; }\n"
      "void main() { Work w = make(2); w.at[0].value = 5; node_enqueue(w); }");
  EXPECT_EQ(CountOf(ToText(module), "OpFunctionCall"), 1u);
  ExpectLowers(module);
}

TEST(Handles, AllocatedInALoop) {
  const Module module = NodeWith(
      "void main() { for (uint i = 0; i < 3; ++i) { Work w = Work_group(2, i); w.at[0].value = i; node_enqueue(w); } "
      "}");
  EXPECT_TRUE(IsCommittedEarly(module));
  ExpectLowers(module);
}

TEST(Handles, ChosenByABranchAndByAnOperator) {
  const Module module = NodeWith(
      "layout(set = 0, binding = 0) buffer R { uint n; };\n"
      "void main() { Work a = Work_group(1); Work b = Work_group(1, 1); Work c; if (n == 1) c = a; else c = b; Work d "
      "= n == 2 ? a : b;\n"
      "c.at[0].value = 1; d.at[0].value = node_count(d); node_enqueue(a); node_enqueue(b); }");
  ExpectLowers(module);
}

TEST(Handles, ChosenBetweenAllocations) {
  const Module module = NodeWith(
      "layout(set = 0, binding = 0) buffer R { uint n; };\nvoid main() { Work w; if (n == 1) { w = Work_group(1); } "
      "else { w = Work_group(2, 3); }\n"
      "w.at[0].value = 7; node_enqueue(w); }");
  ExpectLowers(module);
}

// The handle is loaded, then the variable gets another one before the first is used: the first needs a variable of its
// own.
TEST(Handles, VariableThatChangesBetweenLoadAndUse) {
  const Module module = NodeWith(
      "Work kept;\nuint change() { kept = Work_group(1, 1); return 0; }\n"
      "void main() { kept = Work_group(1); kept.at[change()].value = 1; node_enqueue(kept); }");
  const std::string text = ToText(module);
  ExpectLowers(module);
  EXPECT_EQ(CountOf(text, "OpVariable"), 2u) << "the private variable and the spilled handle";
}

TEST(Handles, ReadBackAtomicsAndWholeRecords) {
  const Module module = NodeWith(
      "void main() { Work w = Work_group(4); w.at[0].value = 1; barrier(); atomicAdd(w.at[0].value, 2); w.at[1] = "
      "w.at[0]; Item copy = w.at[1]; copy.value++;\n"
      "w.at[2] = copy; w.at[3].value = atomicMax(w.at[2].value, 9); node_enqueue(w); }");
  EXPECT_EQ(CountOf(ToText(module), "OpAtomic"), 2u);
  ExpectLowers(module);
}

TEST(Handles, TwoTypesAtOnce) {
  const Module module = NodeWith(
      "void main() { Work w = Work_group(1); Other o = Other_thread(gl_LocalInvocationIndex); for (uint i = 0; i < "
      "node_count(o); ++i) o.at[i].value = i;\n"
      "w.at[0].value = 2; node_enqueue(o); node_enqueue(w); }");
  EXPECT_EQ(CountOf(ToText(module), "OpEnqueueNodePayloadsAMDX"), 2u);
  EXPECT_TRUE(IsCommittedEarly(module));
  ExpectLowers(module);
}

TEST(Handles, UnusedOutputLeavesNothing) {
  const std::string text = ToText(NodeWith("void main() {}"));
  EXPECT_FALSE(Contains(text, "OpTypeNodePayloadArrayAMDX"));
  EXPECT_FALSE(Contains(text, "worker"));
}

TEST(Handles, VulkanMemoryModel) {
  const Module module = NodeOrFail(std::string("#pragma use_vulkan_memory_model\n") + kStart +
                                   "void main() { Work w = Work_group(4); w.at[gl_LocalInvocationIndex].value = 1; "
                                   "barrier(); w.at[0].value += w.at[1].value; node_enqueue(w); }");
  EXPECT_TRUE(Contains(ToText(module), "OpMemoryModel Logical Vulkan"));
  ExpectLowers(module);
}

}  // namespace
}  // namespace trellis::spirv
