// SPDX-License-Identifier: Apache-2.0
// What is refused, and that the message names node, instruction and id.
#include <gtest/gtest.h>

#include "spirv_lowering/reflect/node_module.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// The message has `what` in it, begins with the node's name and names an id.
void ExpectRefused(const NodeParts& parts, const std::string& what, const Specialization& specialization = {}) {
  const std::string message = LoweringRefusal(parts, specialization);
  EXPECT_NE(message.find(what), std::string::npos) << "expected \"" << what << "\" in: " << message;
  EXPECT_EQ(message.rfind("node 'node': ", 0), 0u) << message;
  EXPECT_NE(message.find('%'), std::string::npos) << message;
}

std::string ReadRefusal(const std::vector<uint32_t>& words) {
  const Expected<Module> module = ReadNodeModule(words);
  return module ? std::string() : module.error().message;
}

TEST(Refusal, Revision1) {
  constexpr uint32_t kPayload = static_cast<uint32_t>(spv::StorageClass::NodePayloadAMDX);
  const auto start = [] { return RawModule().Start(); };
  const auto refused = [](const RawModule& module, const char* what) {
    const std::string message = ReadRefusal(module.words());
    EXPECT_NE(message.find("revision 1"), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_NE(message.find("%9"), std::string::npos) << message;
  };
  refused(start().Op(spv::Op::OpTypeInt, {8, 32, 0}).Op(spv::Op::OpTypePointer, {9, 5076, 8}), "storage class 5076");
  refused(start().Op(spv::Op::OpTypeInt, {8, 32, 0}).Op(spv::Op::OpVariable, {8, 9, 5076}), "storage class 5076");
  // "name" as a literal.
  refused(start().Op(spv::Op::OpDecorateString, {9, 5091, 0x656d616e, 0}), "PayloadNodeNameAMDX with a literal string");
  refused(start().Op(spv::Op::OpDecorate, {9, 5091, 0x656d616e, 0}), "PayloadNodeNameAMDX with a literal string");
  refused(start().Op(static_cast<spv::Op>(5090), {9, 10, 11, 12}), "OpInitializeNodePayloadsAMDX");
  refused(start()
              .Op(spv::Op::OpDecorateId, {9, 5020, 7})
              .Op(spv::Op::OpTypeInt, {8, 32, 0})
              .Op(spv::Op::OpVariable, {8, 9, kPayload}),
          "on OpVariable");
}

TEST(Refusal, UnknownEntryPoint) {
  const std::string message = LoweringRefusal(Compose(NodeParts()), {}, "absent");
  EXPECT_NE(message.find("absent"), std::string::npos) << message;
}

TEST(Refusal, OutputsWithoutNameOrLimit) {
  NodeParts parts;
  parts.globals = "%bad = OpTypeNodePayloadArrayAMDX %record\n%bad_ptr = OpTypePointer NodePayloadAMDX %bad";
  parts.body = "%a = OpAllocateNodePayloadsAMDX %bad_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  ExpectRefused(parts, "an output type without PayloadNodeNameAMDX");
  parts.decorations = "OpDecorateId %bad PayloadNodeNameAMDX %target_name";
  ExpectRefused(parts, "an output type without NodeMaxPayloadsAMDX");
  parts.decorations = "OpDecorateId %bad PayloadNodeNameAMDX %uint_1\nOpDecorateId %bad NodeMaxPayloadsAMDX %uint_1";
  ExpectRefused(parts, "the node name is not an OpConstantStringAMDX");
  parts.decorations =
      "OpDecorateId %bad PayloadNodeNameAMDX %target_name\nOpDecorateId %bad NodeMaxPayloadsAMDX %target_name";
  ExpectRefused(parts, "NodeMaxPayloadsAMDX");
}

TEST(Refusal, FinishWritingOfWhatIsNoInput) {
  NodeParts parts;
  parts.body =
      "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\n"
      "%last = OpFinishWritingNodePayloadAMDX %bool %a\nOpEnqueueNodePayloadsAMDX %a";
  ExpectRefused(parts, "the operand is not the node's input");
  parts.declare_input = false;
  parts.interface = "";
  ExpectRefused(parts, "the operand is not the node's input");
}

TEST(Refusal, FinishWritingIntoAnInteger) {
  NodeParts parts;
  parts.body = "%last = OpFinishWritingNodePayloadAMDX %uint %input";
  ExpectRefused(parts, "the result is not a boolean");
}

TEST(Refusal, NumWorkgroups) {
  NodeParts parts;
  parts.interface = "%input %number";
  parts.decorations = "OpDecorate %number BuiltIn NumWorkgroups";
  parts.globals = "%ptr_in = OpTypePointer Input %v3uint\n%number = OpVariable %ptr_in Input";
  EXPECT_EQ(LoweringRefusal(parts), "") << "declared, but not used";
  parts.body = "%n = OpLoad %v3uint %number";
  ExpectRefused(parts, "NumWorkgroups must not be used");
}

TEST(Refusal, LaunchKindsExcludeEachOther) {
  const std::string coalescing = "OpExecutionMode %main CoalescingAMDX\n";
  const std::string fixed = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1\n";
  const std::string bounded = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1\n";
  for (const std::string& modes : {coalescing + fixed, coalescing + bounded, fixed + bounded}) {
    NodeParts parts;
    parts.modes = modes;
    EXPECT_NE(LoweringRefusal(parts).find("exclude each other"), std::string::npos) << modes << LoweringRefusal(parts);
  }
}

TEST(Refusal, GridsThatCannotBe) {
  const auto expect_refused = [](const char* x, const char* y, const char* globals, const char* what) {
    NodeParts parts;
    parts.globals = globals;
    parts.modes = std::string("OpExecutionModeId %main StaticNumWorkgroupsAMDX ") + x + " " + y + " %uint_1";
    ExpectRefused(parts, what);
  };
  expect_refused("%huge", "%huge", "%huge = OpConstant %uint 65536", "2^32 workgroups");
  expect_refused("%half", "%uint_1", "%half = OpConstant %float 0.5", "not an integer constant");
  expect_refused("%quotient", "%uint_1",
                 "%zero = OpSpecConstant %uint 0\n%quotient = OpSpecConstantOp %uint UDiv %uint_1 %zero",
                 "not an integer constant");
}

TEST(Refusal, GridMembersOfOtherTypes) {
  const auto with = [](const char* type, const char* offset, const char* more = "") {
    NodeParts parts;
    parts.modes = "";
    parts.declare_input = false;
    parts.interface = "%grid_input";
    parts.capabilities = "OpCapability Int64\nOpCapability Int16";
    parts.globals = std::string(
                        "%ulong = OpTypeInt 64 0\n%ushort = OpTypeInt 16 0\n%a2ushort = OpTypeArray %ushort "
                        "%uint_2\n%a4uint = OpTypeArray %uint %uint_4\n") +
                    "%grid = OpTypeStruct " + type +
                    "\n%grids = OpTypeNodePayloadArrayAMDX %grid\n%grid_ptr = OpTypePointer NodePayloadAMDX %grids\n"
                    "%grid_input = OpVariable %grid_ptr NodePayloadAMDX";
    parts.decorations =
        std::string(
            "OpDecorate %a2ushort ArrayStride 4\nOpDecorate %a4uint ArrayStride 4\nOpMemberDecorate %grid 0 Offset ") +
        offset +
        "\nOpMemberDecorate %grid 0 PayloadDispatchIndirectAMDX\nOpDecorateId %grids NodeMaxPayloadsAMDX %uint_1\n" +
        more;
    return parts;
  };
  for (const char* type : {"%float", "%ulong", "%v4uint", "%a4uint"})
    ExpectRefused(with(type, "0"), "is not a scalar, 2- or 3-vector of 8-, 16- or 32-bit integers");
  ExpectRefused(with("%a2ushort", "0"), "stride");
  ExpectRefused(with("%uint", "2"), "not aligned");
  ExpectRefused(with("%uint", "65536"), "past byte 65,535");
}

TEST(Refusal, DynamicGridWithoutGrid) {
  NodeParts parts;
  parts.modes = "";
  ExpectRefused(parts, "no member with PayloadDispatchIndirectAMDX");
}

TEST(Refusal, PayloadsWithoutLayout) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%bad_input";
  parts.globals =
      "%bad = OpTypeStruct %uint %uint\n%bads = OpTypeNodePayloadArrayAMDX %bad\n%bad_ptr = OpTypePointer "
      "NodePayloadAMDX %bads\n"
      "%bad_input = OpVariable %bad_ptr NodePayloadAMDX";
  parts.decorations = "OpDecorateId %bads NodeMaxPayloadsAMDX %uint_1";
  ExpectRefused(parts, "lacks Offset");
  parts.globals =
      "%bads = OpTypeNodePayloadArrayAMDX %uint\n%bad_ptr = OpTypePointer NodePayloadAMDX %bads\n%bad_input = "
      "OpVariable %bad_ptr NodePayloadAMDX";
  ExpectRefused(parts, "not a structure");
}

TEST(Refusal, TwoInputs) {
  const auto expect_refused = [](const char* interface, const char* body) {
    NodeParts parts;
    parts.interface = interface;
    parts.globals = "%second = OpVariable %in_ptr NodePayloadAMDX";
    parts.body = body;
    ExpectRefused(parts, "a second variable in the storage class NodePayloadAMDX");
  };
  expect_refused("%input %second", "");
  expect_refused("%input", "%length = OpNodePayloadArrayLengthAMDX %uint %second");
}

TEST(Refusal, CoalescingInputThatIsNoArray) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.globals = "%bare = OpVariable %np_record NodePayloadAMDX";
  ExpectRefused(parts, "is not a payload array");
}

TEST(Refusal, EntryFunctionsThatCannotBeCalled) {
  NodeParts parts;
  std::string text = Compose(parts);
  const auto with_function = [&](const char* type, const char* function) {
    std::string changed = text;
    changed.insert(changed.find("%input = OpVariable"), std::string("%entry_type = ") + type + "\n");
    changed.replace(changed.find("%main = OpFunction"), std::string::npos, function);
    return LoweringRefusal(changed);
  };
  std::string message = with_function("OpTypeFunction %void %uint",
                                      "%main = OpFunction %void None %entry_type\n%p = OpFunctionParameter "
                                      "%uint\n%main_begin = OpLabel\nOpReturn\nOpFunctionEnd");
  EXPECT_NE(message.find("has parameters"), std::string::npos) << message;
  message = with_function(
      "OpTypeFunction %uint",
      "%main = OpFunction %uint None %entry_type\n%main_begin = OpLabel\nOpReturnValue %uint_0\nOpFunctionEnd");
  EXPECT_NE(message.find("returns a value"), std::string::npos) << message;
}

TEST(Refusal, WorkgroupSizes) {
  NodeParts parts;
  parts.local_size = "OpExecutionModeId %main LocalSizeId %uint_1 %x %uint_1";
  parts.decorations = "OpDecorate %x SpecId 0";
  parts.globals = "%x = OpSpecConstant %uint 0";
  ExpectRefused(parts, "the workgroup size is 0");
  ExpectRefused(parts, "the workgroup size is 0", {{0, {0xff, 0xff, 0xff, 0xff}}});
  EXPECT_EQ(LoweringRefusal(parts, {{0, {2, 0, 0, 0}}}), "");
}

TEST(Refusal, SpecialisationOfTheWrongSize) {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %x %uint_1 %uint_1";
  parts.decorations = "OpDecorate %x SpecId 6";
  parts.globals = "%x = OpSpecConstant %uint 1";
  ExpectRefused(parts, "SpecId 6", {{6, {1, 0}}});
  ExpectRefused(parts, "SpecId 6", {{6, {}}});
  EXPECT_EQ(LoweringRefusal(parts, {{5, {1}}}), "") << "no such constant";
}

TEST(Refusal, RecordsPerNodeThatAreNoNumber) {
  for (const char* text : {"MaxRecordsPerNode", "MaxRecordsPerNode:", "MaxRecordsPerNode: 4", "MaxRecordsPerNode:-1",
                           "MaxRecordsPerNode:0x10", "MaxRecordsPerNode:4u", "MaxRecordsPerNode:4294967296"}) {
    NodeParts parts;
    parts.decorations = std::string("OpDecorateString %outputs UserSemantic \"") + text + "\"";
    parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
    ExpectRefused(parts, std::string("UserSemantic \"") + text + "\"");
  }
  NodeParts parts;
  parts.decorations =
      "OpDecorateString %outputs UserSemantic \"MaxRecordsPerNode:1\"\n"
      "OpDecorateString %outputs UserSemantic \"MaxRecordsPerNode:2\"";
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  ExpectRefused(parts, "MaxRecordsPerNode is given twice");
}

// 2^60 booleans, and 2^16: neither can be taken apart.
TEST(Refusal, TooManyBooleansAtOnce) {
  NodeParts parts;
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  parts.globals = "%s0 = OpTypeStruct %bool\n";
  parts.decorations = "OpMemberDecorate %s0 0 Offset 0\n";
  for (int i = 1; i < 60; ++i) {
    const std::string inner = "%s" + std::to_string(i - 1), outer = "%s" + std::to_string(i);
    parts.globals += outer + " = OpTypeStruct " + inner + " " + inner + "\n";
    parts.decorations += "OpMemberDecorate " + outer + " 0 Offset 0\nOpMemberDecorate " + outer + " 1 Offset 4\n";
  }
  const std::string types = parts.globals;
  parts.globals =
      types + "%bare_ptr = OpTypePointer NodePayloadAMDX %s59\n%bare = OpVariable %bare_ptr NodePayloadAMDX";
  EXPECT_EQ(LoweringRefusal(parts), "") << "not used as a whole";
  parts.body = "%all = OpLoad %s59 %bare";
  ExpectRefused(parts, "holds booleans, is loaded or stored as a whole");
  parts.globals = types + R"(
%many = OpConstant %uint 65536
%flags = OpTypeArray %bool %many
%flagged = OpTypeStruct %flags
%bare_ptr = OpTypePointer NodePayloadAMDX %flagged
%bare = OpVariable %bare_ptr NodePayloadAMDX)";
  parts.decorations += "OpMemberDecorate %flagged 0 Offset 0\nOpDecorate %flags ArrayStride 4";
  parts.body = "%all = OpLoad %flagged %bare";
  ExpectRefused(parts, "holds booleans, is loaded or stored as a whole");
}

// HLSL's WaveSize, as DXC emits it.
TEST(Refusal, SubgroupSizeAsExecutionMode) {
  NodeParts parts;
  parts.capabilities = "OpCapability SubgroupDispatch";
  parts.modes += "\nOpExecutionMode %main SubgroupSize 32";
  ExpectRefused(parts, "SubgroupDispatch");
}

TEST(Refusal, StructuresNestedManyTimesOver) {
  NodeParts parts;
  parts.modes = "";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.globals = "%s0 = OpTypeStruct %uint\n";
  parts.decorations = "OpMemberDecorate %s0 0 Offset 0\n";
  for (int i = 1; i < 60; ++i) {
    const std::string inner = "%s" + std::to_string(i - 1), outer = "%s" + std::to_string(i);
    parts.globals += outer + " = OpTypeStruct " + inner + " " + inner + "\n";
    parts.decorations += "OpMemberDecorate " + outer + " 0 Offset 0\nOpMemberDecorate " + outer + " 1 Offset 4\n";
  }
  parts.globals += "%bare_ptr = OpTypePointer NodePayloadAMDX %s59\n%bare = OpVariable %bare_ptr NodePayloadAMDX";
  // Takes 2^60 steps unless each structure is looked at once.
  EXPECT_EQ(LoweringRefusal(parts), "");
}

TEST(Refusal, SpecialisationOperationsThatDouble) {
  NodeParts parts;
  parts.globals = "%x0 = OpSpecConstant %uint 1\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = " %x" + std::to_string(i - 1);
    parts.globals += "%x" + std::to_string(i) + " = OpSpecConstantOp %uint IAdd" + before + before + "\n";
  }
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %x59 %uint_1 %uint_1";
  EXPECT_EQ(ReflectParts(parts).grid[0], 0u) << "2^59 in 32 bits";
}

}  // namespace
}  // namespace trellis::spirv
