// SPDX-License-Identifier: Apache-2.0
// Pointers into payloads that go through functions, as compilers leave them without optimisation.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/shape_parts.h"

namespace trellis::spirv {
namespace {

TEST(ShapesOfCalls, PointerIntoAPayloadAsParameter) {
  const std::string text =
      LowerParts(Node(std::string(kMember) + "%r = OpFunctionCall %void %set %member", kSetType, kSet));
  EXPECT_TRUE(HasLines(
      text, {"* = OpFunctionCall %void %set %member", "%pointer = OpFunctionParameter %ptr_PhysicalStorageBuffer_uint",
             "OpStore %pointer %uint_7 Aligned 4"}))
      << text;
  EXPECT_EQ(CountLines(text, "OpStore %pointer ..."), 1u) << "nothing calls the one for variables";
}

TEST(ShapesOfCalls, OneVersionForPayloadsAndOneForVariables) {
  const std::string text = LowerParts(Node(std::string(kMember) + R"(
%r1 = OpFunctionCall %void %set %real
%r2 = OpFunctionCall %void %set %member
%r3 = OpFunctionCall %void %set %member
%r4 = OpFunctionCall %void %set %real
)",
                                           kSetType, kSet));
  EXPECT_EQ(CountLines(text, "%pointer = OpFunctionParameter %ptr_PhysicalStorageBuffer_uint"), 1u) << text;
  EXPECT_EQ(CountLines(text, "%pointer = OpFunctionParameter %fn_uint"), 1u) << text;
}

TEST(ShapesOfCalls, CombinationsOfParametersThroughTwoFunctions) {
  const std::string text = LowerParts(Node(std::string(kMember) + R"(
%r1 = OpFunctionCall %void %outer %member %real
%r2 = OpFunctionCall %void %outer %real %member
)",
                                           R"(
%set_type = OpTypeFunction %void %fn_uint
%outer_type = OpTypeFunction %void %fn_uint %fn_uint
)",
                                           std::string(kSet) + R"(
%outer = OpFunction %void None %outer_type
%first = OpFunctionParameter %fn_uint
%second = OpFunctionParameter %fn_uint
%outer_begin = OpLabel
%o1 = OpFunctionCall %void %set %first
%value = OpLoad %uint %second
%o2 = OpFunctionCall %void %set %second
OpReturn
OpFunctionEnd
)"));
  EXPECT_TRUE(HasLines(text, {"%first = OpFunctionParameter %ptr_PhysicalStorageBuffer_uint",
                              "%second = OpFunctionParameter %fn_uint", "%value = OpLoad %uint %second"}))
      << text;
  EXPECT_TRUE(HasLines(
      text, {"%first = OpFunctionParameter %fn_uint", "%second = OpFunctionParameter %ptr_PhysicalStorageBuffer_uint",
             "%value = OpLoad %uint %second Aligned 4"}))
      << text;
  EXPECT_EQ(CountLines(text, "%pointer = OpFunctionParameter ..."), 2u) << text;
}

TEST(ShapesOfCalls, DecorationsAndLoopsOfACopiedFunction) {
  NodeParts parts =
      Node(std::string(kMember) + "%r1 = OpFunctionCall %void %fill %member\n%r2 = OpFunctionCall %void %fill %real",
           "%fill_type = OpTypeFunction %void %fn_uint", R"(
%fill = OpFunction %void None %fill_type
%pointer = OpFunctionParameter %fn_uint
%fill_begin = OpLabel
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %uint_0 %fill_begin %next %continue
%more = OpULessThan %bool %i %uint_4
OpLoopMerge %done %continue None
OpBranchConditional %more %work %done
%work = OpLabel
OpSelectionMerge %chosen None
OpSwitch %i %other 1 %one
%one = OpLabel
OpStore %pointer %i
OpBranch %chosen
%other = OpLabel
OpBranch %chosen
%chosen = OpLabel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %uint_1
OpBranch %header
%done = OpLabel
OpReturn
OpFunctionEnd
)");
  parts.decorations = "OpDecorate %next RelaxedPrecision";
  const std::string text = LowerParts(parts);
  EXPECT_EQ(CountLines(text, "OpDecorate %next RelaxedPrecision"), 2u) << text;
  EXPECT_EQ(CountLines(text, "%i = OpPhi ..."), 2u) << text;
}

TEST(ShapesOfCalls, MatrixGoesThroughAVariable) {
  NodeParts parts;
  parts.globals = R"(
%v2float = OpTypeVector %float 2
%mat2 = OpTypeMatrix %v2float 2
%big = OpTypeStruct %mat2
%bigs = OpTypeNodePayloadArrayAMDX %big
%big_ptr = OpTypePointer NodePayloadAMDX %bigs
%fn_bigs = OpTypePointer Function %bigs
%fn_mat2 = OpTypePointer Function %mat2
%fn_v2float = OpTypePointer Function %v2float
%null_mat2 = OpConstantNull %mat2
%null_v2float = OpConstantNull %v2float
%set_matrix_type = OpTypeFunction %void %fn_mat2
%set_column_type = OpTypeFunction %void %fn_v2float
)";
  parts.decorations = R"(
OpMemberDecorate %big 0 Offset 0
OpMemberDecorate %big 0 RowMajor
OpMemberDecorate %big 0 MatrixStride 16
OpDecorateId %bigs NodeMaxPayloadsAMDX %uint_1
OpDecorateId %bigs PayloadNodeNameAMDX %target_name
)";
  parts.variables = "%local = OpVariable %fn_bigs Function";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %big_ptr %uint_2 %uint_1 %uint_0
%handle = OpLoad %bigs %allocated
OpStore %local %handle
%matrix = OpAccessChain %fn_mat2 %local %uint_0 %int_0
%column = OpAccessChain %fn_v2float %matrix %uint_1
%r1 = OpFunctionCall %void %set_matrix %matrix
%r2 = OpFunctionCall %void %set_column %column
OpEnqueueNodePayloadsAMDX %local
)";
  parts.functions = R"(
%set_matrix = OpFunction %void None %set_matrix_type
%matrix_pointer = OpFunctionParameter %fn_mat2
%set_matrix_begin = OpLabel
OpStore %matrix_pointer %null_mat2
OpReturn
OpFunctionEnd
%set_column = OpFunction %void None %set_column_type
%column_pointer = OpFunctionParameter %fn_v2float
%set_column_begin = OpLabel
OpStore %column_pointer %null_v2float
OpReturn
OpFunctionEnd
)";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLines(text, {"* = OpFunctionCall %void %set_matrix *", "OpStore %matrix * Aligned 8",
                              "* = OpFunctionCall %void %set_column *", "OpStore %column * Aligned 4",
                              "%matrix_pointer = OpFunctionParameter * ...", "OpStore %matrix_pointer %null_mat2"}))
      << text;
}

TEST(ShapesOfCalls, OutParameterOfAnInstructionSet) {
  NodeParts parts;
  parts.globals = R"(
%big = OpTypeStruct %float
%bigs = OpTypeNodePayloadArrayAMDX %big
%big_ptr = OpTypePointer NodePayloadAMDX %bigs
%np_float = OpTypePointer NodePayloadAMDX %float
%float_1 = OpConstant %float 1.5
)";
  parts.decorations =
      "OpMemberDecorate %big 0 Offset 0\nOpDecorateId %bigs NodeMaxPayloadsAMDX %uint_1\n"
      "OpDecorateId %bigs PayloadNodeNameAMDX %target_name\n";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %big_ptr %uint_2 %uint_1 %uint_0
%whole = OpAccessChain %np_float %allocated %uint_0 %int_0
%fraction = OpExtInst %float %glsl Modf %float_1 %whole
OpEnqueueNodePayloadsAMDX %allocated
)";
  std::string text = Compose(parts);
  text.insert(text.find("OpMemoryModel"), "%glsl = OpExtInstImport \"GLSL.std.450\"\n");
  const std::string main = FunctionText(LowerText(text), "main");
  EXPECT_TRUE(HasLines(main, {"* = OpVariable %ptr_Function_float Function", "%fraction = OpExtInst ...",
                              "* = OpLoad %float *", "OpStore %whole * Aligned 4"}))
      << main;
}

TEST(ShapesOfCalls, ChosenPointersIntoPayloads) {
  NodeParts parts = Node(R"(
%other = OpAccessChain %fn_uint %local %uint_1 %int_0
%member = OpAccessChain %fn_uint %local %uint_0 %int_0
%selected = OpSelect %fn_uint %true %member %other
%direct = OpAccessChain %np_uint %allocated %uint_2 %int_1
OpBranch %header
%header = OpLabel
%merged = OpPhi %fn_uint %selected %main_begin %same %continue
%i = OpPhi %uint %uint_0 %main_begin %next %continue
%more = OpULessThan %bool %i %uint_4
OpLoopMerge %done %continue None
OpBranchConditional %more %continue %done
%continue = OpLabel
%same = OpCopyObject %fn_uint %merged
%next = OpIAdd %uint %i %uint_1
OpBranch %header
%done = OpLabel
OpStore %merged %uint_1
%chosen = OpSelect %np_uint %true %direct %direct
OpStore %chosen %uint_2
)");
  parts.capabilities = "OpCapability VariablePointers";
  EXPECT_TRUE(HasLines(FunctionText(LowerParts(parts), "main"),
                       {"%selected = OpSelect %ptr_PhysicalStorageBuffer_uint %true %member %other",
                        "%merged = OpPhi %ptr_PhysicalStorageBuffer_uint %selected %main_begin %same %continue",
                        "OpStore %merged %uint_1 Aligned 4", "OpStore %chosen %uint_2 Aligned 4"}));
}

// Each function calls the next one with a payload and with a variable as one more argument: 2^n versions of the n-th.
TEST(ShapesOfCalls, VersionsAreLimited) {
  constexpr int kDeepest = 11;
  std::string globals, functions;
  std::string parameter_types = "%fn_out %fn_uint", arguments = "%local %real";
  NodeParts parts = Node("%r = OpFunctionCall %void %f0 " + arguments);
  for (int level = 0; level <= kDeepest; ++level) {
    const std::string n = std::to_string(level);
    const std::string name = "%f" + n;
    const auto parameter = [&](int i) { return name + "_" + std::to_string(i); };
    globals += name + "_type = OpTypeFunction %void " + parameter_types + "\n";
    functions +=
        name + " = OpFunction %void None " + name + "_type\n" + parameter(0) + " = OpFunctionParameter %fn_out\n";
    std::string own = parameter(0);
    for (int i = 1; i <= level + 1; ++i) {
      functions += parameter(i) + " = OpFunctionParameter %fn_uint\n";
      own += " " + parameter(i);
    }
    functions += name + "_begin = OpLabel\n";
    if (level < kDeepest) {
      const std::string next = " = OpFunctionCall %void %f" + std::to_string(level + 1) + " " + own + " ";
      functions += name + "_member = OpAccessChain %fn_uint " + parameter(0) + " %uint_0 %int_0\n";
      functions += name + "_a" + next + parameter(1) + "\n" + name + "_b" + next + name + "_member\n";
    }
    functions += "OpReturn\nOpFunctionEnd\n";
    parameter_types += " %fn_uint";
  }
  parts.globals = globals;
  parts.functions = functions;
  const std::string message = LoweringRefusal(parts);
  EXPECT_NE(message.find("too many combinations of pointers in calls"), std::string::npos) << message;
}

// `stores` times *a = 7, in a function that is called with three combinations of payloads and variables.
NodeParts InThreeVersions(int stores) {
  std::string body;
  for (int i = 0; i < stores; ++i) body += "OpStore %large_a %uint_7\n";
  return Node(std::string(kMember) + R"(
%r1 = OpFunctionCall %void %large %member %real
%r2 = OpFunctionCall %void %large %real %member
%r3 = OpFunctionCall %void %large %member %member
)",
              "%large_type = OpTypeFunction %void %fn_uint %fn_uint\n",
              "%large = OpFunction %void None %large_type\n%large_a = OpFunctionParameter %fn_uint\n"
              "%large_b = OpFunctionParameter %fn_uint\n%large_begin = OpLabel\n" +
                  body + "OpReturn\nOpFunctionEnd\n");
}

TEST(ShapesOfCalls, LargeFunctionsMayHaveSomeVersions) { EXPECT_EQ(LoweringRefusal(InThreeVersions(12000)), ""); }

TEST(ShapesOfCalls, VersionsKeepTheirNamesAndDecorations) {
  NodeParts parts = InThreeVersions(1);
  parts.decorations = "OpDecorate %large_b Restrict\n";
  const std::string text = LowerParts(parts);
  EXPECT_EQ(CountLines(text, "%large_a = OpFunctionParameter ..."), 3u) << text;
  EXPECT_EQ(CountLines(text, "OpName %large_a \"large_a\""), 3u) << text;
  EXPECT_EQ(CountLines(text, "OpDecorate %large_b Restrict"), 3u) << text;
}

TEST(ShapesOfCalls, RecursionIsRefused) {
  const std::string types = "%set_type = OpTypeFunction %void %fn_uint\n";
  const auto function = [](const std::string& name, const std::string& callee) {
    return "%" + name + " = OpFunction %void None %set_type\n%" + name + "_pointer = OpFunctionParameter %fn_uint\n%" +
           name + "_begin = OpLabel\n%" + name + "_call = OpFunctionCall %void %" + callee + " %" + name +
           "_pointer\nOpReturn\nOpFunctionEnd\n";
  };
  const auto refuses = [&](const std::string& functions) {
    const std::string message =
        LoweringRefusal(Node(std::string(kMember) + "%r = OpFunctionCall %void %first %member", types, functions));
    EXPECT_NE(message.find("(first): calls itself"), std::string::npos) << message;
    EXPECT_NE(message.find("VUID-StandaloneSpirv-None-04634"), std::string::npos) << message;
  };
  refuses(function("first", "first"));
  refuses(function("first", "second") + function("second", "third") + function("third", "first"));
}

TEST(ShapesOfCalls, RecursionThatNothingCallsIsNoMatter) {
  EXPECT_EQ(LoweringRefusal(Node("", "%fn_type = OpTypeFunction %void\n", R"(
%unused = OpFunction %void None %fn_type
%unused_begin = OpLabel
%call = OpFunctionCall %void %unused
OpReturn
OpFunctionEnd
)")),
            "");
}

// A payload {float, mat2, mat2[2]} of row-major matrices, %element a pointer to one.
NodeParts WithMatrices(const std::string& body, const std::string& globals, const std::string& functions) {
  NodeParts parts;
  parts.globals = R"(
%v2float = OpTypeVector %float 2
%mat2 = OpTypeMatrix %v2float 2
%mats = OpTypeArray %mat2 %uint_2
%big = OpTypeStruct %float %mat2 %mats
%bigs = OpTypeNodePayloadArrayAMDX %big
%big_ptr = OpTypePointer NodePayloadAMDX %bigs
%np_float = OpTypePointer NodePayloadAMDX %float
%np_v2float = OpTypePointer NodePayloadAMDX %v2float
%np_mat2 = OpTypePointer NodePayloadAMDX %mat2
%np_mats = OpTypePointer NodePayloadAMDX %mats
)" + globals;
  parts.decorations = R"(
OpDecorate %mats ArrayStride 32
OpMemberDecorate %big 0 Offset 0
OpMemberDecorate %big 1 Offset 16
OpMemberDecorate %big 1 RowMajor
OpMemberDecorate %big 1 MatrixStride 16
OpMemberDecorate %big 2 Offset 48
OpMemberDecorate %big 2 RowMajor
OpMemberDecorate %big 2 MatrixStride 16
OpDecorateId %bigs NodeMaxPayloadsAMDX %uint_1
OpDecorateId %bigs PayloadNodeNameAMDX %target_name
)";
  parts.body = "%allocated = OpAllocateNodePayloadsAMDX %big_ptr %uint_2 %uint_1 %uint_0\n" + body +
               "OpEnqueueNodePayloadsAMDX %allocated\n";
  parts.functions = functions;
  return parts;
}

// A function whose parameter is `type`, a pointer, and that does nothing with it.
std::string Taker(const std::string& type) {
  return "%take = OpFunction %void None %take_" + type + "\n%taken = OpFunctionParameter %" + type +
         "\n%take_begin = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

TEST(ShapesOfCalls, NoParameterSaysHowAMatrixLies) {
  struct Case {
    const char *type, *indices;
  };
  for (const Case& test : {Case{"np_mat2", "%int_1"}, Case{"np_v2float", "%int_1 %int_0"}, Case{"np_mats", "%int_2"},
                           Case{"np_mat2", "%int_2 %int_1"}, Case{"np_v2float", "%int_2 %int_1 %int_0"}}) {
    const std::string type = test.type;
    const std::string pass = "%part = OpAccessChain %" + type + " %allocated %uint_0 " + test.indices +
                             "\n%r = OpFunctionCall %void %take %part\n";
    const std::string message =
        LoweringRefusal(WithMatrices(pass, "%take_" + type + " = OpTypeFunction %void %" + type + "\n", Taker(type)));
    EXPECT_NE(message.find("OpFunctionCall %"), std::string::npos) << message;
    EXPECT_NE(message.find("goes where its layout is not known"), std::string::npos) << message;
  }
}

TEST(ShapesOfCalls, NorDoesTheParameterOfABareInput) {
  NodeParts parts = WithMatrices("",
                                 "%take_np_mat2 = OpTypeFunction %void %np_mat2\n%in_big = OpTypePointer "
                                 "NodePayloadAMDX %big\n%bare = OpVariable %in_big NodePayloadAMDX\n",
                                 Taker("np_mat2"));
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  parts.declare_input = false;
  parts.interface = "%bare";
  parts.body = "%part = OpAccessChain %np_mat2 %bare %int_1\n%r = OpFunctionCall %void %take %part\n";
  const std::string message = LoweringRefusal(parts);
  EXPECT_NE(message.find("goes where its layout is not known"), std::string::npos) << message;
}

TEST(ShapesOfCalls, NorDoesAChoice) {
  NodeParts parts = WithMatrices(
      "%one = OpAccessChain %np_mat2 %allocated %uint_0 %int_1\n%two = OpAccessChain %np_mat2 %allocated %uint_0 "
      "%int_2 "
      "%int_0\n%chosen = OpSelect %np_mat2 %true %one %two\n%value = OpLoad %mat2 %chosen\n",
      "", "");
  parts.capabilities = "OpCapability VariablePointers";
  const std::string message = LoweringRefusal(parts);
  EXPECT_NE(message.find("goes where its layout is not known"), std::string::npos) << message;
}

TEST(ShapesOfCalls, ScalarsOfAMatrixMayBePassed) {
  const std::string text =
      LowerParts(WithMatrices("%part = OpAccessChain %np_float %allocated %uint_0 %int_1 %int_0 %int_1\n%r = "
                              "OpFunctionCall %void %take %part\n",
                              "%take_np_float = OpTypeFunction %void %np_float\n", Taker("np_float")));
  EXPECT_TRUE(HasLine(text, "%taken = OpFunctionParameter %ptr_PhysicalStorageBuffer_float")) << text;
}

TEST(ShapesOfCalls, UnknownUsesOfPayloadPointersAreRefused) {
  NodeParts parts;
  parts.capabilities =
      "OpCapability CooperativeMatrixKHR\nOpCapability VulkanMemoryModel\nOpExtension \"SPV_KHR_cooperative_matrix\"\n";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  parts.globals = "%tile = OpTypeCooperativeMatrixKHR %uint %uint_3 %uint_4 %uint_4 %uint_0\n";
  parts.body =
      "%place = OpAccessChain %np_uint %input %uint_0 %int_0\n%loaded = OpCooperativeMatrixLoadKHR %tile %place "
      "%uint_0 "
      "%uint_4\n";
  const std::string message = LoweringRefusal(parts);
  EXPECT_NE(message.find("OpCooperativeMatrixLoadKHR %"), std::string::npos) << message;
  EXPECT_NE(message.find("takes a pointer into a payload: not supported"), std::string::npos) << message;
}

TEST(ShapesOfCalls, ChainsWithoutIndicesLeadIntoThePayloadToo) {
  const std::string text = LowerParts(Node(std::string(kMember) + R"(
%same = OpAccessChain %fn_uint %member
OpStore %same %uint_7
)"));
  EXPECT_TRUE(HasLine(text, "OpStore %same %uint_7 Aligned 8")) << text;
}

}  // namespace
}  // namespace trellis::spirv
