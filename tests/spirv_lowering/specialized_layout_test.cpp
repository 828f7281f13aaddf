// SPDX-License-Identifier: Apache-2.0
// Sizes that depend on specialisation constants.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

Specialization SpecializedWords(std::initializer_list<std::pair<uint32_t, uint32_t>> values) {
  Specialization specialization;
  for (const auto& [id, value] : values) {
    for (uint32_t byte = 0; byte < 4; ++byte) specialization[id].push_back(static_cast<uint8_t>(value >> (8 * byte)));
  }
  return specialization;
}

// {uint; uint[length][double length]}, as input and as output; a push constant block with uvec4[length].
NodeParts WithLengths() {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%long_input %push";
  parts.decorations = R"(
OpDecorate %length SpecId 3
OpDecorate %inner ArrayStride 4
OpDecorate %outer ArrayStride 400
OpMemberDecorate %long 0 Offset 0
OpMemberDecorate %long 1 Offset 4
OpDecorateId %long_in NodeMaxPayloadsAMDX %uint_4
OpDecorateId %long_out NodeMaxPayloadsAMDX %uint_4
OpDecorateId %long_out PayloadNodeNameAMDX %target_name
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 16
OpDecorate %vectors ArrayStride 16
)";
  parts.globals = R"(
%length = OpSpecConstant %uint 2
%double = OpSpecConstantOp %uint IMul %length %uint_2
%inner = OpTypeArray %uint %double
%outer = OpTypeArray %inner %length
%long = OpTypeStruct %uint %outer
%long_in = OpTypeNodePayloadArrayAMDX %long
%long_out = OpTypeNodePayloadArrayAMDX %long
%long_in_ptr = OpTypePointer NodePayloadAMDX %long_in
%long_out_ptr = OpTypePointer NodePayloadAMDX %long_out
%np_long = OpTypePointer NodePayloadAMDX %long
%long_input = OpVariable %long_in_ptr NodePayloadAMDX
%vectors = OpTypeArray %v4uint %length
%block = OpTypeStruct %vectors
%ptr_block = OpTypePointer PushConstant %block
%ptr_push_uint = OpTypePointer PushConstant %uint
%push = OpVariable %ptr_block PushConstant
)";
  parts.body = R"(
%pp = OpAccessChain %ptr_push_uint %push %int_0 %int_1 %int_2
%pv = OpLoad %uint %pp
%a = OpAllocateNodePayloadsAMDX %long_out_ptr %uint_4 %uint_1 %uint_0
%from = OpAccessChain %np_long %long_input %uint_0
%to = OpAccessChain %np_long %a %uint_0
%whole = OpLoad %long %from
OpStore %to %whole
%last = OpAccessChain %np_uint %to %uint_1 %length %double
OpStore %last %pv
OpEnqueueNodePayloadsAMDX %a
)";
  return parts;
}

TEST(SpecializedLayout, PayloadsAndPushConstants) {
  NodeInfo info = ReflectParts(WithLengths());
  EXPECT_EQ(info.input.size, 4u + 400 + 4 * 4);
  EXPECT_EQ(info.outputs[0].payload.size, 4u + 400 + 4 * 4);
  EXPECT_EQ(info.push_constant_end, 16u + 2 * 16);
  info = ReflectParts(WithLengths(), SpecializedWords({{3, 5}}));
  EXPECT_EQ(info.input.size, 4u + 4 * 400 + 10 * 4);
  EXPECT_EQ(info.push_constant_end, 16u + 5 * 16);

  LowerRequest request;
  request.specialization = SpecializedWords({{3, 5}});
  request.launch_offset = 96;
  const std::string text = LowerParts(WithLengths(), request);
  EXPECT_TRUE(HasLine(text, "%whole = OpLoad %long %from Aligned 4")) << text;
  EXPECT_TRUE(HasLine(text, "%outer = OpTypeArray %inner %length"));
  EXPECT_TRUE(HasLine(text, "OpDecorate %length SpecId 3")) << "the driver specialises it";
}

TEST(SpecializedLayout, LengthsThatMakeNoSense) {
  for (const uint32_t length : {0u, 0x20000000u}) {
    EXPECT_NE(LoweringRefusal(WithLengths(), SpecializedWords({{3, length}})).find("no fixed size"), std::string::npos)
        << length;
  }
}

TEST(SpecializedLayout, GridMember) {
  NodeParts parts;
  parts.modes = "";
  parts.declare_input = false;
  parts.interface = "%grid_input";
  parts.globals = R"(
%count = OpSpecConstant %uint 4
%sides = OpTypeArray %uint %count
%grid = OpTypeStruct %uint %sides
%grids = OpTypeNodePayloadArrayAMDX %grid
%grid_ptr = OpTypePointer NodePayloadAMDX %grids
%grid_input = OpVariable %grid_ptr NodePayloadAMDX)";
  parts.decorations = R"(
OpDecorate %count SpecId 1
OpDecorate %sides ArrayStride 4
OpMemberDecorate %grid 0 Offset 0
OpMemberDecorate %grid 1 Offset 4
OpMemberDecorate %grid 1 PayloadDispatchIndirectAMDX
OpDecorateId %grids NodeMaxPayloadsAMDX %uint_1
)";
  EXPECT_NE(LoweringRefusal(parts).find("2- or 3-vector"), std::string::npos);
  for (uint32_t count = 1; count <= 3; ++count) {
    const NodeInfo info = ReflectParts(parts, SpecializedWords({{1, count}}));
    ASSERT_TRUE(info.grid_member) << count;
    EXPECT_EQ(info.grid_member->component_count, count);
    EXPECT_EQ(info.input.size, 4 + 4 * count);
  }
}

// Operations on vectors, and composites taken apart and put together.
TEST(SpecializedLayout, VectorsOfConstants) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %grid_x %grid_y %grid_z";
  parts.decorations = "OpDecorate %x SpecId 0\nOpDecorate %flag SpecId 1";
  parts.globals = R"(
%v3bool = OpTypeVector %bool 3
%pairs = OpTypeStruct %v3uint %uint
%x = OpSpecConstant %uint 2
%flag = OpSpecConstantTrue %bool
%nulls = OpConstantNull %v3uint
%first = OpSpecConstantComposite %v3uint %uint_1 %x %uint_3
%sum = OpSpecConstantOp %v3uint IAdd %first %first
%less = OpSpecConstantOp %v3bool ULessThan %sum %first
%chosen = OpSpecConstantOp %v3uint Select %less %nulls %sum
%swapped = OpSpecConstantOp %v3uint VectorShuffle %chosen %nulls 2 1 5
%inserted = OpSpecConstantOp %v3uint CompositeInsert %uint_9 %swapped 2
%either = OpSpecConstantOp %v3uint Select %flag %inserted %nulls
%pair = OpSpecConstantComposite %pairs %either %x
%deep = OpSpecConstantOp %pairs CompositeInsert %uint_7 %pair 0 0
%vector = OpSpecConstantOp %v3uint CompositeExtract %deep 0
%grid_x = OpSpecConstantOp %uint CompositeExtract %deep 0 0
%grid_y = OpSpecConstantOp %uint CompositeExtract %vector 1
%grid_z = OpSpecConstantOp %uint CompositeExtract %either 2
)";
  EXPECT_EQ(ReflectParts(parts).grid, (std::array<uint32_t, 3>{7, 4, 9}));
  EXPECT_EQ(ReflectParts(parts, SpecializedWords({{0, 6}})).grid, (std::array<uint32_t, 3>{7, 12, 9}));
  EXPECT_EQ(ReflectParts(parts, SpecializedWords({{1, 0}})).grid, (std::array<uint32_t, 3>{7, 0, 0}));
}

TEST(SpecializedLayout, ScopeOfAnAllocation) {
  NodeParts parts;
  parts.decorations = "OpDecorate %scope SpecId 5";
  parts.globals = "%scope = OpSpecConstant %uint 4";
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %scope %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  LowerRequest request;
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "%a = OpFunctionCall %v4uint %trellis_reserve_invocation ..."));
  request.specialization = SpecializedWords({{5, 2}});
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "%a = OpFunctionCall %v4uint %trellis_reserve_workgroup ..."));
  EXPECT_NE(LoweringRefusal(parts, SpecializedWords({{5, 3}})).find("Visibility"), std::string::npos);
}

// Compilers give the base index of a single output as operand too: it counts once.
TEST(SpecializedLayout, BaseIndexOfAnOutputThatIsAskedFor) {
  NodeParts parts;
  parts.decorations = "OpDecorate %base SpecId 5\nOpDecorateId %outputs PayloadNodeBaseIndexAMDX %base";
  parts.globals = "%base = OpSpecConstant %uint 0";
  parts.body = "%v = OpIsNodePayloadValidAMDX %bool %outputs %base";
  LowerRequest request;
  request.specialization = SpecializedWords({{5, 6}});
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "%v = OpFunctionCall %bool %trellis_valid %uint_0 %uint_0"));
  EXPECT_TRUE(ReflectParts(parts, request.specialization).outputs[0].is_asked_by_base);
  EXPECT_FALSE(ReflectParts(parts).outputs[0].is_asked_by_base) << "no base";
}

// A string's bytes end where the data or a nul ends it; no data is the empty string.
TEST(SpecializedLayout, Names) {
  NodeParts parts;
  parts.modes += "\nOpExecutionModeId %main SharesInputWithAMDX %name %index";
  parts.decorations = "OpDecorate %name SpecId 1\nOpDecorate %index SpecId 2";
  parts.globals = "%name = OpSpecConstantStringAMDX \"default\"\n%index = OpSpecConstant %uint 0";
  EXPECT_EQ(ReflectParts(parts).shares_input_with_name, "default");
  const std::vector<std::pair<std::vector<uint8_t>, std::string>> cases = {
      {{'a', 'b'}, "ab"}, {{'a', 0, 'b'}, "a"}, {{}, ""}, {{0}, ""}, {{0xc3, 0xa9, 0}, "\xc3\xa9"}};
  for (const auto& [bytes, name] : cases) {
    Specialization given = SpecializedWords({{2, 12}});
    given[1] = bytes;
    const NodeInfo info = ReflectParts(parts, given);
    EXPECT_EQ(info.shares_input_with_name, name);
    EXPECT_EQ(info.shares_input_with_index, 12u);
    EXPECT_FALSE(info.is_api_entry);
  }
}

TEST(SpecializedLayout, RecursionAndApiEntry) {
  NodeParts parts;
  parts.modes +=
      "\nOpExecutionModeId %main MaxNodeRecursionAMDX %levels\nOpExecutionModeId %main IsApiEntryAMDX %entry";
  parts.decorations = "OpDecorate %base SpecId 1\nOpDecorate %flag SpecId 2";
  parts.globals =
      "%base = OpSpecConstant %uint 1\n%flag = OpSpecConstantFalse %bool\n"
      "%levels = OpSpecConstantOp %uint IAdd %base %uint_2\n%entry = OpSpecConstantOp %bool LogicalNot %flag";
  EXPECT_EQ(ReflectParts(parts).max_recursion, 3u);
  EXPECT_TRUE(ReflectParts(parts).is_api_entry);
  EXPECT_EQ(ReflectParts(parts, SpecializedWords({{1, 8}})).max_recursion, 10u);
  EXPECT_FALSE(ReflectParts(parts, SpecializedWords({{2, 1}})).is_api_entry);
}

TEST(SpecializedLayout, RecordsPerNode) {
  const auto info = [](const std::string& semantic) {
    NodeParts parts;
    if (!semantic.empty()) parts.decorations = "OpDecorateString %outputs UserSemantic \"" + semantic + "\"";
    parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
    EXPECT_FALSE(HasLine(LowerParts(parts), "OpDecorateString ..."));
    return ReflectParts(parts).outputs.at(0);
  };
  EXPECT_EQ(info("MaxRecordsPerNode:3").max_payloads_per_node, 3u);
  EXPECT_EQ(info("MaxRecordsPerNode:3").max_payloads, 4u);
  EXPECT_EQ(info("MaxRecordsPerNode:100").max_payloads_per_node, 4u) << "no more than NodeMaxPayloadsAMDX";
  EXPECT_EQ(info("MaxRecordsPerNode:0").max_payloads_per_node, 0u);
  for (const char* other : {"", "maxrecordspernode:3", "POSITION"})
    EXPECT_FALSE(info(other).max_payloads_per_node.has_value()) << other;
}

}  // namespace
}  // namespace trellis::spirv
