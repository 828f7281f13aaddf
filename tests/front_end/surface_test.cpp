// SPDX-License-Identifier: Apache-2.0
// What each declaration of the header becomes.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/front_end/compile_glsl.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kTask =
    "layout(local_size_x = 8) in;\nstruct Task { NODE_GRID uvec3 grid; uint seed; };\nstruct Item { uint value; vec3 "
    "where; };\n";

std::string TextOf(std::string_view declarations, const GlslOptions& options = {}, std::string_view preamble = {}) {
  return ToText(NodeOrFail(kTask + std::string(declarations), options, preamble));
}

// Lines of `text` that hold `word`.
std::string LinesWith(const std::string& text, const std::string& word) {
  std::string lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.find(word) != std::string::npos) lines += line + "\n";
    at = end + 1;
  }
  return lines;
}

TEST(Surface, CapabilityExtensionAndLogicalAddressing) {
  const std::string text = TextOf(
      "readonly NODE_INPUT(Task, task);\nNODE_OUTPUT(Item, Work, \"worker\", 4);\n"
      "void main() { Work w = Work_group(4); w.at[0].value = task.seed; node_enqueue(w); }");
  EXPECT_TRUE(Contains(text, "OpCapability ShaderEnqueueAMDX"));
  EXPECT_TRUE(Contains(text, "OpExtension \"SPV_AMDX_shader_enqueue\""));
  EXPECT_TRUE(Contains(text, "OpMemoryModel Logical GLSL450"));
  EXPECT_FALSE(Contains(text, "PhysicalStorageBuffer"));
  EXPECT_FALSE(Contains(text, "Aligned"));
  EXPECT_FALSE(Contains(text, "StorageBuffer"));
  EXPECT_FALSE(Contains(text, "UserSemantic"));
  EXPECT_FALSE(Contains(text, "Location"));
}

TEST(Surface, OwnBufferReferencesStay) {
  const std::string text = TextOf(
      "layout(buffer_reference) buffer Real;\nlayout(buffer_reference, std430) buffer Real { uint x; Real next; };\n"
      "struct Link { NODE_GRID uint grid; Real list; };\nNODE_INPUT(Link, link);\nNODE_OUTPUT(Link, Work, \"worker\", "
      "1);\n"
      "void main() { Real r = link.list; r = r.next; Work w = Work_group(1); w.at[0].list = r; w.at[0].grid = r.x; "
      "node_enqueue(w); }");
  EXPECT_TRUE(Contains(text, "OpMemoryModel PhysicalStorageBuffer64 GLSL450"));
  EXPECT_TRUE(Contains(text, "OpCapability PhysicalStorageBufferAddresses"));
  EXPECT_TRUE(Contains(text, "Aligned"));
}

TEST(Surface, InputIsTheOneVariableOfItsClassAndStaysWhenUnused) {
  const Module module = NodeOrFail(std::string(kTask) + "readonly NODE_INPUT(Task, task);\nvoid main() {}");
  ASSERT_EQ(module.entry_points.size(), 1u);
  const Id input = FindId(module, "task");
  ASSERT_NE(input, kNoId);
  const std::vector<uint32_t>& words = module.entry_points[0].operands;
  EXPECT_EQ(std::count(words.begin(), words.end(), input), 1);
  const std::string text = ToText(module);
  EXPECT_EQ(CountOf(text, "OpVariable"), 1u) << text;
  EXPECT_TRUE(Contains(text, "NonWritable"));
  EXPECT_EQ(CountOf(LinesWith(text, "OpDecorateId"), "NodeMaxPayloadsAMDX"), 1u);
}

TEST(Surface, CoalescingInput) {
  const std::string text = TextOf(
      "NODE_INPUTS(Item, items, 16);\nlayout(set = 0, binding = 0) buffer R { uint n; };\n"
      "void main() { n = items.length(); if (gl_LocalInvocationIndex < items.length()) "
      "items[gl_LocalInvocationIndex].value = 1; }");
  EXPECT_EQ(CountOf(text, " CoalescingAMDX"), 1u);
  EXPECT_EQ(CountOf(text, "OpNodePayloadArrayLengthAMDX"), 2u);
  EXPECT_FALSE(Contains(text, "OpArrayLength"));
}

TEST(Surface, ExecutionModesTakeIds) {
  const std::string text = TextOf(
      "NODE_INPUT(Task, task);\nNODE_MAX_GRID(64, 2, "
      "1);\nNODE_INDEX(3);\nNODE_RECURSION(4);\nNODE_API_ENTRY(false);\nvoid main() {}");
  const std::string modes = LinesWith(text, "OpExecutionModeId");
  for (const char* mode : {"MaxNumWorkgroupsAMDX", "ShaderIndexAMDX", "MaxNodeRecursionAMDX", "IsApiEntryAMDX"})
    EXPECT_TRUE(Contains(modes, mode)) << mode;
  EXPECT_TRUE(Contains(TextOf("NODE_STATIC_GRID(4, 1, 1);\nvoid main() {}"), "StaticNumWorkgroupsAMDX"));
}

TEST(Surface, SharedInput) {
  const Module module = NodeOrFail(
      std::string(kTask) +
      "readonly NODE_INPUT(Task, task);\nNODE_NAME_ID(9) NODE_SHARES_INPUT(\"other\", 2 + 1);\nvoid main() {}");
  const auto is_mode = [](const Instruction& mode) {
    return mode.opcode == spv::Op::OpExecutionModeId &&
           mode.operands[1] == static_cast<uint32_t>(spv::ExecutionMode::SharesInputWithAMDX);
  };
  const auto mode = std::find_if(module.execution_modes.begin(), module.execution_modes.end(), is_mode);
  ASSERT_NE(mode, module.execution_modes.end());
  EXPECT_EQ(std::count_if(module.execution_modes.begin(), module.execution_modes.end(), is_mode), 1);
  ASSERT_EQ(mode->operands.size(), 4u);
  const std::string text = ToText(module);
  const std::string name = "%" + std::to_string(mode->operands[2]);
  const std::string index = "%" + std::to_string(mode->operands[3]);
  EXPECT_TRUE(Contains(text, name + " = OpSpecConstantStringAMDX \"other\"\n")) << text;
  EXPECT_TRUE(Contains(text, "OpDecorate " + name + " SpecId 9\n")) << text;
  const std::string index_line = LinesWith(text, index + " = ");
  EXPECT_TRUE(Contains(index_line, " = OpConstant ") && index_line.ends_with(" 3\n")) << index_line;
}

TEST(Surface, OutputDecorations) {
  const std::string text = TextOf(
      "NODE_STATIC_GRID(1, 1, 1);\nNODE_OUTPUT(Item, Plain, \"plain\", 2);\n"
      "NODE_SPARSE NODE_ARRAY(5) NODE_BASE(1) NODE_NAME_ID(7) NODE_LIMIT_OF(\"Plain\")\nNODE_OUTPUT(Item, Rich, "
      "\"rich\", 1);\n"
      "void main() { Rich r = Rich_thread(1, 3); node_enqueue(r); Plain p = Plain_group(2); node_enqueue(p); }");
  const std::string with_ids = LinesWith(text, "OpDecorateId");
  EXPECT_EQ(CountOf(with_ids, "PayloadNodeNameAMDX"), 2u);
  EXPECT_EQ(CountOf(with_ids, "NodeMaxPayloadsAMDX"), 2u);
  EXPECT_EQ(CountOf(with_ids, "PayloadNodeArraySizeAMDX"), 1u);
  EXPECT_EQ(CountOf(with_ids, "PayloadNodeBaseIndexAMDX"), 1u);
  EXPECT_EQ(CountOf(with_ids, "NodeSharesPayloadLimitsWithAMDX"), 1u);
  EXPECT_EQ(CountOf(LinesWith(text, "OpDecorate "), "PayloadNodeSparseArrayAMDX"), 1u);
  EXPECT_TRUE(Contains(text, "OpConstantStringAMDX \"plain\""));
  EXPECT_TRUE(Contains(text, "OpSpecConstantStringAMDX \"rich\""));
  EXPECT_TRUE(Contains(text, "SpecId 7"));
}

TEST(Surface, MaximumForEachNodeOfAnArray) {
  const std::string text = TextOf(
      "NODE_STATIC_GRID(1, 1, 1);\nconst uint kEach = 2 + 1;\n"
      "NODE_ARRAY(64) NODE_MAX_PER_NODE(kEach) NODE_OUTPUT(Item, Many, \"many\", 64);\n"
      "void main() { Many many = Many_thread(1, gl_LocalInvocationIndex); node_enqueue(many); }");
  EXPECT_EQ(CountOf(LinesWith(text, "OpDecorateString"), "UserSemantic \"MaxRecordsPerNode:3\""), 1u) << text;
  EXPECT_EQ(CountOf(text, "UserSemantic"), 1u);
  EXPECT_FALSE(Contains(text, "NodeSharesPayloadLimitsWithAMDX"));
}

// Newer validators: "must appear earlier in the binary than the target".
TEST(Surface, OperandsOfDecorationsAreDeclaredBeforeTheirTargets) {
  const Module module = NodeOrFail(
      std::string(kTask) +
      "layout(constant_id = 1) const uint kMax = 4;\nNODE_STATIC_GRID(1, 1, 1);\n"
      "NODE_LIMIT_OF(\"Late\") NODE_OUTPUT(Item, Early, \"early\", 1);\nNODE_OUTPUT(Item, Late, \"late\", kMax * 2);\n"
      "void main() { Early e = Early_group(1); node_enqueue(e); Late l = Late_group(1); node_enqueue(l); }");
  const auto position = [&](Id id) {
    return std::find_if(module.globals.begin(), module.globals.end(),
                        [&](const Instruction& global) { return global.result_id == id; }) -
           module.globals.begin();
  };
  size_t checked = 0;
  for (const Instruction& annotation : module.annotations) {
    if (annotation.opcode != spv::Op::OpDecorateId) continue;
    EXPECT_LT(position(annotation.operands[2]), position(annotation.operands[0])) << annotation.operands[1];
    ++checked;
  }
  EXPECT_EQ(checked, 5u);
}

TEST(Surface, SpecialisationConstantsWhereverAnIdIsAllowed) {
  const std::string text = TextOf(
      "layout(constant_id = 3) const uint kMax = 2;\nlayout(constant_id = 4) const bool kEntry = true;\nconst uint "
      "kBase = kMax + 1;\n"
      "NODE_INPUT(Task, task);\nNODE_MAX_GRID(kMax * 2, kMax, "
      "1);\nNODE_INDEX(kMax);\nNODE_RECURSION(kMax);\nNODE_API_ENTRY(kEntry);\n"
      "NODE_BASE(kBase) NODE_ARRAY(kMax) NODE_OUTPUT(Item, Work, \"worker\", kMax * kMax);\n"
      "void main() { Work w = Work_group(kMax); node_enqueue(w); }");
  EXPECT_TRUE(Contains(LinesWith(text, "OpSpecConstant "), "OpSpecConstant"));
  EXPECT_EQ(CountOf(text, "OpSpecConstantOp"), 3u) << text;
  EXPECT_TRUE(Contains(text, "OpSpecConstantTrue"));
}

TEST(Surface, SpecialisedInputMaximum) {
  EXPECT_TRUE(
      Contains(TextOf("layout(constant_id = 3) const uint kMax = 2;\nNODE_INPUTS(Item, items, kMax);\nvoid main() {}"),
               "SpecId 3"));
}

TEST(Surface, EmptyPayloads) {
  const std::string text = TextOf(
      "NODE_INPUTS(NodeEmpty, ticks, 64);\nNODE_OUTPUT(NodeEmpty, Tick, \"tick\", 1);\n"
      "void main() { if (ticks.length() == 64) { Tick t = Tick_group(1); node_enqueue(t); } }");
  EXPECT_EQ(CountOf(text, "= OpTypeStruct\n"), 1u) << text;
  EXPECT_FALSE(Contains(text, "NodeEmpty"));
}

TEST(Surface, BuiltInsAreDeclaredOnlyWhenUsed) {
  const std::string unused = TextOf("NODE_STATIC_GRID(1, 1, 1);\nvoid main() {}");
  EXPECT_FALSE(Contains(unused, "BuiltIn ShaderIndexAMDX"));
  EXPECT_FALSE(Contains(unused, "RemainingRecursionLevelsAMDX"));
  const std::string used = TextOf(
      "NODE_STATIC_GRID(1, 1, 1);\nlayout(set = 0, binding = 0) buffer R { uint n; };\n"
      "void main() { n = node_shader_index + node_remaining_recursion; }");
  EXPECT_TRUE(Contains(used, "BuiltIn ShaderIndexAMDX"));
  EXPECT_TRUE(Contains(used, "BuiltIn RemainingRecursionLevelsAMDX"));
}

TEST(Surface, ValidityNamesTheType) {
  const Module module =
      NodeOrFail(std::string(kTask) +
                 "NODE_STATIC_GRID(1, 1, 1);\nNODE_SPARSE NODE_ARRAY(9) NODE_OUTPUT(Item, Work, \"worker\", 1);\n"
                 "void main() { if (Work_valid(gl_WorkGroupID.x)) { Work w = Work_group(1, gl_WorkGroupID.x); "
                 "node_enqueue(w); } }");
  const std::string type = "%" + std::to_string(FindId(module, "Work"));
  EXPECT_TRUE(Contains(LinesWith(ToText(module), "OpIsNodePayloadValidAMDX"), type + " "));
  EXPECT_FALSE(Contains(ToText(module), "OpBitcast"));
}

TEST(Surface, FinishWriting) {
  const Module module = NodeOrFail(
      "layout(local_size_x = 64) in;\nstruct Sum { NODE_GRID uint grid; NODE_TRACKED uint total; };\nNODE_INPUT(Sum, "
      "sum);\n"
      "NODE_OUTPUT(Sum, Next, \"next\", 1);\nshared bool last;\n"
      "void main() { atomicAdd(sum.total, 1); barrier(); if (gl_LocalInvocationIndex == 0) last = true; last = "
      "node_finish_writing();\n"
      "barrier(); if (last) { Next n = Next_group(1); n.at[0].total = sum.total; node_enqueue(n); } }");
  const std::string text = ToText(module);
  EXPECT_TRUE(Contains(LinesWith(text, "OpFinishWritingNodePayloadAMDX"), "%" + std::to_string(FindId(module, "sum"))));
  // On the structures of input and output, not on members, nor on those of local copies.
  EXPECT_EQ(CountOf(LinesWith(text, "OpDecorate "), "TrackFinishWritingAMDX"), 2u);
  EXPECT_EQ(CountOf(text, "TrackFinishWritingAMDX"), 2u);
}

TEST(Surface, ScalarLayout) {
  const std::string body =
      "NODE_OUTPUT(Item, Work, \"worker\", 1);\nNODE_STATIC_GRID(1, 1, 1);\nvoid main() { Work w = Work_group(1); "
      "w.at[0].where = vec3(1); node_enqueue(w); }";
  EXPECT_TRUE(Contains(TextOf(body), "1 Offset 16"));
  EXPECT_TRUE(Contains(TextOf(body, {}, "#define NODE_LAYOUT scalar\n"), "1 Offset 4"));
}

TEST(Surface, SmallAndWideMembers) {
  const std::string text = TextOf(
      "struct Mixed { u16vec2 coordinate; double d; uint64_t n; mat3 m; float f[3]; };\nNODE_STATIC_GRID(1, 1, 1);\n"
      "NODE_OUTPUT(Mixed, Work, \"worker\", 1);\n"
      "void main() { Work w = Work_group(1); w.at[0].coordinate = u16vec2(1us, 2us); w.at[0].d = 2.0lf; w.at[0].n = "
      "3ul;\n"
      "w.at[0].m[1] = vec3(1); w.at[0].f[gl_LocalInvocationIndex % 3] = 4; Mixed copy = w.at[0]; copy.f[0] = 5; "
      "w.at[0] = copy; node_enqueue(w); }",
      {},
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension GL_EXT_shader_16bit_storage : "
      "require\n");
  EXPECT_FALSE(Contains(text, "Aligned"));
}

TEST(Surface, MeshNode) {
  const Module module = NodeOrFail(
      "layout(local_size_x = 3) in;\nlayout(triangles, max_vertices = 3, max_primitives = 1) out;\n"
      "struct Draw { NODE_GRID uvec2 grid; vec4 position[3]; };\nreadonly NODE_INPUT(Draw, draw);\nNODE_MAX_GRID(64, "
      "64, 1);\n"
      "NODE_SHARES_INPUT(\"other node\", 1);\nNODE_API_ENTRY(false);\n"
      "void main() { SetMeshOutputsEXT(3, 1); gl_MeshVerticesEXT[gl_LocalInvocationIndex].gl_Position = "
      "draw.position[gl_LocalInvocationIndex];\n"
      "if (gl_LocalInvocationIndex == 0) gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2); }",
      {.stage = "mesh"}, "#extension GL_EXT_mesh_shader : require\n");
  EXPECT_TRUE(Contains(ToText(module), "OpEntryPoint MeshEXT"));
}

TEST(Surface, PlainComputeShaderIsLeftAlone) {
  const std::string text = TextOf("layout(set = 0, binding = 0) buffer R { uint n; };\nvoid main() { n = 1; }");
  EXPECT_TRUE(Contains(text, "OpTypePointer StorageBuffer"));
  EXPECT_TRUE(Contains(text, "OpEntryPoint GLCompute"));
}

TEST(Surface, EntryPointNameIsTheNodesName) {
  const Module module =
      NodeOrFail(std::string(kTask) + "NODE_STATIC_GRID(1, 1, 1);\nvoid main() {}", {.entry_point = "worker"});
  EXPECT_TRUE(Contains(ToText(module), "\"worker\""));
}

TEST(Surface, OlderVulkanGivesSpirv15) {
  const Module module =
      NodeOrFail(std::string(kTask) + "NODE_INPUT(Task, task);\nvoid main() {}", {.target_environment = "vulkan1.2"});
  EXPECT_EQ(module.version, 0x00010500u);
}

TEST(DebugInformation, LinesSourcesAndNamesAreKeptUntilTheyAreStripped) {
  Expected<RewrittenNode> node =
      RewriteGlsl(std::string(kTask) +
                  "readonly NODE_INPUT(Task, task);\nNODE_OUTPUT(Item, Work, \"worker\", 1);\n"
                  "void main() {\n  Work w = Work_group(1);\n  w.at[0].value = task.seed;\n  node_enqueue(w);\n}");
  ASSERT_TRUE(node) << node.error().message;
  const std::string text = ToText(node->module);
  EXPECT_TRUE(Contains(text, "OpString \"test.comp\""));
  // The allocation carries the line of the call, not that of the header's function.
  const size_t allocation = text.find("OpAllocateNodePayloadsAMDX");
  const std::string before = text.substr(0, allocation);
  EXPECT_TRUE(Contains(before.substr(before.rfind("OpLine")), " 7 ")) << before.substr(before.rfind("OpLine"));
  StripDebugInfo(node->module);
  const std::string stripped = ToText(node->module);
  for (const char* gone : {"OpLine", "OpString", "OpModuleProcessed"}) EXPECT_FALSE(Contains(stripped, gone)) << gone;
  EXPECT_TRUE(Contains(stripped, "OpName"));
}

}  // namespace
}  // namespace trellis::spirv
