// SPDX-License-Identifier: Apache-2.0
// Handles in aggregates and copies, what stands around them in a module, and shapes that are no SPIR-V.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/shape_parts.h"

namespace trellis::spirv {
namespace {

TEST(ShapesOfHandles, StructureInAVariable) {
  NodeParts parts = Node(R"(
%slot = OpAccessChain %fn_out %pair %int_1
OpStore %slot %handle
%target = OpAccessChain %fn_uint %pair %int_1 %uint_2 %int_1
OpStore %target %uint_7
%whole = OpLoad %holder %pair
%inside = OpCompositeExtract %outputs %whole 1
%read = OpCompositeExtract %uint %whole 1 2 1
%changed = OpCompositeInsert %holder %uint_5 %whole 1 0 0
%other = OpCompositeConstruct %holder %uint_1 %inside
OpStore %pair %other
OpEnqueueNodePayloadsAMDX %slot
)",
                         "%holder = OpTypeStruct %uint %outputs\n%fn_holder = OpTypePointer Function %holder");
  parts.variables += "%pair = OpVariable %fn_holder Function";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%holder = OpTypeStruct %uint %v4uint")) << text;
  EXPECT_TRUE(HasLines(FunctionText(text, "main"),
                       {
                           "%pair = OpVariable %fn_holder Function %null_holder",
                           "%slot = OpAccessChain %ptr_Function_v4uint %pair %int_1",
                           "OpStore %slot %handle",
                           "* = OpAccessChain %ptr_Function_v4uint %pair %int_1",
                           "* = OpFunctionCall %v2uint %trellis_element * %uint_2",
                           "%target = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_1",
                           "OpStore %target %uint_7 Aligned 4",
                           "%inside = OpCompositeExtract %v4uint %whole 1",
                           "* = OpCompositeExtract %v4uint %whole 1",
                           "%read = OpLoad %uint * Aligned 4",
                           "OpStore * %uint_5 Aligned 8",
                           "%changed = OpCopyObject %holder %whole",
                           "%other = OpCompositeConstruct %holder %uint_1 %inside",
                           "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64",
                       }))
      << text;
}

TEST(ShapesOfHandles, ArraysOfStructuresOfArrays) {
  NodeParts parts = Node(R"(
%index = OpNodePayloadArrayLengthAMDX %uint %input
%slot = OpAccessChain %fn_out %many %index %int_0 %uint_1
OpStore %slot %handle
%again = OpAccessChain %fn_pair %many %index %int_0
%inner = OpAccessChain %fn_uint %again %uint_1 %index %int_0
OpStore %inner %uint_7
%copy = OpCopyObject %fn_out %slot
OpEnqueueNodePayloadsAMDX %copy
)",
                         R"(
%pair = OpTypeArray %outputs %uint_2
%holder = OpTypeStruct %pair %float
%holders = OpTypeArray %holder %uint_4
%fn_pair = OpTypePointer Function %pair
%fn_holders = OpTypePointer Function %holders
)");
  parts.variables += "%many = OpVariable %fn_holders Function";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%pair = OpTypeArray %v4uint %uint_2")) << text;
  EXPECT_TRUE(HasLines(FunctionText(text, "main"), {"%inner = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_0",
                                                    "OpStore %inner %uint_7 Aligned 8"}))
      << text;
}

TEST(ShapesOfHandles, AggregatesThroughFunctionsAndLogicalCopies) {
  NodeParts parts = Node(R"(
%made = OpFunctionCall %holder %wrap %handle
%same = OpCopyLogical %holder2 %made
%inside = OpCompositeExtract %outputs %same 1
OpEnqueueNodePayloadsAMDX %inside
)",
                         R"(
%holder = OpTypeStruct %uint %outputs
%holder2 = OpTypeStruct %uint %outputs
%wrap_type = OpTypeFunction %holder %outputs
)",
                         R"(
%wrap = OpFunction %holder None %wrap_type
%wrapped = OpFunctionParameter %outputs
%wrap_begin = OpLabel
%result = OpCompositeConstruct %holder %uint_1 %wrapped
OpReturnValue %result
OpFunctionEnd
)");
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%wrapped = OpFunctionParameter %v4uint")) << text;
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %void %trellis_enqueue_workgroup %inside %uint_64")) << text;
}

TEST(ShapesOfHandles, UndefinedOnesAreNull) {
  NodeParts parts = Node(R"(
%nothing_here = OpUndef %outputs
OpStore %local %nothing_here
OpStore %local %nothing_there
OpEnqueueNodePayloadsAMDX %local
)",
                         "%nothing_there = OpUndef %outputs");
  const std::string text = LowerParts(parts);
  EXPECT_FALSE(HasLine(text, "* = OpUndef ...")) << text;
  EXPECT_TRUE(HasLines(text, {"%nothing_there = OpConstantNull %v4uint", "%nothing_here = OpCopyObject %v4uint *"}))
      << text;
}

TEST(ShapesOfHandles, InsertedRecordIsStored) {
  const std::string main =
      FunctionText(LowerParts(Node("%changed = OpCompositeInsert %outputs %uint_9 %handle 2 1\nOpStore %local "
                                   "%changed\nOpEnqueueNodePayloadsAMDX %local")),
                   "main");
  EXPECT_TRUE(HasLines(main, {"* = OpFunctionCall %v2uint %trellis_element %handle %uint_2",
                              "* = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %uint_1",
                              "OpStore * %uint_9 Aligned 4", "%changed = OpCopyObject %v4uint %handle"}))
      << main;
}

TEST(ShapesOfHandles, StoreToAWholeArrayCopiesPayloads) {
  const std::string main = FunctionText(LowerParts(Node(R"(
%second = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_3 %uint_0
OpStore %second %handle
OpCopyMemory %second %local
OpEnqueueNodePayloadsAMDX %second
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"* = OpFunctionCall %void %trellis_copy_array %handle %second",
                              "* = OpLoad %v4uint %local", "* = OpFunctionCall %void %trellis_copy_array * %second"}))
      << main;
}

// An access chain without indices is another name for the variable: an enqueue through it is one of the handle.
TEST(ShapesOfHandles, ChainWithoutIndices) {
  NodeParts parts;
  parts.variables = "%local = OpVariable %fn_signal Function";
  parts.globals = "%fn_signal = OpTypePointer Function %signals";
  parts.body = R"(
%allocated = OpAllocateNodePayloadsAMDX %signal_ptr %uint_2 %uint_3 %uint_0
%handle = OpLoad %signals %allocated
OpStore %local %handle
%alias = OpAccessChain %fn_signal %local
OpEnqueueNodePayloadsAMDX %alias
)";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(main, {"%allocated = OpFunctionCall %v4uint %trellis_defer_workgroup ...",
                              "%alias = OpCopyObject %ptr_Function_v4uint %local",
                              "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64"}))
      << main;
}

TEST(ShapesOfModules, DebugInformationOfACopiedFunction) {
  NodeParts parts =
      Node(std::string(kMember) + "%r1 = OpFunctionCall %void %set %member\n%r2 = OpFunctionCall %void %set %real",
           R"(
%set_type = OpTypeFunction %void %fn_uint
%uint_32 = OpConstant %uint 32
%d_source = OpExtInst %void %debug DebugSource %file
%d_unit = OpExtInst %void %debug DebugCompilationUnit %uint_1 %uint_4 %d_source %uint_5
%d_uint = OpExtInst %void %debug DebugTypeBasic %d_text %uint_32 %uint_6 %uint_0
%d_type = OpExtInst %void %debug DebugTypeFunction %uint_0 %void
%d_set = OpExtInst %void %debug DebugFunction %d_text %d_type %d_source %uint_1 %uint_1 %d_unit %d_text %uint_0 %uint_1
%d_local = OpExtInst %void %debug DebugLocalVariable %d_text %d_uint %d_source %uint_1 %uint_1 %d_set %uint_0
%d_expression = OpExtInst %void %debug DebugExpression
)",
           R"(
%set = OpFunction %void None %set_type
%pointer = OpFunctionParameter %fn_uint
%set_begin = OpLabel
%d_definition = OpExtInst %void %debug DebugFunctionDefinition %d_set %set
%d_scope = OpExtInst %void %debug DebugScope %d_set
OpLine %file 3 1
%d_declared = OpExtInst %void %debug DebugDeclare %d_local %pointer %d_expression
OpStore %pointer %uint_7
OpNoLine
OpReturn
OpFunctionEnd
)");
  std::string text = Compose(parts);
  text.insert(
      text.find("OpMemoryModel"),
      "OpExtension \"SPV_KHR_non_semantic_info\"\n%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n");
  text.insert(text.find("OpName"), "%file = OpString \"node.hlsl\"\n%d_text = OpString \"set\"\n");
  const std::string lowered = LowerText(text);
  EXPECT_EQ(CountLines(lowered, "%d_declared = OpExtInst ..."), 2u) << lowered;
}

TEST(ShapesOfModules, UnknownDecorationsPass) {
  NodeParts parts = Node(std::string(kMember) +
                         "%sum = OpIAdd %uint %uint_1 %uint_2\nOpStore %member %sum\n"
                         "OpEnqueueNodePayloadsAMDX %local");
  parts.decorations =
      "OpDecorate %sum RelaxedPrecision\nOpDecorateString %record UserTypeGOOGLE \"record\"\n"
      "OpMemberDecorateString %record 0 UserSemantic \"INDEX\"\n";
  std::string text = Compose(parts);
  text.insert(text.find("OpMemoryModel"),
              "OpExtension \"SPV_GOOGLE_hlsl_functionality1\"\nOpExtension \"SPV_GOOGLE_user_type\"\n");
  text.insert(text.find("OpMemberDecorate"), "OpModuleProcessed \"by hand\"\n");
  const std::string lowered = LowerText(text);
  EXPECT_TRUE(HasLine(lowered, "OpModuleProcessed ...")) << lowered;
  EXPECT_TRUE(HasLine(lowered, "OpDecorateString %record UserTypeGOOGLE \"record\"")) << lowered;
  EXPECT_TRUE(HasLine(lowered, "OpMemberDecorateString %record 0 UserSemantic \"INDEX\"")) << lowered;
  EXPECT_TRUE(HasLine(lowered, "OpDecorate %sum RelaxedPrecision")) << lowered;
}

TEST(ShapesOfModules, DerivativeGroups) {
  NodeParts parts = Node("OpEnqueueNodePayloadsAMDX %local");
  parts.capabilities = "OpCapability ComputeDerivativeGroupLinearKHR";
  parts.modes += "\nOpExecutionMode %main DerivativeGroupLinearKHR";
  std::string text = Compose(parts);
  text.insert(text.find("OpMemoryModel"), "OpExtension \"SPV_KHR_compute_shader_derivatives\"\n");
  const std::string lowered = LowerText(text);
  EXPECT_TRUE(HasLine(lowered, "OpExecutionMode * DerivativeGroupLinearKHR")) << lowered;
}

TEST(ShapesOfModules, SubgroupsAndBarriersAroundAllocations) {
  NodeParts parts = Node(R"(
OpControlBarrier %uint_2 %uint_2 %uint_264
%any = OpGroupNonUniformAny %bool %uint_3 %true
%sum = OpGroupNonUniformIAdd %uint %uint_3 Reduce %uint_1
OpEnqueueNodePayloadsAMDX %local
)",
                         "%uint_264 = OpConstant %uint 264");
  parts.capabilities =
      "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic";
  EXPECT_TRUE(HasLines(FunctionText(LowerParts(parts), "main"),
                       {"%allocated = OpFunctionCall %v4uint %trellis_reserve_workgroup ...", "OpControlBarrier ...",
                        "%sum = OpGroupNonUniformIAdd ..."}));
}

TEST(ShapesOfModules, UnreachableEnd) {
  NodeParts parts = Node(R"(
OpEnqueueNodePayloadsAMDX %local
OpSelectionMerge %never None
OpBranchConditional %true %left %right
%left = OpLabel
OpReturn
%right = OpLabel
OpReturn
%never = OpLabel
)");
  parts.end = "OpUnreachable";
  EXPECT_TRUE(HasLine(LowerParts(parts), "%allocated = OpFunctionCall %v4uint %trellis_reserve_workgroup ..."));
}

TEST(Shapes, Refusals) {
  const auto refuses = [](const NodeParts& parts, const char* what) {
    const std::string message = LoweringRefusal(parts);
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_EQ(message.rfind("node 'node': ", 0), 0u) << message;
    EXPECT_NE(message.find('%'), std::string::npos) << message;
  };
  refuses(Node(std::string(kMember) + "%chosen = OpSelect %fn_uint %true %member %real"),
          "meets a pointer to ordinary memory");
  refuses(Node(std::string(kMember) + "OpBranch %next\n%next = OpLabel\nOpBranch %header\n%header = OpLabel\n"
                                      "%chosen = OpPhi %fn_uint %member %next %real %header\nOpLoopMerge %done "
                                      "%header None\nOpBranchConditional %true %done %header\n%done = OpLabel"),
          "meets a pointer to ordinary memory");
  NodeParts stored = Node("%element = OpAccessChain %np_uint %allocated %uint_0 %int_0\nOpStore %keeps %element",
                          "%fn_np = OpTypePointer Function %np_uint");
  stored.variables += "%keeps = OpVariable %fn_np Function";
  refuses(stored, "is stored");
  refuses(Node("%r = OpFunctionCall %fn_uint %member_of %local", "%get_type = OpTypeFunction %fn_uint %fn_out", R"(
%member_of = OpFunction %fn_uint None %get_type
%of = OpFunctionParameter %fn_out
%get_begin = OpLabel
%got = OpAccessChain %fn_uint %of %uint_0 %int_0
OpReturnValue %got
OpFunctionEnd
)"),
          "is returned");
}

}  // namespace
}  // namespace trellis::spirv
