// SPDX-License-Identifier: Apache-2.0
// What reflection reads out of nodes.
#include <gtest/gtest.h>

#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/node_module.h"
#include "spirv_lowering/reflect/payload_scalars.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

using Grid = std::array<uint32_t, 3>;

Specialization Words(std::initializer_list<std::pair<uint32_t, uint32_t>> values) {
  Specialization specialization;
  for (const auto& [id, value] : values) {
    specialization[id] = {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
                          static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 24)};
  }
  return specialization;
}

TEST(Reflect, Defaults) {
  NodeParts parts;
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.entry_point, "node");
  EXPECT_EQ(info.shader_index, 0u);
  EXPECT_EQ(info.kind, LaunchKind::kCoalescing);
  EXPECT_EQ(info.coalesce, 4u);
  EXPECT_EQ(info.local_size, (Grid{64, 1, 1}));
  EXPECT_TRUE(info.is_api_entry);
  EXPECT_FALSE(info.declares_recursion);
  EXPECT_FALSE(info.shares_input);
  EXPECT_TRUE(info.has_enqueue_capability);
  EXPECT_EQ(info.input.size, 8u);
  EXPECT_EQ(info.input.alignment, 8u);
  EXPECT_FALSE(info.grid_member);
  EXPECT_FALSE(info.writes_input);
  EXPECT_TRUE(info.outputs.empty());
  EXPECT_EQ(info.push_constant_end, 0u);
  EXPECT_FALSE(info.vulkan_memory_model);
}

TEST(Reflect, StaticGridWinsOverTheGridMember) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  parts.decorations = "OpMemberDecorate %record 0 PayloadDispatchIndirectAMDX";
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.kind, LaunchKind::kStaticGrid);
  EXPECT_EQ(info.grid, (Grid{2, 3, 4}));
  EXPECT_EQ(info.coalesce, 1u);
  EXPECT_FALSE(info.grid_member);
}

TEST(Reflect, DynamicGridWithAndWithoutBound) {
  NodeParts parts;
  parts.decorations = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX";
  parts.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_1 %uint_2";
  NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(info.grid, (Grid{9, 1, 2}));
  ASSERT_TRUE(info.grid_member);
  EXPECT_EQ(info.grid_member->offset, 4u);
  EXPECT_EQ(info.grid_member->component_width, 4u);
  EXPECT_EQ(info.grid_member->component_count, 1u);
  parts.modes = "";
  info = ReflectParts(parts);
  EXPECT_EQ(info.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(info.grid, (Grid{0, 0, 0}));
}

std::vector<PayloadScalar> ScalarsOf(const NodeParts& parts, size_t max_scalars = 100) {
  Expected<Module> module = ReadNodeModule(AssembleOrFail(Compose(parts)));
  EXPECT_TRUE(module);
  return ReadInputScalars(*module, "node", {}, ExecutionModel::kGLCompute, max_scalars);
}

TEST(Reflect, ScalarsOfAPayload) {
  NodeParts parts;
  EXPECT_EQ(ScalarsOf(parts),
            (std::vector<PayloadScalar>{{"member0", 0, ScalarKind::kUint, 32}, {"member1", 4, ScalarKind::kUint, 32}}));
  parts.declare_input = false;
  parts.interface = "";
  EXPECT_TRUE(ScalarsOf(parts).empty());
}

TEST(Reflect, ScalarsOfNestedMembers) {
  NodeParts parts;
  parts.declare_input = false;
  parts.modes = R"(OpExecutionMode %main CoalescingAMDX
OpMemberName %light 0 "color"
OpMemberName %light 1 "on"
OpMemberName %scene 0 "lights"
OpMemberName %scene 2 "view"
)";
  parts.decorations = R"(
OpMemberDecorate %light 0 Offset 0
OpMemberDecorate %light 1 Offset 12
OpMemberDecorate %scene 0 Offset 0
OpMemberDecorate %scene 1 Offset 32
OpMemberDecorate %scene 2 Offset 40
OpMemberDecorate %scene 2 MatrixStride 8
OpMemberDecorate %scene 2 RowMajor
OpDecorate %lights ArrayStride 16
OpDecorateId %scenes NodeMaxPayloadsAMDX %uint_4
)";
  parts.globals = R"(
%v2float = OpTypeVector %float 2
%m2 = OpTypeMatrix %v2float 2
%v3float = OpTypeVector %float 3
%light = OpTypeStruct %v3float %int
%lights = OpTypeArray %light %uint_2
%scene = OpTypeStruct %lights %uint %m2
%scenes = OpTypeNodePayloadArrayAMDX %scene
%scenes_ptr = OpTypePointer NodePayloadAMDX %scenes
%input = OpVariable %scenes_ptr NodePayloadAMDX
)";
  std::vector<PayloadScalar> expected;
  for (const uint32_t light : {0u, 1u}) {
    const std::string name = "lights[" + std::to_string(light) + "]";
    const char* const components[] = {".color.x", ".color.y", ".color.z"};
    for (uint32_t i = 0; i < 3; ++i)
      expected.push_back({name + components[i], 16 * light + 4 * i, ScalarKind::kFloat, 32});
    expected.push_back({name + ".on", 16 * light + 12, ScalarKind::kInt, 32});
  }
  expected.push_back({"member1", 32, ScalarKind::kUint, 32});
  // Row-major: the second component of a column is a row further.
  expected.push_back({"view[0].x", 40, ScalarKind::kFloat, 32});
  expected.push_back({"view[0].y", 48, ScalarKind::kFloat, 32});
  expected.push_back({"view[1].x", 44, ScalarKind::kFloat, 32});
  expected.push_back({"view[1].y", 52, ScalarKind::kFloat, 32});
  EXPECT_EQ(ScalarsOf(parts), expected);
  expected.resize(3);
  EXPECT_EQ(ScalarsOf(parts, 3), expected);
}

// 2^60 structures, none of which holds anything.
TEST(Reflect, ScalarsOfEmptyMembers) {
  NodeParts parts;
  parts.declare_input = false;
  parts.decorations = "OpDecorateId %all NodeMaxPayloadsAMDX %uint_4\n";
  parts.globals = "%s0 = OpTypeStruct\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string inner = " %s" + std::to_string(i - 1), outer = "%s" + std::to_string(i);
    parts.globals += outer + " = OpTypeStruct" + inner + inner + "\n";
    for (const char* member : {" 0", " 1"}) parts.decorations += "OpMemberDecorate " + outer + member + " Offset 0\n";
  }
  parts.globals +=
      "%all = OpTypeNodePayloadArrayAMDX %s60\n%all_ptr = OpTypePointer NodePayloadAMDX %all\n"
      "%input = OpVariable %all_ptr NodePayloadAMDX\n";
  EXPECT_TRUE(ScalarsOf(parts).empty());
}

TEST(Reflect, OtherModes) {
  NodeParts parts;
  parts.modes = R"(
OpExecutionMode %main CoalescingAMDX
OpExecutionModeId %main ShaderIndexAMDX %uint_7
OpExecutionModeId %main IsApiEntryAMDX %false
OpExecutionModeId %main MaxNodeRecursionAMDX %uint_5
)";
  NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.shader_index, 7u);
  EXPECT_FALSE(info.is_api_entry);
  EXPECT_TRUE(info.declares_recursion);
  EXPECT_EQ(info.max_recursion, 5u);
  parts.modes =
      "OpExecutionMode %main CoalescingAMDX\nOpExecutionModeId %main SharesInputWithAMDX %target_name %uint_3";
  info = ReflectParts(parts);
  EXPECT_TRUE(info.shares_input);
  EXPECT_EQ(info.shares_input_with_name, "target");
  EXPECT_EQ(info.shares_input_with_index, 3u);
  EXPECT_FALSE(info.is_api_entry) << "a sharing node is never started by the API";
}

struct GridCase {
  const char* type;
  uint32_t width, count;
};

class ReflectGrid : public testing::TestWithParam<GridCase> {};

TEST_P(ReflectGrid, MemberOfANestedStructure) {
  const GridCase& grid = GetParam();
  NodeParts parts;
  parts.modes = "";
  parts.capabilities = "OpCapability Int16\nOpCapability Int8";
  parts.globals = R"(
%ushort = OpTypeInt 16 0
%uchar = OpTypeInt 8 0
%v2ushort = OpTypeVector %ushort 2
%v3ushort = OpTypeVector %ushort 3
%v2uchar = OpTypeVector %uchar 2
%a2uint = OpTypeArray %uint %uint_2
%a3ushort = OpTypeArray %ushort %uint_3
)";
  parts.globals += std::string("%inner = OpTypeStruct %uint ") + grid.type + "\n%outer = OpTypeStruct %uint %inner\n";
  parts.globals +=
      "%outers = OpTypeNodePayloadArrayAMDX %outer\n%outer_ptr = OpTypePointer NodePayloadAMDX %outers\n%outer_input = "
      "OpVariable %outer_ptr NodePayloadAMDX\n";
  parts.decorations = R"(
OpDecorate %a2uint ArrayStride 4
OpDecorate %a3ushort ArrayStride 2
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 4
OpMemberDecorate %inner 1 PayloadDispatchIndirectAMDX
OpMemberDecorate %outer 0 Offset 0
OpMemberDecorate %outer 1 Offset 8
OpDecorateId %outers NodeMaxPayloadsAMDX %uint_1
)";
  parts.declare_input = false;
  parts.interface = "%outer_input";
  const NodeInfo info = ReflectParts(parts);
  ASSERT_TRUE(info.grid_member);
  EXPECT_EQ(info.grid_member->offset, 12u);
  EXPECT_EQ(info.grid_member->component_width, grid.width);
  EXPECT_EQ(info.grid_member->component_count, grid.count);
  EXPECT_EQ(info.input.size, 12 + grid.width * grid.count);
  EXPECT_TRUE(HasLine(LowerParts(parts), "* = OpFunctionCall %bool %trellis_enter_dynamic ..."));
}

INSTANTIATE_TEST_SUITE_P(Types, ReflectGrid,
                         testing::Values(GridCase{"%uint", 4, 1}, GridCase{"%int", 4, 1}, GridCase{"%v2uint", 4, 2},
                                         GridCase{"%v3uint", 4, 3}, GridCase{"%ushort", 2, 1},
                                         GridCase{"%v2ushort", 2, 2}, GridCase{"%v3ushort", 2, 3},
                                         GridCase{"%uchar", 1, 1}, GridCase{"%v2uchar", 1, 2},
                                         GridCase{"%a2uint", 4, 2}, GridCase{"%a3ushort", 2, 3}),
                         [](const auto& info) { return std::string(info.param.type).substr(1); });

TEST(Reflect, InputAsBareStructure) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.globals = "%bare = OpVariable %np_record NodePayloadAMDX";
  EXPECT_EQ(ReflectParts(parts).input.size, 8u);
}

TEST(Reflect, InputAsOrdinaryArray) {
  for (const char* array : {"OpTypeArray %record %uint_8", "OpTypeRuntimeArray %record"}) {
    NodeParts parts;
    parts.declare_input = false;
    parts.interface = "%plain";
    parts.globals =
        std::string("%array = ") + array +
        "\n%array_ptr = OpTypePointer NodePayloadAMDX %array\n%plain = OpVariable %array_ptr NodePayloadAMDX";
    parts.decorations = "OpDecorate %array ArrayStride 8";
    const NodeInfo info = ReflectParts(parts);
    EXPECT_EQ(info.input.size, 8u);
    EXPECT_EQ(info.coalesce, 1u);
  }
}

TEST(Reflect, NoInput) {
  NodeParts parts;
  parts.declare_input = false;
  NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.input.size, 0u) << "coalescing";
  EXPECT_EQ(info.coalesce, 1u);
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  EXPECT_EQ(ReflectParts(parts).input.size, 0u) << "static";
  parts.modes = "";
  info = ReflectParts(parts);
  EXPECT_EQ(info.input.size, 12u) << "a dynamic grid comes as three words";
  ASSERT_TRUE(info.grid_member);
  EXPECT_EQ(info.grid_member->component_count, 3u);
}

TEST(Reflect, InputStrippedFromTheInterface) {
  NodeParts parts;
  parts.interface = "";
  EXPECT_EQ(ReflectParts(parts).input.size, 8u);
  EXPECT_EQ(ReflectParts(parts).coalesce, 4u);
}

// A second node without input must not take the first one's for its own.
TEST(Reflect, InputOfAnotherEntryPointIsNotTaken) {
  NodeParts parts;
  parts.functions = "%other = OpFunction %void None %fn_void\n%other_begin = OpLabel\nOpReturn\nOpFunctionEnd\n";
  std::string text = Compose(parts);
  text.insert(text.find("OpExecutionMode"),
              "OpEntryPoint GLCompute %other \"second\"\nOpExecutionMode %other LocalSize 1 1 1\n");
  const NodeInfo second = ReflectText(text, {}, "second");
  EXPECT_EQ(second.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(second.input.size, 12u);
  EXPECT_EQ(ReflectText(text).input.size, 8u);
}

TEST(Reflect, GridWithoutMemberIsTheFirstThreeWords) {
  NodeParts parts;
  parts.modes = "";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.globals =
      "%wide = OpTypeStruct %v3uint %uint\n%wide_ptr = OpTypePointer NodePayloadAMDX %wide\n%bare = OpVariable "
      "%wide_ptr NodePayloadAMDX";
  parts.decorations = "OpMemberDecorate %wide 0 Offset 0\nOpMemberDecorate %wide 1 Offset 12";
  const NodeInfo info = ReflectParts(parts);
  ASSERT_TRUE(info.grid_member);
  EXPECT_EQ(info.grid_member->offset, 0u);
  EXPECT_EQ(info.grid_member->component_count, 3u);
}

TEST(Reflect, WritesInput) {
  NodeParts parts;
  parts.body = "%member = OpAccessChain %np_uint %input %uint_0 %int_0\n%value = OpLoad %uint %member";
  EXPECT_FALSE(ReflectParts(parts).writes_input);
  parts.body = "%member = OpAccessChain %np_uint %input %uint_0 %int_0\nOpStore %member %uint_1";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.body =
      "%member = OpAccessChain %np_uint %input %uint_0 %int_0\n%old = OpAtomicIAdd %uint %member %uint_1 %uint_0 "
      "%uint_1";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.variables = "%ptr = OpVariable %fn_in Function";
  parts.globals = "%fn_in = OpTypePointer Function %inputs";
  parts.body =
      "%copy = OpLoad %inputs %input\nOpStore %ptr %copy\n%member = OpAccessChain %fn_uint %ptr %uint_0 "
      "%int_0\nOpStore %member %uint_1";
  EXPECT_TRUE(ReflectParts(parts).writes_input) << "through a copy of the handle";
}

TEST(Reflect, WritesInputInACalledFunction) {
  NodeParts parts;
  parts.globals = "%f_type = OpTypeFunction %void %np_uint\n%g_type = OpTypeFunction %void %in_ptr";
  parts.body = "%r = OpFunctionCall %void %g %input";
  const auto functions = [](const std::string& use) {
    return "%f = OpFunction %void None %f_type\n%f_member = OpFunctionParameter %np_uint\n%f_begin = OpLabel\n" + use +
           "\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %g_type\n%g_input = OpFunctionParameter %in_ptr\n"
           "%g_begin = OpLabel\n%member = OpAccessChain %np_uint %g_input %uint_0 %int_0\n"
           "%r2 = OpFunctionCall %void %f %member\nOpReturn\nOpFunctionEnd\n";
  };
  parts.functions = functions("%value = OpLoad %uint %f_member");
  EXPECT_FALSE(ReflectParts(parts).writes_input);
  parts.functions = functions("OpStore %f_member %uint_1");
  EXPECT_TRUE(ReflectParts(parts).writes_input);
}

TEST(Reflect, Outputs) {
  NodeParts parts;
  parts.decorations = R"(
OpDecorateId %outputs PayloadNodeBaseIndexAMDX %uint_5
OpDecorateId %outputs PayloadNodeArraySizeAMDX %uint_6
OpDecorate %outputs PayloadNodeSparseArrayAMDX
OpDecorateId %outputs2 NodeSharesPayloadLimitsWithAMDX %outputs3
OpDecorateId %outputs3 NodeMaxPayloadsAMDX %uint_9
OpDecorateId %outputs3 PayloadNodeNameAMDX %other_name
)";
  parts.globals = "%outputs3 = OpTypeNodePayloadArrayAMDX %record";
  parts.body = R"(
%length = OpNodePayloadArrayLengthAMDX %uint %input
%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_1
%b = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_3
%c = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_1
%d = OpAllocateNodePayloadsAMDX %out2_ptr %uint_4 %uint_1 %length
OpEnqueueNodePayloadsAMDX %a
OpEnqueueNodePayloadsAMDX %b
OpEnqueueNodePayloadsAMDX %c
OpEnqueueNodePayloadsAMDX %d
%valid = OpIsNodePayloadValidAMDX %bool %signals %uint_0
)";
  const NodeInfo info = ReflectParts(parts);
  ASSERT_EQ(info.outputs.size(), 3u);
  EXPECT_EQ(info.outputs[0].target_name, "target");
  EXPECT_EQ(info.outputs[0].base_index, 5u);
  EXPECT_EQ(info.outputs[0].array_size, 6u);
  EXPECT_TRUE(info.outputs[0].sparse);
  EXPECT_EQ(info.outputs[0].max_payloads, 4u);
  EXPECT_EQ(info.outputs[0].payload.size, 8u);
  EXPECT_EQ(info.outputs[0].constant_indices, (std::vector<uint32_t>{6, 8}));
  EXPECT_FALSE(info.outputs[0].uses_heap);
  EXPECT_EQ(info.outputs[1].target_name, "other");
  EXPECT_EQ(info.outputs[1].max_payloads, 9u) << "the limit of the type that it is shared with";
  EXPECT_FALSE(info.outputs[1].shares_limit_with) << "which is no output of this node";
  EXPECT_FALSE(info.outputs[1].constant_indices);
  EXPECT_EQ(info.outputs[2].target_name, "signal");
  EXPECT_EQ(info.outputs[2].payload.size, 0u);
  EXPECT_EQ(info.outputs[2].constant_indices, (std::vector<uint32_t>{})) << "only asked about";
  (void)LowerParts(parts);
}

TEST(Reflect, SpecialisationEverywhere) {
  NodeParts parts;
  parts.modes = R"(
OpExecutionModeId %main MaxNumWorkgroupsAMDX %x %double_x %from_composite
OpExecutionModeId %main ShaderIndexAMDX %chosen
OpExecutionModeId %main IsApiEntryAMDX %flag
)";
  parts.decorations = R"(
OpMemberDecorate %record 0 PayloadDispatchIndirectAMDX
OpDecorate %x SpecId 0
OpDecorate %flag SpecId 1
OpDecorate %name SpecId 2
OpDecorate %small SpecId 3
OpDecorateId %spec_outputs NodeMaxPayloadsAMDX %double_x
OpDecorateId %spec_outputs PayloadNodeNameAMDX %name
OpDecorateId %spec_outputs PayloadNodeBaseIndexAMDX %widened
OpDecorateId %spec_outputs PayloadNodeArraySizeAMDX %double_x
)";
  parts.capabilities = "OpCapability Int16";
  parts.globals = R"(
%short = OpTypeInt 16 1
%x = OpSpecConstant %uint 2
%flag = OpSpecConstantTrue %bool
%name = OpSpecConstantStringAMDX "by default"
%small = OpSpecConstant %short 3
%widened = OpSpecConstantOp %uint UConvert %small
%double_x = OpSpecConstantOp %uint IMul %x %uint_2
%triple = OpSpecConstantComposite %v3uint %uint_1 %x %double_x
%from_composite = OpSpecConstantOp %uint CompositeExtract %triple 2
%flag_set = OpSpecConstantOp %bool LogicalAnd %flag %true
%chosen = OpSpecConstantOp %uint Select %flag_set %uint_8 %uint_9
%spec_outputs = OpTypeNodePayloadArrayAMDX %record
%spec_ptr = OpTypePointer NodePayloadAMDX %spec_outputs
)";
  parts.body = "%a = OpAllocateNodePayloadsAMDX %spec_ptr %uint_2 %uint_1 %x\nOpEnqueueNodePayloadsAMDX %a";
  NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.grid, (Grid{2, 4, 4}));
  EXPECT_EQ(info.shader_index, 8u);
  EXPECT_TRUE(info.is_api_entry);
  ASSERT_EQ(info.outputs.size(), 1u);
  EXPECT_EQ(info.outputs[0].target_name, "by default");
  EXPECT_EQ(info.outputs[0].base_index, 3u);
  EXPECT_EQ(info.outputs[0].array_size, 4u);
  EXPECT_EQ(info.outputs[0].constant_indices, (std::vector<uint32_t>{5}));

  Specialization given = Words({{0, 5}, {1, 0}, {99, 7}});
  given[2] = {'n', 'e', 'w', 0, 'x'};
  given[3] = {0xff, 0xff};
  info = ReflectParts(parts, given);
  EXPECT_EQ(info.grid, (Grid{5, 10, 10}));
  EXPECT_EQ(info.shader_index, 9u);
  EXPECT_FALSE(info.is_api_entry);
  EXPECT_EQ(info.outputs[0].target_name, "new");
  EXPECT_EQ(info.outputs[0].base_index, 0xffffu) << "a conversion without sign";
  EXPECT_EQ(info.outputs[0].array_size, 10u);
  EXPECT_EQ(info.outputs[0].max_payloads, 10u);
  LowerRequest request;
  request.specialization = given;
  EXPECT_TRUE(HasLine(LowerParts(parts, request),
                      "%a = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_0 %uint_1 * %uint_10"));
}

TEST(Reflect, WorkgroupSizes) {
  NodeParts parts;
  parts.local_size = "OpExecutionModeId %main LocalSizeId %uint_8 %x %uint_2";
  parts.decorations = "OpDecorate %x SpecId 0";
  parts.globals = "%x = OpSpecConstant %uint 4";
  EXPECT_EQ(ReflectParts(parts).local_size, (Grid{8, 4, 2}));
  EXPECT_EQ(ReflectParts(parts, Words({{0, 3}})).local_size, (Grid{8, 3, 2}));
  EXPECT_TRUE(HasLine(LowerParts(parts), "OpExecutionMode * LocalSize 8 4 2"));
  parts.local_size = "OpExecutionMode %main LocalSize 1 1 1";
  parts.decorations += "\nOpDecorate %size BuiltIn WorkgroupSize";
  parts.globals += "\n%size = OpSpecConstantComposite %v3uint %x %uint_2 %uint_1";
  EXPECT_EQ(ReflectParts(parts, Words({{0, 7}})).local_size, (Grid{7, 2, 1}));
  (void)LowerParts(parts);
}

TEST(Reflect, PushConstantsAndMemoryModel) {
  NodeParts parts;
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  parts.interface = "%input %push";
  parts.decorations =
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 16\nOpMemberDecorate %block 1 Offset 32";
  parts.globals =
      "%block = OpTypeStruct %v4uint %uint\n%ptr_block = OpTypePointer PushConstant %block\n%ptr_push_uint = "
      "OpTypePointer PushConstant %uint\n"
      "%push = OpVariable %ptr_block PushConstant";
  parts.body = "%p = OpAccessChain %ptr_push_uint %push %int_1\n%v = OpLoad %uint %p";
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.push_constant_end, 36u);
  EXPECT_TRUE(info.vulkan_memory_model);
  parts.body = "";
  EXPECT_EQ(ReflectParts(parts).push_constant_end, 0u) << "unused: stripped";
}

TEST(Reflect, PlainComputeShader) {
  const NodeInfo info = ReflectText(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 8 8 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%begin = OpLabel
OpReturn
OpFunctionEnd
)",
                                    {}, "main");
  EXPECT_FALSE(info.has_enqueue_capability);
  EXPECT_EQ(info.kind, LaunchKind::kDynamicGrid);
  EXPECT_EQ(info.input.size, 12u);
  EXPECT_EQ(info.local_size, (Grid{8, 8, 1}));
}

}  // namespace
}  // namespace trellis::spirv
