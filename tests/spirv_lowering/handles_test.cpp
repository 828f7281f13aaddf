// SPDX-License-Identifier: Apache-2.0
// The shapes in which compilers hand payload arrays about, each as text before and after.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

// What compilers emit for an allocation at Workgroup scope (%uint_2) that is stored to %local.
constexpr const char* kVariablesOfHandles = R"(
%param = OpVariable %fn_out Function
%local = OpVariable %fn_out Function
)";
constexpr const char* kAllocateArray = R"(
%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_3 %uint_0
%handle = OpLoad %outputs %allocated
OpStore %local %handle
)";

NodeParts Produces(const std::string& body, const std::string& variables = kVariablesOfHandles) {
  NodeParts parts;
  parts.variables = variables;
  parts.body = body;
  return parts;
}

TEST(Handles, InputElementAndMember) {
  const std::string text = LowerParts(Produces(R"(
%element = OpAccessChain %np_record %input %uint_0
%member = OpAccessChain %np_uint %input %uint_2 %int_1
%value = OpLoad %uint %member
)"));
  const std::string main = FunctionText(text, "main");
  EXPECT_TRUE(HasLines(main,
                       {
                           "* = OpLoad %v4uint %trellis_input",
                           "* = OpFunctionCall %v2uint %trellis_input_element * %uint_0",
                           "* = OpBitcast %ptr_PhysicalStorageBuffer_record *",
                           "%element = OpCopyObject %ptr_PhysicalStorageBuffer_record *",
                           "* = OpFunctionCall %v2uint %trellis_input_element * %uint_2",
                           "* = OpBitcast %ptr_PhysicalStorageBuffer_record *",
                           "%member = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_1",
                           "%value = OpLoad %uint %member Aligned 4",
                       }))
      << main;
  EXPECT_EQ(CountLines(main, "* = OpLoad %v4uint %trellis_input"), 1u);
}

TEST(Handles, AllocationStoredIntoAVariable) {
  const std::string text = LowerParts(Produces(std::string(kAllocateArray) + R"(
%target = OpAccessChain %fn_uint %local %uint_1 %int_1
OpStore %target %uint_7
OpEnqueueNodePayloadsAMDX %local
)"));
  const std::string main = FunctionText(text, "main");
  EXPECT_TRUE(
      HasLines(main,
               {
                   "%local = OpVariable %ptr_Function_v4uint Function %null_v4uint",
                   "%allocated = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_0 %uint_3 %uint_0 %uint_4",
                   "%handle = OpCopyObject %v4uint %allocated",
                   "OpStore %local %handle",
                   "* = OpLoad %v4uint %local",
                   "* = OpFunctionCall %v2uint %trellis_element * %uint_1",
                   "%target = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_1",
                   "OpStore %target %uint_7 Aligned 4",
                   "OpReturn",
               }))
      << main;
  EXPECT_FALSE(HasLine(main, "* = OpFunctionCall %void ...")) << "nothing is left to do at the enqueue";
}

TEST(Handles, DynamicIndexOfAnySignednessAndWidth) {
  NodeParts parts = Produces(R"(
%index = OpLoad %uint %local_index
%signed = OpBitcast %int %index
%wide = OpUConvert %ulong %index
%member1 = OpInBoundsAccessChain %np_uint %input %index %int_0
%value1 = OpLoad %uint %member1
%member2 = OpAccessChain %np_uint %input %signed %int_0
%value2 = OpLoad %uint %member2
%member3 = OpAccessChain %np_uint %input %wide %int_0
%value3 = OpLoad %uint %member3
)");
  parts.capabilities = "OpCapability Int64";
  parts.interface = "%input %local_index";
  parts.decorations = "OpDecorate %local_index BuiltIn LocalInvocationIndex";
  parts.globals =
      "%ulong = OpTypeInt 64 0\n%ptr_index = OpTypePointer Input %uint\n%local_index = OpVariable %ptr_index Input";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLine(main, "* = OpFunctionCall %v2uint %trellis_input_element * %index")) << main;
  EXPECT_TRUE(HasLine(main, "* = OpBitcast %uint %signed")) << main;
  EXPECT_TRUE(HasLine(main, "* = OpUConvert %uint %wide")) << main;
}

TEST(Handles, SpecialisationConstantsAsCountAndIndex) {
  NodeParts parts = Produces(R"(
%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %spec %spec_int
%target = OpAccessChain %np_uint %allocated %spec_int %int_1
OpStore %target %uint_7
OpEnqueueNodePayloadsAMDX %allocated
)");
  parts.decorations = "OpDecorate %spec SpecId 3\nOpDecorate %spec_int SpecId 4";
  parts.globals = "%spec = OpSpecConstant %uint 2\n%spec_int = OpSpecConstant %int 1";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(
      HasLines(main, {"* = OpBitcast %uint %spec_int",
                      "%allocated = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_0 %spec * %uint_4"}))
      << main;
}

TEST(Handles, WholeRecordLoadAndStore) {
  const std::string main =
      FunctionText(LowerParts(Produces(std::string(kAllocateArray) + R"(
%element = OpAccessChain %np_record %input %uint_0
%whole = OpLoad %record %element
OpStore %copy %whole
%again = OpLoad %record %copy
%target = OpAccessChain %fn_record %local %uint_0
OpStore %target %again
OpEnqueueNodePayloadsAMDX %local
)",
                                       std::string(kVariablesOfHandles) + "%copy = OpVariable %fn_record Function")),
                   "main");
  EXPECT_TRUE(HasLines(
      main, {"%whole = OpLoad %record %element Aligned 8", "OpStore %copy %whole", "%again = OpLoad %record %copy",
             "%target = OpCopyObject %ptr_PhysicalStorageBuffer_record *", "OpStore %target %again Aligned 8"}))
      << main;
}

TEST(Handles, CopyMemoryBecomesLoadAndStore) {
  const std::string main =
      FunctionText(LowerParts(Produces(std::string(kAllocateArray) + R"(
%element = OpAccessChain %np_record %input %uint_0
%target = OpAccessChain %fn_record %local %uint_0
OpCopyMemory %target %element
OpCopyMemory %copy %element Volatile
OpCopyMemory %target %copy
OpEnqueueNodePayloadsAMDX %local
)",
                                       std::string(kVariablesOfHandles) + "%copy = OpVariable %fn_record Function")),
                   "main");
  EXPECT_FALSE(HasLine(main, "OpCopyMemory ...")) << main;
  EXPECT_TRUE(HasLines(main, {"* = OpLoad %record %element Aligned 8", "OpStore %target * Aligned 8",
                              "* = OpLoad %record %element Volatile|Aligned 8", "OpStore %copy * Volatile",
                              "* = OpLoad %record %copy", "OpStore %target * Aligned 8"}))
      << main;
}

// A load makes nothing available and a store makes nothing visible: SPIR-V forbids both, so a copy's operands are
// shared out, those that stand for both sides and those with a set for each.
TEST(Handles, CopyMemoryGivesEachSideItsOwnMemoryOperands) {
  NodeParts parts = Produces(std::string(kAllocateArray) + R"(
%element = OpAccessChain %np_record %input %uint_0
%target = OpAccessChain %fn_record %local %uint_0
OpCopyMemory %target %element MakePointerAvailable|MakePointerVisible|NonPrivatePointer %uint_5 %uint_5
OpCopyMemory %target %element MakePointerAvailable|NonPrivatePointer %uint_5 MakePointerVisible|NonPrivatePointer %uint_2
OpEnqueueNodePayloadsAMDX %local
)");
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(main, {"* = OpLoad %record %element Aligned|MakePointerVisible|NonPrivatePointer 8 %uint_5",
                              "OpStore %target * Aligned|MakePointerAvailable|NonPrivatePointer 8 %uint_5",
                              "* = OpLoad %record %element Aligned|MakePointerVisible|NonPrivatePointer 8 %uint_2",
                              "OpStore %target * Aligned|MakePointerAvailable|NonPrivatePointer 8 %uint_5"}))
      << main;
  EXPECT_EQ(CountLines(main, "* = OpLoad %record %element ..."), 2u);
}

TEST(Handles, AccessChainsOfAccessChainsAtomicsAndVectorComponents) {
  NodeParts parts = Produces(R"(
%allocated = OpAllocateNodePayloadsAMDX %big_ptr %uint_2 %uint_1 %uint_0
%handle = OpLoad %bigs %allocated
OpStore %local %handle
%whole = OpAccessChain %fn_big %local %uint_0
%vector = OpAccessChain %fn_v3 %whole %int_1
%component = OpAccessChain %fn_uint %vector %uint_2
OpStore %component %uint_5
%counter = OpAccessChain %fn_uint %whole %int_0
%before = OpAtomicIAdd %uint %counter %uint_1 %uint_0 %uint_3
%read = OpLoad %v3uint %vector
%inserted = OpCompositeInsert %v3uint %uint_9 %read 0
OpStore %vector %inserted
OpEnqueueNodePayloadsAMDX %local
)",
                             "%local = OpVariable %fn_bigs Function");
  parts.decorations = R"(
OpMemberDecorate %big 0 Offset 0
OpMemberDecorate %big 1 Offset 4
OpDecorateId %bigs NodeMaxPayloadsAMDX %uint_1
OpDecorateId %bigs PayloadNodeNameAMDX %target_name
)";
  parts.globals = R"(
%big = OpTypeStruct %uint %v3uint
%bigs = OpTypeNodePayloadArrayAMDX %big
%big_ptr = OpTypePointer NodePayloadAMDX %bigs
%fn_bigs = OpTypePointer Function %bigs
%fn_big = OpTypePointer Function %big
%fn_v3 = OpTypePointer Function %v3uint
)";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(HasLines(
      main, {"%whole = OpCopyObject %ptr_PhysicalStorageBuffer_big *",
             "%vector = OpAccessChain %ptr_PhysicalStorageBuffer_v3uint %whole %int_1",
             "%component = OpAccessChain %ptr_PhysicalStorageBuffer_uint %vector %uint_2",
             "OpStore %component %uint_5 Aligned 4", "%before = OpAtomicIAdd %uint %counter %uint_1 %uint_0 %uint_3",
             "%read = OpLoad %v3uint %vector Aligned 4", "OpStore %vector %inserted Aligned 4"}))
      << main;
}

TEST(Handles, ArrayLengths) {
  const std::string main = FunctionText(LowerParts(Produces(std::string(kAllocateArray) + R"(
%of_input = OpNodePayloadArrayLengthAMDX %uint %input
%of_variable = OpNodePayloadArrayLengthAMDX %uint %local
%of_allocation = OpNodePayloadArrayLengthAMDX %int %allocated
OpEnqueueNodePayloadsAMDX %local
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"* = OpCompositeExtract %uint * 2", "%of_input = OpCopyObject %uint *",
                              "* = OpLoad %v4uint %local", "%of_variable = OpCopyObject %uint *",
                              "* = OpCompositeExtract %uint %allocated 2", "%of_allocation = OpBitcast %int *"}))
      << main;
}

TEST(Handles, ValidityByTypeByVariableAndByPointer) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
%by_type = OpIsNodePayloadValidAMDX %bool %outputs2 %uint_3
%by_variable = OpIsNodePayloadValidAMDX %bool %param %uint_1
%pointer = OpAllocateNodePayloadsAMDX %out2_ptr %uint_2 %uint_1 %uint_0
%by_pointer = OpIsNodePayloadValidAMDX %bool %pointer %uint_2
OpEnqueueNodePayloadsAMDX %pointer
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"%by_type = OpFunctionCall %bool %trellis_valid %uint_1 %uint_3",
                              "%by_variable = OpFunctionCall %bool %trellis_valid %uint_0 %uint_1",
                              "%by_pointer = OpFunctionCall %bool %trellis_valid %uint_1 %uint_2"}))
      << main;
}

// Tables of the graph know it.
TEST(Handles, IndicesAreRelativeToTheBaseIndex) {
  NodeParts parts = Produces(R"(
%dynamic = OpNodePayloadArrayLengthAMDX %uint %input
%first = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_2
OpEnqueueNodePayloadsAMDX %first
%second = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %dynamic
OpEnqueueNodePayloadsAMDX %second
%valid = OpIsNodePayloadValidAMDX %bool %outputs %uint_1
)");
  parts.decorations =
      "OpDecorateId %outputs PayloadNodeBaseIndexAMDX %uint_7\nOpDecorateId %outputs PayloadNodeArraySizeAMDX %uint_4";
  const std::string main = FunctionText(LowerParts(parts), "main");
  EXPECT_TRUE(
      HasLines(main, {"%first = OpFunctionCall %v4uint %trellis_reserve_invocation %uint_0 %uint_1 %uint_2 %uint_4",
                      "%second = OpFunctionCall %v4uint %trellis_reserve_invocation %uint_0 %uint_1 %dynamic %uint_4",
                      "%valid = OpFunctionCall %bool %trellis_valid %uint_0 %uint_1"}))
      << main;
}

// The compiler gives a single output's base index as operand too.
TEST(Handles, BaseIndexOfASingleOutputCountsOnceForValidity) {
  NodeParts parts = Produces("%valid = OpIsNodePayloadValidAMDX %bool %param %uint_7");
  parts.decorations = "OpDecorateId %outputs PayloadNodeBaseIndexAMDX %uint_7";
  EXPECT_TRUE(HasLine(LowerParts(parts), "%valid = OpFunctionCall %bool %trellis_valid %uint_0 %uint_0"));
}

TEST(Handles, EmptyPayloadsAreSentWhenAllocated) {
  const std::string text =
      LowerParts(Produces("%unused = OpAllocateNodePayloadsAMDX %signal_ptr %uint_4 %uint_2 %uint_0"));
  EXPECT_TRUE(
      HasLine(text, "%unused = OpFunctionCall %v4uint %trellis_reserve_invocation %uint_0 %uint_2 %uint_0 %uint_4"))
      << text;
}

TEST(Handles, HandleCopiedBetweenVariables) {
  const std::string main = FunctionText(LowerParts(Produces(std::string(kAllocateArray) + R"(
%moved = OpLoad %outputs %local
OpStore %param %moved
%target = OpAccessChain %fn_uint %param %uint_0 %int_0
OpStore %target %uint_7
OpEnqueueNodePayloadsAMDX %param
)")),
                                        "main");
  EXPECT_TRUE(
      HasLines(main, {"%allocated = OpFunctionCall %v4uint %trellis_defer_workgroup %uint_0 %uint_3 %uint_0 %uint_4",
                      "%moved = OpLoad %v4uint %local", "OpStore %param %moved", "* = OpLoad %v4uint %param",
                      "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64"}))
      << main;
}

TEST(Handles, HandleCopiedByCopyMemory) {
  const std::string main = FunctionText(LowerParts(Produces(std::string(kAllocateArray) + R"(
OpCopyMemory %param %local
OpEnqueueNodePayloadsAMDX %param
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"* = OpLoad %v4uint %local", "OpStore %param *",
                              "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64"}))
      << main;
}

TEST(Handles, PhiSelectAndCopyOfHandles) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
%length = OpNodePayloadArrayLengthAMDX %uint %input
%many = OpUGreaterThan %bool %length %uint_2
%one = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0
%two = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_2 %uint_0
%selected = OpSelect %out_ptr %many %one %two
%copied = OpCopyObject %out_ptr %selected
OpSelectionMerge %join None
OpBranchConditional %many %left %right
%left = OpLabel
OpBranch %join
%right = OpLabel
OpBranch %join
%join = OpLabel
%chosen = OpPhi %out_ptr %copied %left %two %right
%target = OpAccessChain %np_uint %chosen %uint_0 %int_0
OpStore %target %uint_7
OpEnqueueNodePayloadsAMDX %chosen
)")),
                                        "main");
  EXPECT_TRUE(
      HasLines(main, {"%selected = OpSelect %v4uint %many %one %two", "%copied = OpCopyObject %v4uint %selected",
                      "%chosen = OpPhi %v4uint %copied %left %two %right",
                      "* = OpFunctionCall %v2uint %trellis_element %chosen %uint_0",
                      "* = OpFunctionCall %void %trellis_enqueue_workgroup %chosen %uint_64"}))
      << main;
}

// For a CPU lost records' place is looked up once, where a node can have any.
TEST(Handles, ElementsForACpu) {
  LowerRequest request;
  request.for_cpu = true;
  const NodeParts sends = Produces(std::string(kAllocateArray) +
                                   "%target = OpAccessChain %fn_uint %local %uint_1 %int_1\nOpStore %target %uint_7\n"
                                   "OpEnqueueNodePayloadsAMDX %local\n");
  std::string text = LowerParts(sends, request);
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %v2uint %trellis_element_or_dump * %uint_1")) << text;
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %void %trellis_find_dump")) << text;

  NodeParts receives = Produces("%element = OpAccessChain %fn_uint %other %uint_1 %int_1\n%v = OpLoad %uint %element",
                                "%other = OpVariable %fn_in Function");
  receives.globals = "%fn_in = OpTypePointer Function %inputs";
  text = LowerParts(receives, request);
  EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %v2uint %trellis_element * %uint_1")) << text;
  EXPECT_FALSE(HasLine(text, "* = OpFunctionCall %void %trellis_find_dump")) << text;
}

// A handle of one record at most does not lie in several pieces.
std::string SendsSome(const std::string& count) {
  return "%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 " + count +
         " %uint_0\n%handle = OpLoad %outputs %allocated\nOpStore %local %handle\n"
         "%target = OpAccessChain %fn_uint %local %uint_0 %int_1\nOpStore %target %uint_7\n"
         "OpEnqueueNodePayloadsAMDX %local\n";
}

TEST(Handles, ElementsOfOneRecord) {
  const NodeParts parts = Produces(SendsSome("%uint_1"));
  EXPECT_TRUE(HasLine(LowerParts(parts), "* = OpFunctionCall %v2uint %trellis_only_element *")) << LowerParts(parts);
  LowerRequest request;
  request.for_cpu = true;
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "* = OpFunctionCall %v2uint %trellis_only_element_or_dump *"));
}

TEST(Handles, ElementsOfOneRecordOrNone) {
  const std::string choice =
      "%index = OpLoad %uint %chosen\n%is_none = OpIEqual %bool %index %uint_4\n"
      "%some = OpSelect %uint %is_none %uint_0 %uint_1\nOpStore %chosen %some\n%count = OpLoad %uint %chosen\n";
  NodeParts parts = Produces(choice + SendsSome("%count"));
  parts.variables += "\n%chosen = OpVariable %fn_uint Function %uint_0";
  EXPECT_TRUE(HasLine(LowerParts(parts), "* = OpFunctionCall %v2uint %trellis_only_element *")) << LowerParts(parts);
  parts.body = choice + "OpStore %chosen %uint_2\n" + SendsSome("%count");
  EXPECT_TRUE(HasLine(LowerParts(parts), "* = OpFunctionCall %v2uint %trellis_element * %uint_0")) << "or two";
}

// Each store is looked at once, however many loads lead to it: as many times as there are paths is without end.
TEST(Handles, ACountThroughManyStores) {
  std::string body;
  const auto store = [&](const std::string& from, const std::string& to) {
    for (int i = 0; i < 3000; ++i) {
      const std::string value = "%" + from + to + std::to_string(i);
      body += value + " = OpLoad %uint %" + from + "\nOpStore %" + to + " " + value + "\n";
    }
  };
  store("first", "second");
  store("second", "third");
  NodeParts parts = Produces(body + "%count = OpLoad %uint %third\n" + SendsSome("%count"));
  for (const char* name : {"first", "second", "third"})
    parts.variables += "\n%" + std::string(name) + " = OpVariable %fn_uint Function %uint_1";
  for (int i = 0; i < 3000; ++i) parts.body = "OpStore %first %uint_1\n" + parts.body;
  EXPECT_EQ(ReflectParts(parts).outputs.size(), 1u);
}

TEST(Handles, HandlesAsParametersAndResults) {
  NodeParts parts = Produces(R"(
%made = OpFunctionCall %out_ptr %make %input
OpStore %local %null_outputs
%fill1 = OpFunctionCall %void %fill_by_pointer %made
%loaded = OpLoad %outputs %made
OpStore %local %loaded
%fill2 = OpFunctionCall %void %fill_variable %local
OpEnqueueNodePayloadsAMDX %local
)");
  parts.globals = R"(
%null_outputs = OpConstantNull %outputs
%make_type = OpTypeFunction %out_ptr %in_ptr
%fill_type = OpTypeFunction %void %out_ptr
%fill_variable_type = OpTypeFunction %void %fn_out
)";
  parts.functions = R"(
%make = OpFunction %out_ptr None %make_type
%make_in = OpFunctionParameter %in_ptr
%make_begin = OpLabel
%make_count = OpNodePayloadArrayLengthAMDX %uint %make_in
%make_allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %make_count %uint_0
OpReturnValue %make_allocated
OpFunctionEnd
%fill_by_pointer = OpFunction %void None %fill_type
%fill_handle = OpFunctionParameter %out_ptr
%fill_begin = OpLabel
%fill_target = OpAccessChain %np_uint %fill_handle %uint_0 %int_0
OpStore %fill_target %uint_5
OpReturn
OpFunctionEnd
%fill_variable = OpFunction %void None %fill_variable_type
%variable = OpFunctionParameter %fn_out
%fill_variable_begin = OpLabel
%variable_target = OpAccessChain %fn_uint %variable %uint_0 %int_1
OpStore %variable_target %uint_5
OpReturn
OpFunctionEnd
)";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%made = OpFunctionCall %v4uint %make *")) << text;
  EXPECT_TRUE(HasLine(FunctionText(text, "make"), "%make_in = OpFunctionParameter %v4uint"));
  EXPECT_TRUE(HasLine(FunctionText(text, "fill_variable"), "%variable = OpFunctionParameter %ptr_Function_v4uint"));
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64"));
}

TEST(Handles, CompositeExtractIsALoad) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
%array = OpLoad %inputs %input
%member = OpCompositeExtract %uint %array 2 1
%whole = OpCompositeExtract %record %array 0
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"* = OpFunctionCall %v2uint %trellis_element %array %uint_2",
                              "* = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %uint_1",
                              "%member = OpLoad %uint * Aligned 4", "%whole = OpLoad %record * Aligned 8"}))
      << main;
}

TEST(Handles, WorkgroupOfOneInvocationAllocatesWithoutBarriers) {
  NodeParts parts = Produces(std::string(kAllocateArray) + "OpEnqueueNodePayloadsAMDX %local");
  parts.local_size = "OpExecutionMode %main LocalSize 1 1 1";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "%allocated = OpFunctionCall %v4uint %trellis_reserve_invocation ...")) << text;
  EXPECT_FALSE(HasLine(text, "OpControlBarrier ...")) << text;
}

TEST(Handles, TwoOutputsInALoopWithoutVariables) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %uint_0 %main_begin %next %continue
%more = OpULessThan %bool %i %uint_4
OpLoopMerge %done %continue None
OpBranchConditional %more %work %done
%work = OpLabel
%first = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %i
%second = OpAllocateNodePayloadsAMDX %out2_ptr %uint_2 %i %uint_0
%target = OpAccessChain %np_uint %first %uint_0 %int_0
OpStore %target %i
OpEnqueueNodePayloadsAMDX %first
OpEnqueueNodePayloadsAMDX %second
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %uint_1
OpBranch %header
%done = OpLabel
)")),
                                        "main");
  EXPECT_TRUE(
      HasLines(main, {"%first = OpFunctionCall %v4uint %trellis_reserve_invocation %uint_0 %uint_1 %i %uint_4",
                      "%second = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_1 %i %uint_0 %uint_4"}))
      << main;
}

TEST(Handles, InputIsLoadedBehindVariablesAndTheirLines) {
  NodeParts parts = Produces(
      std::string("%scope = OpExtInst %void %debug 1 %text") + kAllocateArray + "OpEnqueueNodePayloadsAMDX %local", R"(
OpLine %file 1 1
%param = OpVariable %fn_out Function
OpLine %file 2 1
%local = OpVariable %fn_out Function
OpNoLine
)");
  std::string text = Compose(parts);
  text.insert(text.find("OpMemoryModel"),
              "OpExtension \"SPV_KHR_non_semantic_info\"\n%debug = OpExtInstImport \"NonSemantic.DebugPrintf\"\n");
  text.insert(text.find("OpName"), "%file = OpString \"node.hlsl\"\n%text = OpString \"begin\"\n");
  const std::string main = FunctionText(LowerText(text), "main");
  EXPECT_TRUE(HasLines(main, {"OpLine ...", "%param = OpVariable ...", "OpLine ...", "%local = OpVariable ...",
                              "* = OpLoad %v4uint %trellis_input"}))
      << main;
}

TEST(Handles, BothScopesInOneVariable) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
%wide = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0
%wide_value = OpLoad %outputs %wide
OpStore %local %wide_value
%narrow = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_0
%narrow_value = OpLoad %outputs %narrow
OpStore %local %narrow_value
OpEnqueueNodePayloadsAMDX %local
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"%wide = OpFunctionCall %v4uint %trellis_defer_workgroup ...",
                              "%narrow = OpFunctionCall %v4uint %trellis_defer_invocation ...",
                              "* = OpFunctionCall %void %trellis_enqueue_workgroup * %uint_64"}))
      << main;
}

// Not valid, but what comes of it is: the input is loaded behind all variables.
TEST(Handles, VariableBehindAUseOfTheInput) {
  const std::string main = FunctionText(LowerParts(Produces(R"(
%member = OpAccessChain %np_uint %input %uint_2 %int_1
%late = OpVariable %fn_uint Function
%value = OpLoad %uint %member
OpStore %late %value
)")),
                                        "main");
  EXPECT_TRUE(HasLines(main, {"%late = OpVariable %fn_uint Function", "* = OpLoad %v4uint %trellis_input",
                              "* = OpFunctionCall %v2uint %trellis_input_element * %uint_2",
                              "%member = OpAccessChain %ptr_PhysicalStorageBuffer_uint * %int_1"}))
      << main;
}

TEST(Handles, Refusals) {
  const auto refuses = [](const NodeParts& parts, const char* what) {
    const std::string message = LoweringRefusal(parts);
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_EQ(message.rfind("node 'node': ", 0), 0u) << message;
    EXPECT_NE(message.find('%'), std::string::npos) << message;
  };
  refuses(Produces("%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_1 %uint_1 %uint_0"),
          "is not the constant scope Workgroup or Invocation");
  refuses(Produces("OpEnqueueNodePayloadsAMDX %input"), "OpEnqueueNodePayloadsAMDX");
  refuses(Produces("%a = OpIsNodePayloadValidAMDX %bool %record %uint_1"), "is not a node payload array type");
  NodeParts initialised = Produces("", "%copy_of_input = OpVariable %ptr_to_input Function %input");
  initialised.globals = "%ptr_to_input = OpTypePointer Function %in_ptr";
  refuses(initialised, "takes a pointer into a payload: not supported");
  NodeParts in_output = Produces("%a = OpLoad %holds %global");
  in_output.globals =
      "%holds = OpTypeStruct %outputs\n%output_ptr = OpTypePointer Output %holds\n"
      "%global = OpVariable %output_ptr Output";
  in_output.interface = "%input %global";
  refuses(in_output, "only Function, Private and Workgroup variables can hold one");
}

}  // namespace
}  // namespace trellis::spirv
