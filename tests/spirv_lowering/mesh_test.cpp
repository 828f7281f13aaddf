// SPDX-License-Identifier: Apache-2.0
// Mesh nodes: reflection, and the plain mesh shader that they become.
#include <gtest/gtest.h>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/mesh_parts.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kDynamicGrid = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_8 %uint_7";
constexpr const char* kGridMember = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX\n";

NodeParts DynamicMeshParts() {
  NodeParts parts = MeshParts();
  parts.modes = std::string(kMeshModes) + kDynamicGrid;
  parts.decorations += kGridMember;
  return parts;
}

NodeParts WithoutInput(NodeParts parts) {
  parts.declare_input = false;
  parts.interface = "%vertices %triangles %colors %normals";
  return parts;
}

TEST(Mesh, StaticGrid) {
  const NodeInfo info = ReflectParts(MeshParts());
  EXPECT_EQ(info.execution_model, ExecutionModel::kMeshEXT);
  EXPECT_EQ(info.kind, LaunchKind::kStaticGrid);
  EXPECT_EQ(info.grid, (std::array<uint32_t, 3>{2, 3, 4}));
  EXPECT_EQ(info.local_size, (std::array<uint32_t, 3>{4, 1, 1}));
  EXPECT_EQ(info.input.size, 8u);
  EXPECT_FALSE(info.in_batches);
  EXPECT_FALSE(info.packing_obstacle.empty());
  const std::string text = LowerParts(MeshParts());
  EXPECT_TRUE(HasLine(text, "OpEntryPoint MeshEXT * \"main\" ...")) << text;
  EXPECT_TRUE(
      HasLines(text, {"* = OpFunctionCall %void %trellis_start * * * * %uint_0 %uint_1 %uint_0 %false %false",
                      "* = OpFunctionCall %bool %trellis_enter_static * %uint_1 %false", "OpSelectionMerge * None",
                      "OpBranchConditional ...", "* = OpLabel", "* = OpFunctionCall %void %main", "OpBranch *",
                      "* = OpLabel", "OpReturn", "OpFunctionEnd"}))
      << text;
}

// Workgroups past the end return without it: where a second one follows in the module, lavapipe draws nothing.
TEST(Mesh, OutputsAreSetByTheNodeAlone) {
  const std::string text = LowerParts(DynamicMeshParts());
  EXPECT_EQ(CountLines(text, "OpSetMeshOutputsEXT ..."), 1u) << text;
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "OpSetMeshOutputsEXT %uint_4 %uint_2"));
}

TEST(Mesh, ExecutionModesOfThePipelineStay) {
  const std::string text = LowerParts(MeshParts());
  for (const char* mode : {"LocalSize 4 1 1", "OutputVertices 4", "OutputPrimitivesEXT 2", "OutputTrianglesEXT"})
    EXPECT_TRUE(HasLine(text, "OpExecutionMode * " + std::string(mode))) << mode << "\n" << text;
  EXPECT_EQ(CountLines(text, "OpExecutionMode ..."), 4u);
  EXPECT_EQ(CountLines(text, "OpExecutionModeId ..."), 0u);
}

TEST(Mesh, GridOfTheRecord) {
  const NodeInfo info = ReflectParts(DynamicMeshParts());
  EXPECT_EQ(info.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(info.grid_member, (GridMember{4, 4, 1}));
  EXPECT_EQ(info.grid, (std::array<uint32_t, 3>{9, 8, 7}));
  EXPECT_EQ(info.StateWords(), 1u);
  EXPECT_TRUE(info.UsesSearchIndex());
  const std::string text = LowerParts(DynamicMeshParts());
  EXPECT_TRUE(HasLines(
      text,
      {"* = OpFunctionCall %void %trellis_start * * * * %uint_0 %uint_1 %uint_0 %true %false",
       "* = OpFunctionCall %bool %trellis_enter_dynamic %uint_1310724 %uint_1 %uint_0 %uint_1 %true %false %false"}))
      << text;
}

// Dispatches tell the place among their workgroups; the node gets that among the record's.
TEST(Mesh, PlaceInTheGridOfTheRecord) {
  NodeParts parts = MeshParts();
  parts.interface += " %group %invocation %draw";
  parts.capabilities += "\nOpCapability DrawParameters";
  parts.decorations +=
      "OpDecorate %group BuiltIn WorkgroupId\nOpDecorate %invocation BuiltIn GlobalInvocationId\n"
      "OpDecorate %draw BuiltIn DrawIndex\n";
  parts.globals +=
      "%in_int = OpTypePointer Input %int\n%group = OpVariable %in_v3uint Input\n"
      "%invocation = OpVariable %in_v3uint Input\n%draw = OpVariable %in_int Input\n";
  parts.body +=
      "%g = OpLoad %v3uint %group\n%i = OpLoad %v3uint %invocation\n%d = OpLoad %int %draw\n%s = OpIAdd %v3uint %g %i";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%group = OpVariable %ptr_Private_v3uint Private")) << text;
  EXPECT_TRUE(HasLine(text, "%invocation = OpVariable %ptr_Private_v3uint Private"));
  EXPECT_FALSE(HasLine(text, "OpDecorate %group BuiltIn WorkgroupId"));
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn WorkgroupId"), 1u) << "the dispatch's";
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn NumWorkgroups"), 1u);
  EXPECT_TRUE(HasLines(text, {"OpStore %group *", "OpStore %invocation *", "* = OpFunctionCall %void %main"})) << text;
  EXPECT_TRUE(HasLine(text, "OpDecorate %draw BuiltIn DrawIndex")) << "0 in each draw of one command";
}

TEST(Mesh, IdsOfAColumnComeFromTheIndex) {
  NodeParts parts = MeshParts();
  parts.interface += " %local";
  parts.decorations += "OpDecorate %local BuiltIn LocalInvocationId\n";
  parts.globals += "%local = OpVariable %in_v3uint Input\n";
  parts.body += "%l = OpLoad %v3uint %local";
  EXPECT_TRUE(HasLine(LowerParts(parts), "OpDecorate %local BuiltIn LocalInvocationId")) << "four in a row";
  parts.local_size = "OpExecutionMode %main LocalSize 1 4 1";
  const std::string text = LowerParts(parts);
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn LocalInvocationId"), 0u) << text;
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn LocalInvocationIndex"), 1u);
  EXPECT_TRUE(HasLines(text, {"OpStore %local *", "* = OpFunctionCall %void %main"})) << text;
}

TEST(Mesh, WithoutInput) {
  NodeInfo info = ReflectParts(WithoutInput(MeshParts()));
  EXPECT_EQ(info.input.size, 0u);
  EXPECT_FALSE(info.grid_member);
  NodeParts dynamic = WithoutInput(MeshParts());
  dynamic.modes = kMeshModes;
  info = ReflectParts(dynamic);
  EXPECT_EQ(info.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(info.input, (PayloadLayout{12, 4}));
  EXPECT_EQ(info.grid_member, (GridMember{0, 4, 3}));
  EXPECT_TRUE(HasLine(LowerParts(WithoutInput(MeshParts())), "* = OpFunctionCall %bool %trellis_enter_static ..."));
  EXPECT_TRUE(HasLine(LowerParts(dynamic), "* = OpFunctionCall %bool %trellis_enter_dynamic %uint_3407872 ..."));
}

TEST(Mesh, SharedInput) {
  NodeParts parts = DynamicMeshParts();
  parts.modes += "\nOpExecutionModeId %main SharesInputWithAMDX %target_name %uint_3";
  parts.decorations += "OpDecorate %input NonWritable\n";
  const NodeInfo info = ReflectParts(parts);
  EXPECT_TRUE(info.shares_input);
  EXPECT_EQ(info.shares_input_with_name, "target");
  EXPECT_EQ(info.shares_input_with_index, 3u);
  EXPECT_FALSE(info.is_api_entry);
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(
      HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_1 %uint_0 %uint_4 %true %false %false"))
      << "another node may write the record: " << text;
}

TEST(Mesh, ReadAndWrittenInput) {
  NodeParts parts = DynamicMeshParts();
  parts.body +=
      "%p = OpAccessChain %np_uint %input %uint_0 %uint_0\n%v = OpLoad %uint %p\n"
      "%q = OpAccessChain %np_uint %input %uint_0 %uint_1\nOpStore %q %v";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(
      HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_1 %uint_0 %uint_4 %true %false %false"))
      << text;
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "OpStore * %v Aligned 4")) << text;
}

TEST(Mesh, FinishWriting) {
  NodeParts parts = MeshParts();
  parts.decorations += "OpDecorate %record TrackFinishWritingAMDX\n";
  parts.body += "%last = OpFinishWritingNodePayloadAMDX %bool %input";
  EXPECT_TRUE(ReflectParts(parts).finishes_writing);
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_1"))
      << text;
}

TEST(Mesh, ShaderIndexIsASpecialisationConstant) {
  NodeParts parts = MeshParts();
  parts.modes += "\nOpExecutionModeId %main ShaderIndexAMDX %number\nOpExecutionModeId %main IsApiEntryAMDX %false";
  parts.decorations += "OpDecorate %number SpecId 3\n";
  parts.globals += "%number = OpSpecConstant %uint 5\n";
  EXPECT_EQ(ReflectParts(parts).shader_index, 5u);
  const NodeInfo info = ReflectParts(parts, {{3, {7, 0, 0, 0}}});
  EXPECT_EQ(info.shader_index, 7u);
  EXPECT_FALSE(info.is_api_entry);
  EXPECT_FALSE(HasLine(LowerParts(parts), "%number = OpSpecConstant ...")) << "nothing but the mode has it";
  // Code keeps it, and the driver specialises it.
  parts.body += "%twice = OpIAdd %uint %number %number";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLines(text, {"OpDecorate %number SpecId 3", "%number = OpSpecConstant %uint 5",
                              "%twice = OpIAdd %uint %number %number"}))
      << text;
}

// Compilers take what nothing reads out of interfaces; it still tells the payload.
TEST(Mesh, InputThatNothingReads) {
  NodeParts parts = DynamicMeshParts();
  parts.interface = "%vertices %triangles %colors %normals";
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.input, (PayloadLayout{8, 8}));
  EXPECT_EQ(info.grid_member, (GridMember{4, 4, 1}));
  EXPECT_TRUE(HasLine(LowerParts(parts), "* = OpFunctionCall %bool %trellis_enter_dynamic %uint_1310724 ..."));
}

// The fragment stage is matched against the interface: it stays as it was, whether the node writes it or not.
TEST(Mesh, OutputsStay) {
  const std::string text = LowerParts(MeshParts());
  for (const char* line :
       {"OpDecorate %colors PerPrimitiveEXT", "OpDecorate %colors Location 0", "OpDecorate %normals Location 1",
        "OpDecorate %triangles BuiltIn PrimitiveTriangleIndicesEXT", "OpMemberDecorate %vertex 0 BuiltIn Position"})
    EXPECT_TRUE(HasLine(text, line)) << line << "\n" << text;
  EXPECT_EQ(CountLines(text, "* = OpVariable * Output"), 4u) << text;
  EXPECT_TRUE(HasLine(text, "OpEntryPoint MeshEXT * \"main\" %vertices %triangles %colors %normals ...")) << text;
}

TEST(Mesh, OptimiserKeepsOutputs) {
  const Expected<LoweredNode> lowered =
      Lower(ReadTextOrFail(Compose(MeshParts())), ReflectParts(MeshParts()), {.launch_offset = 64});
  ASSERT_TRUE(lowered) << lowered.error().message;
  const Expected<std::vector<uint32_t>> optimized = Optimize(lowered->words);
  ASSERT_TRUE(optimized) << optimized.error().message;
  const Expected<void> valid = Validate(*optimized);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(CountLines(Readable(*optimized), "* = OpVariable * Output"), 4u) << Readable(*optimized);
}

TEST(Mesh, LocalSizeId) {
  NodeParts parts = MeshParts();
  parts.local_size = "OpExecutionModeId %main LocalSizeId %width %uint_2 %uint_1";
  parts.decorations += "OpDecorate %width SpecId 0\n";
  parts.globals += "%width = OpSpecConstant %uint 8\n";
  LowerRequest request;
  request.specialization = {{0, {16, 0, 0, 0}}};
  EXPECT_EQ(ReflectParts(parts, request.specialization).local_size, (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "OpExecutionMode * LocalSize 16 2 1"));
}

TEST(Mesh, ModuleThatDoesNotDeclareShader) {
  std::string text = Compose(MeshParts());
  text.erase(text.find("OpCapability Shader\n"), std::string("OpCapability Shader\n").size());
  LowerRequest request;
  request.execution_model = ExecutionModel::kMeshEXT;
  const std::string lowered = LowerText(text, request);
  EXPECT_TRUE(HasLine(lowered, "OpCapability MeshShadingEXT")) << lowered;
  EXPECT_TRUE(HasLine(lowered, "OpExtension \"SPV_EXT_mesh_shader\""));
  EXPECT_TRUE(HasLine(lowered, "OpEntryPoint MeshEXT ..."));
}

// A mesh stage of a pipeline for graphs need not declare the extension.
TEST(Mesh, PlainMeshShader) {
  constexpr const char* kPlain = R"(
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main "main"
OpExecutionMode %main LocalSize 32 1 1
OpExecutionMode %main OutputVertices 3
OpExecutionMode %main OutputPrimitivesEXT 1
OpExecutionMode %main OutputTrianglesEXT
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%zero = OpConstant %uint 0
%main = OpFunction %void None %fn
%begin = OpLabel
OpSetMeshOutputsEXT %zero %zero
OpReturn
OpFunctionEnd
)";
  const NodeInfo info = ReflectText(kPlain, {}, "main", ExecutionModel::kMeshEXT);
  EXPECT_FALSE(info.has_enqueue_capability);
  EXPECT_EQ(info.grid_member, (GridMember{0, 4, 3}));
  LowerRequest request;
  request.entry_point = "main";
  request.execution_model = ExecutionModel::kMeshEXT;
  EXPECT_TRUE(HasLine(LowerText(kPlain, request), "* = OpFunctionCall %bool %trellis_enter_dynamic ..."));
}

TEST(Mesh, FragmentShaderInTheSameModule) {
  const std::string both = ComposeWithFragment(MeshParts());
  LowerRequest request;
  request.execution_model = ExecutionModel::kMeshEXT;
  const std::string text = LowerText(both, request);
  EXPECT_EQ(CountLines(text, "OpEntryPoint ..."), 1u);
  EXPECT_FALSE(HasLine(text, "OpExecutionMode * OriginUpperLeft"));
  EXPECT_FALSE(HasLine(text, "%pixel_out = OpVariable ..."));
  EXPECT_EQ(CountLines(text, "* = OpVariable * Output"), 4u) << text;
}

TEST(Mesh, ExecutionModelTellsEntryPointsOfOneNameApart) {
  NodeParts parts = MeshParts();
  parts.functions = "%compute = OpFunction %void None %fn_void\n%compute_begin = OpLabel\nOpReturn\nOpFunctionEnd\n";
  std::string text = Compose(parts);
  text.insert(text.find("OpExecutionMode"),
              "OpEntryPoint GLCompute %compute \"node\"\nOpExecutionMode %compute LocalSize 32 1 1\n"
              "OpExecutionModeId %compute StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1\n");
  EXPECT_EQ(ReflectText(text).local_size[0], 32u);
  EXPECT_EQ(ReflectText(text, {}, "node", ExecutionModel::kMeshEXT).local_size[0], 4u);
  EXPECT_TRUE(HasLine(LowerText(text), "OpEntryPoint GLCompute ..."));
  LowerRequest request;
  request.execution_model = ExecutionModel::kMeshEXT;
  EXPECT_TRUE(HasLine(LowerText(text, request), "OpEntryPoint MeshEXT ..."));
  EXPECT_NE(LoweringKey(ReflectText(text), {}).execution_model,
            LoweringKey(ReflectText(text, {}, "node", ExecutionModel::kMeshEXT), {}).execution_model);
}

TEST(Mesh, SubgroupsSearchWhereTheMeshStageCan) {
  const Module module = ReadTextOrFail(Compose(DynamicMeshParts()));
  const NodeInfo info = ReflectParts(DynamicMeshParts());
  for (const bool in_mesh : {false, true}) {
    LowerOptions options;
    options.target.subgroup_aggregation = options.target.subgroup_partition = !in_mesh;
    options.target.mesh_subgroup_search = in_mesh;
    const Expected<LoweredNode> lowered = Lower(module, info, options);
    ASSERT_TRUE(lowered) << lowered.error().message;
    const std::string text = Readable(lowered->words);
    EXPECT_EQ(HasLine(text, "OpCapability GroupNonUniformBallot"), in_mesh);
    EXPECT_EQ(HasLine(text, "* = OpGroupNonUniformBallot ..."), in_mesh);
    EXPECT_FALSE(HasLine(text, "OpCapability GroupNonUniformPartitionedNV"));
  }
}

TEST(Mesh, LaunchAddressBehindThePushConstantsOfTheNode) {
  NodeParts parts = MeshParts();
  parts.interface += " %push";
  parts.decorations +=
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset 16\n";
  parts.globals +=
      "%block = OpTypeStruct %v4float %float\n%ptr_block = OpTypePointer PushConstant %block\n"
      "%push = OpVariable %ptr_block PushConstant\n%ptr_push = OpTypePointer PushConstant %v4float\n";
  parts.body += "%pushed_at = OpAccessChain %ptr_push %push %int_0\n%pushed = OpLoad %v4float %pushed_at\n";
  EXPECT_EQ(ReflectParts(parts).push_constant_end, 20u);
  LowerRequest request;
  request.launch_offset = 24;
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "OpMemberDecorate * 2 Offset 24"));
}

struct Broken {
  const char* name;
  const char* modes;         // more of them
  const char* declarations;  // decorations
  const char* globals;
  const char* body;
  const char* interface;
  const char* message;
};

class MeshRefusal : public testing::TestWithParam<Broken> {};

TEST_P(MeshRefusal, IsExplained) {
  NodeParts parts = MeshParts();
  parts.modes = kMeshModes + std::string(GetParam().modes);
  parts.decorations += GetParam().declarations;
  parts.globals += GetParam().globals;
  parts.body += GetParam().body;
  parts.interface += GetParam().interface;
  const std::string refusal = LoweringRefusal(parts);
  EXPECT_TRUE(Contains(refusal, "node 'node': ")) << refusal;
  EXPECT_TRUE(Contains(refusal, GetParam().message)) << refusal;
}

constexpr const char* kStatic = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1\n";

INSTANTIATE_TEST_SUITE_P(
    Rules, MeshRefusal,
    testing::Values(
        Broken{"allocates", kStatic, "", "", "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_0", "",
               "only compute nodes enqueue"},
        Broken{"enqueues", kStatic, "", "", "OpEnqueueNodePayloadsAMDX %input", "", "only compute nodes enqueue"},
        Broken{"asks_for_a_target", kStatic, "", "", "%is_valid = OpIsNodePayloadValidAMDX %bool %outputs %uint_0", "",
               "only compute nodes have outputs"},
        Broken{"coalesces", "OpExecutionMode %main CoalescingAMDX", "", "", "", "", "only compute nodes coalesce"},
        Broken{"recurses", "OpExecutionModeId %main MaxNodeRecursionAMDX %uint_1", "", "", "", "",
               "MaxNodeRecursionAMDX %"},
        Broken{"counts_workgroups", kStatic, "OpDecorate %count BuiltIn NumWorkgroups\n",
               "%count = OpVariable %in_v3uint Input\n", "%n = OpLoad %v3uint %count", " %count",
               "NumWorkgroups must not be used"},
        Broken{"has_a_task_payload", kStatic, "",
               "%ptr_task = OpTypePointer TaskPayloadWorkgroupEXT %v4float\n"
               "%task = OpVariable %ptr_task TaskPayloadWorkgroupEXT\n",
               "%t = OpLoad %v4float %task", " %task", "TaskPayloadWorkgroupEXT"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::spirv
