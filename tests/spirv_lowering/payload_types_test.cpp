// SPDX-License-Identifier: Apache-2.0
// Payloads of all shapes: wide and narrow scalars, matrices, arrays, pointers; and what their memory accesses need.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

// A node whose input and output records are structure %data.
NodeParts WithData(const std::string& types, const std::string& members, const std::string& decorations,
                   const std::string& body) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%data_input";
  parts.globals = types + "\n%data = OpTypeStruct " + members + R"(
%data_in = OpTypeNodePayloadArrayAMDX %data
%data_out = OpTypeNodePayloadArrayAMDX %data
%data_in_ptr = OpTypePointer NodePayloadAMDX %data_in
%data_out_ptr = OpTypePointer NodePayloadAMDX %data_out
%np_data = OpTypePointer NodePayloadAMDX %data
%fn_data_out = OpTypePointer Function %data_out
%fn_data = OpTypePointer Function %data
%data_input = OpVariable %data_in_ptr NodePayloadAMDX
)";
  parts.decorations = decorations + R"(
OpDecorateId %data_in NodeMaxPayloadsAMDX %uint_4
OpDecorateId %data_out NodeMaxPayloadsAMDX %uint_4
OpDecorateId %data_out PayloadNodeNameAMDX %target_name
)";
  parts.variables = "%local = OpVariable %fn_data_out Function";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %data_out_ptr %uint_4 %uint_1 %uint_0
%handle = OpLoad %data_out %allocated
OpStore %local %handle
%from = OpAccessChain %np_data %data_input %uint_1
%whole = OpLoad %data %from
%to = OpAccessChain %fn_data %local %uint_0
OpStore %to %whole
)" + body + "OpEnqueueNodePayloadsAMDX %local";
  return parts;
}

TEST(PayloadTypes, SixteenBits) {
  NodeParts parts = WithData(
      "%half = OpTypeFloat 16\n%ushort = OpTypeInt 16 0\n%v3half = OpTypeVector %half 3\n%fn_half = OpTypePointer "
      "Function %half\n%np_ushort = OpTypePointer NodePayloadAMDX %ushort",
      "%ushort %v3half", "OpMemberDecorate %data 0 Offset 0\nOpMemberDecorate %data 1 Offset 2\n",
      "%a = OpAccessChain %np_ushort %data_input %uint_0 %int_0\n%b = OpLoad %ushort %a\n"
      "%c = OpAccessChain %fn_half %local %uint_0 %int_1 %uint_2\n%d = OpLoad %half %c\nOpStore %c %d\n");
  parts.capabilities = "OpCapability Int16\nOpCapability Float16";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpCapability StorageBuffer16BitAccess")) << text;
  EXPECT_TRUE(HasLine(text, "%whole = OpLoad %data %from Aligned 8"));
  EXPECT_TRUE(HasLine(text, "OpStore %c %d Aligned 2"));
  const NodeInfo info = ReflectParts(parts);
  EXPECT_EQ(info.input.size, 8u);
  EXPECT_EQ(info.input.alignment, 8u);
}

TEST(PayloadTypes, EightBits) {
  NodeParts parts = WithData("%uchar = OpTypeInt 8 0\n%np_uchar = OpTypePointer NodePayloadAMDX %uchar",
                             "%uchar %uchar", "OpMemberDecorate %data 0 Offset 0\nOpMemberDecorate %data 1 Offset 1\n",
                             "%a = OpAccessChain %np_uchar %data_input %uint_0 %int_1\n%b = OpLoad %uchar %a\n");
  parts.capabilities = "OpCapability Int8";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpCapability StorageBuffer8BitAccess")) << text;
  EXPECT_TRUE(HasLine(text, "%b = OpLoad %uchar %a Aligned 1"));
  LowerRequest request;
  request.version = 0x00010400;
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "OpExtension \"SPV_KHR_8bit_storage\""));
}

TEST(PayloadTypes, SixtyFourBits) {
  NodeParts parts = WithData(
      "%ulong = OpTypeInt 64 0\n%double = OpTypeFloat 64\n%v2double = OpTypeVector %double 2\n%fn_double = "
      "OpTypePointer Function %double",
      "%uint %ulong %v2double",
      "OpMemberDecorate %data 0 Offset 0\nOpMemberDecorate %data 1 Offset 8\nOpMemberDecorate %data 2 Offset 16\n",
      "%a = OpAccessChain %fn_double %local %uint_0 %int_2 %uint_1\n%b = OpLoad %double %a\n");
  parts.capabilities = "OpCapability Int64\nOpCapability Float64";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%whole = OpLoad %data %from Aligned 16")) << text;
  EXPECT_TRUE(HasLine(text, "%b = OpLoad %double %a Aligned 8"));
  EXPECT_EQ(ReflectParts(parts).input.alignment, 16u);
}

TEST(PayloadTypes, MatricesAndArrays) {
  const NodeParts parts = WithData(
      "%v3float = OpTypeVector %float 3\n%matrix = OpTypeMatrix %v3float 2\n%array = OpTypeArray %v3float "
      "%uint_3\n%fn_float = OpTypePointer Function %float\n"
      "%fn_v3float = OpTypePointer Function %v3float",
      "%matrix %matrix %array",
      "OpDecorate %array ArrayStride 12\nOpMemberDecorate %data 0 Offset 0\nOpMemberDecorate %data 0 "
      "RowMajor\nOpMemberDecorate %data 0 MatrixStride 8\n"
      "OpMemberDecorate %data 1 Offset 24\nOpMemberDecorate %data 1 ColMajor\nOpMemberDecorate %data 1 MatrixStride "
      "12\nOpMemberDecorate %data 2 Offset 48\n",
      "%a = OpAccessChain %fn_v3float %local %uint_0 %int_1 %uint_1\n%b = OpLoad %v3float %a\n%c = OpAccessChain "
      "%fn_v3float %local %uint_0 %int_2 %uint_2\nOpStore %c %b\n"
      "%d = OpAccessChain %fn_float %local %uint_0 %int_0 %uint_1 %uint_2\n%e = OpLoad %float %d\n");
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpStore %c %b Aligned 4")) << text;
  EXPECT_EQ(ReflectParts(parts).input.size, 84u);
}

// An access is as wide as what is known of its address allows: records of 16 n bytes lie at multiples of 16, others as
// their size alone makes them.
TEST(PayloadTypes, AccessesAreAlignedAsTheirOffsetsAre) {
  const char* const types =
      "%array = OpTypeArray %v2uint %uint_4\n"
      "%np_v2uint = OpTypePointer NodePayloadAMDX %v2uint\n%np_v4uint = OpTypePointer NodePayloadAMDX %v4uint\n";
  const std::string offsets =
      "OpDecorate %array ArrayStride 8\nOpMemberDecorate %data 0 Offset 0\nOpMemberDecorate %data 1 Offset 16\n";
  const char* const body = R"(
%a = OpAccessChain %np_v4uint %data_input %uint_0 %int_0
%b = OpLoad %v4uint %a
%c = OpAccessChain %np_uint %a %uint_2
%d = OpLoad %uint %c
%e = OpAccessChain %np_v2uint %data_input %uint_1 %int_1 %d
%f = OpLoad %v2uint %e
%g = OpAccessChain %np_v2uint %data_input %uint_1 %int_1 %uint_2
%h = OpCopyObject %np_v2uint %g
%i = OpLoad %v2uint %h
%j = OpAccessChain %np_uint %a %d
%k = OpLoad %uint %j
)";
  const NodeParts even = WithData(types, "%v4uint %array", offsets, body);
  const std::string text = LowerParts(even);
  EXPECT_EQ(ReflectParts(even).input.alignment, 16u);
  EXPECT_TRUE(HasLines(
      text, {"%whole = OpLoad %data %from Aligned 16", "OpStore %to %whole Aligned 16",
             "%b = OpLoad %v4uint %a Aligned 16", "%d = OpLoad %uint %c Aligned 8", "%f = OpLoad %v2uint %e Aligned 8",
             "%i = OpLoad %v2uint %h Aligned 16", "%k = OpLoad %uint %j Aligned 4"}))
      << text;

  const NodeParts odd = WithData(types, "%v4uint %array %uint", offsets + "OpMemberDecorate %data 2 Offset 48\n", body);
  const std::string odd_text = LowerParts(odd);
  EXPECT_EQ(ReflectParts(odd).input.alignment, 4u) << "52 bytes";
  EXPECT_TRUE(HasLines(odd_text, {"%whole = OpLoad %data %from Aligned 4", "%b = OpLoad %v4uint %a Aligned 4",
                                  "%i = OpLoad %v2uint %h Aligned 4"}))
      << odd_text;
}

TEST(PayloadTypes, AddressesInPayloads) {
  NodeParts parts = WithData(
      "OpTypeForwardPointer %ptr_node PhysicalStorageBuffer\n%node = OpTypeStruct %ptr_node %uint\n%ptr_node = "
      "OpTypePointer PhysicalStorageBuffer %node\n"
      "%ptr_psb_uint = OpTypePointer PhysicalStorageBuffer %uint\n%np_ptr = OpTypePointer NodePayloadAMDX %ptr_node",
      "%ptr_node",
      "OpMemberDecorate %node 0 Offset 0\nOpMemberDecorate %node 1 Offset 8\nOpMemberDecorate %data 0 Offset 0\n",
      "%a = OpAccessChain %np_ptr %data_input %uint_0 %int_0\n%b = OpLoad %ptr_node %a\n%c = OpAccessChain "
      "%ptr_psb_uint %b %int_1\n%d = OpLoad %uint %c Aligned 4\n");
  parts.capabilities = "OpCapability PhysicalStorageBufferAddresses";
  parts.memory_model = "OpMemoryModel PhysicalStorageBuffer64 GLSL450";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%b = OpLoad %ptr_node %a Aligned 8")) << text;
  EXPECT_EQ(ReflectParts(parts).input.size, 8u);
}

TEST(PayloadTypes, BareStructureAsInput) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.globals = "%bare = OpVariable %np_record NodePayloadAMDX\n%f_type = OpTypeFunction %uint %np_record";
  parts.variables = "%copy = OpVariable %fn_record Function";
  parts.body = R"(
%whole = OpLoad %record %bare
OpStore %copy %whole
%member = OpAccessChain %np_uint %bare %int_1
%value = OpLoad %uint %member
OpCopyMemory %copy %bare
%length = OpNodePayloadArrayLengthAMDX %uint %bare
%r = OpFunctionCall %uint %f %bare
)";
  parts.functions =
      "%f = OpFunction %uint None %f_type\n%p = OpFunctionParameter %np_record\n%f_begin = OpLabel\n%q = OpAccessChain "
      "%np_uint %p %int_0\n"
      "%v = OpLoad %uint %q\nOpReturnValue %v\nOpFunctionEnd\n";
  const std::string text = LowerParts(parts);
  const std::string main = FunctionText(text, "main");
  EXPECT_TRUE(HasLines(
      main,
      {"* = OpLoad %v4uint %trellis_input", "* = OpVectorShuffle %v2uint * * 0 1",
       "* = OpBitcast %ptr_PhysicalStorageBuffer_record *", "%whole = OpLoad %record * Aligned 8",
       "%member = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_1", "%value = OpLoad %uint %member Aligned 4",
       "* = OpLoad %record * Aligned 8", "%length = OpCopyObject %uint %uint_1", "%r = OpFunctionCall %uint %f *"}))
      << main;
  EXPECT_TRUE(HasLine(text, "OpDecorate %p Aliased")) << text;
}

TEST(PayloadTypes, OrdinaryArrayAsInput) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%plain";
  parts.globals =
      "%array = OpTypeArray %record %uint_8\n%array_ptr = OpTypePointer NodePayloadAMDX %array\n%plain = OpVariable "
      "%array_ptr NodePayloadAMDX\n"
      "%fn_array = OpTypePointer Function %array";
  parts.decorations = "OpDecorate %array ArrayStride 8\nOpDecorateId %array NodeMaxPayloadsAMDX %uint_8";
  parts.variables = "%mine = OpVariable %fn_array Function";
  parts.body = R"(
%length = OpNodePayloadArrayLengthAMDX %uint %plain
%member = OpAccessChain %np_uint %plain %length %int_1
%value = OpLoad %uint %member
%own = OpAccessChain %fn_uint %mine %uint_1 %int_0
OpStore %own %value
)";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLine(main, "%own = OpAccessChain %fn_uint %mine %uint_1 %int_0"))
      << "an ordinary variable of the same type: " << main;
  EXPECT_TRUE(HasLine(main, "* = OpFunctionCall %v2uint %trellis_input_element * %length"));
  EXPECT_EQ(ReflectParts(parts).coalesce, 8u);
}

constexpr const char* kReadBack = R"(
%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0
%p = OpAccessChain %np_uint %a %uint_0 %int_0
OpStore %p %uint_1
%q = OpAccessChain %np_uint %a %uint_0 %int_1
%v = OpLoad %uint %q
OpEnqueueNodePayloadsAMDX %a
)";

TEST(PayloadTypes, ReadBackOutputsAreCoherent) {
  NodeParts parts;
  parts.body = kReadBack;
  EXPECT_TRUE(HasLine(LowerParts(parts), "OpMemberDecorate %record 0 Coherent"));
  parts.body.erase(parts.body.find("%v = OpLoad"), std::string("%v = OpLoad %uint %q\n").size());
  EXPECT_FALSE(HasLine(LowerParts(parts), "OpMemberDecorate %record 0 Coherent")) << "only written";
}

TEST(PayloadTypes, VulkanMemoryModelMarksEveryAccess) {
  NodeParts parts;
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  parts.body = kReadBack;
  std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpStore %p %uint_1 Aligned|MakePointerAvailable|NonPrivatePointer 8 %uint_5")) << text;
  EXPECT_TRUE(HasLine(text, "%v = OpLoad %uint %q Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5"));
  EXPECT_FALSE(HasLine(text, "OpMemberDecorate %record 0 Coherent"));
  parts.body =
      "%member = OpAccessChain %np_uint %input %uint_0 %int_0\n%value = OpLoad %uint %member NonPrivatePointer";
  text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%value = OpLoad %uint %member Aligned|NonPrivatePointer 8"))
      << "private unless the application says otherwise: " << text;
}

TEST(PayloadTypes, WritableInputIsShared) {
  NodeParts parts;
  parts.body = "%member = OpAccessChain %np_uint %input %uint_0 %int_0\nOpStore %member %uint_1";
  EXPECT_TRUE(HasLine(LowerParts(parts), "OpMemberDecorate %record 1 Coherent"));
}

// What reads and what only writes records that a workgroup has allocated together.
TEST(PayloadTypes, EveryWayToReadAnOutputCounts) {
  constexpr const char* kAllocated =
      "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\n%whole = OpLoad %outputs %a\n"
      "%p = OpAccessChain %np_uint %a %uint_0 %int_0\n";
  struct Case {
    const char* body;
    bool reads;
  };
  for (const Case& test :
       {Case{"%v = OpLoad %uint %p\n", true}, Case{"%v = OpCompositeExtract %uint %whole 0 1\n", true},
        Case{"%v = OpAtomicIAdd %uint %p %uint_1 %uint_0 %uint_1\n", true},
        Case{"%same = OpCopyObject %np_uint %p\n%v = OpLoad %uint %same\n", true}, Case{"OpStore %p %uint_1\n", false},
        Case{"%n = OpNodePayloadArrayLengthAMDX %uint %a\n", false}}) {
    NodeParts parts;
    parts.body = std::string(kAllocated) + test.body + "OpEnqueueNodePayloadsAMDX %a\n";
    EXPECT_EQ(HasLine(LowerParts(parts), "OpMemberDecorate %record 0 Coherent"), test.reads) << test.body;
  }
}

}  // namespace
}  // namespace trellis::spirv
