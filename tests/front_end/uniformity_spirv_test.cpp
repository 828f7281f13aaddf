// SPDX-License-Identifier: Apache-2.0
// Uniformity of shapes that glslang does not emit, and what the analysis of a module costs.
#include <gtest/gtest.h>

#include "spirv_lowering/rules/entry_divergence.h"
#include "spirv_lowering/rules/uniformity.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// A node that allocates for the workgroup, and enqueues, if %condition holds. `functions` follow its main function.
Module NodeWithLanes(const std::string& body, const std::string& functions = "") {
  return ReadTextOrFail(R"(
OpCapability Shader
OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %lane %mine
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %lane BuiltIn LocalInvocationIndex
OpMemberDecorate %record 0 Offset 0
OpDecorateId %outputs NodeMaxPayloadsAMDX %uint_1
OpDecorateId %outputs PayloadNodeNameAMDX %name
%name = OpConstantStringAMDX "target"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_1 = OpConstant %uint 1
%uint_2 = OpConstant %uint 2
%record = OpTypeStruct %uint
%outputs = OpTypeNodePayloadArrayAMDX %record
%out_ptr = OpTypePointer NodePayloadAMDX %outputs
%in_uint = OpTypePointer Input %uint
%private_uint = OpTypePointer Private %uint
%fn_uint = OpTypePointer Function %uint
%lane = OpVariable %in_uint Input
%mine = OpVariable %private_uint Private
%fn_void = OpTypeFunction %void
%fn_both = OpTypeFunction %void %fn_uint %fn_uint
%main = OpFunction %void None %fn_void
%begin = OpLabel
%x = OpVariable %fn_uint Function
%y = OpVariable %fn_uint Function
)" + body + R"(
%condition = OpIEqual %bool %value %uint_1
OpSelectionMerge %join None
OpBranchConditional %condition %then %join
%then = OpLabel
%payloads = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0
OpEnqueueNodePayloadsAMDX %payloads
OpBranch %join
%join = OpLabel
OpReturn
OpFunctionEnd
)" + functions);
}

// Number of warnings: the one of the allocation, which stands for the enqueue too, or none.
size_t CountWarnings(const std::string& body, const std::string& functions = "") {
  return CheckUniformity(NodeWithLanes(body, functions)).size();
}

TEST(Uniformity, CopiesOfPointersToInputAndPrivateVariables) {
  EXPECT_EQ(CountWarnings("%copy = OpCopyObject %in_uint %lane\n%value = OpLoad %uint %copy\n"), 1u);
  const std::string store = "%copy = OpCopyObject %private_uint %mine\nOpStore %copy %stored\n";
  const std::string load = "%value = OpLoad %uint %mine\n";
  EXPECT_EQ(CountWarnings("%stored = OpLoad %uint %lane\n" + store + load), 1u);
  EXPECT_EQ(CountWarnings("%stored = OpIAdd %uint %uint_1 %uint_1\n" + store + load), 0u);
}

// %set writes the lane to its first parameter and a constant to the second.
constexpr const char* kSet = R"(
%set = OpFunction %void None %fn_both
%first = OpFunctionParameter %fn_uint
%second = OpFunctionParameter %fn_uint
%set_begin = OpLabel
%own = OpLoad %uint %lane
OpStore %first %own
OpStore %second %uint_1
OpReturn
OpFunctionEnd
)";

TEST(Uniformity, VariablesPassedToAFunction) {
  const auto call = [](const std::string& arguments, const std::string& read) {
    return CountWarnings("OpStore %x %uint_2\nOpStore %y %uint_2\n%r = OpFunctionCall %void %set " + arguments +
                             "\n%value = OpLoad %uint " + read + "\n",
                         kSet);
  };
  EXPECT_EQ(call("%x %y", "%x"), 1u);
  EXPECT_EQ(call("%x %y", "%y"), 0u);
  EXPECT_EQ(call("%x %x", "%x"), 1u) << "either parameter may be written last";
}

// No valid module decorates a variable twice. The analysis reads the last built-in, so a warning has to name that one.
TEST(Uniformity, NamesTheLastOfTwoBuiltIns) {
  Module module = NodeWithLanes("%value = OpLoad %uint %lane\n");
  Instruction first = module.annotations.at(0);
  first.operands.at(2) = static_cast<uint32_t>(spv::BuiltIn::NumWorkgroups);
  module.annotations.insert(module.annotations.begin(), first);
  const std::vector<RuleViolation> warnings = CheckUniformity(module);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(Describe(warnings[0]).find("depends on LocalInvocationIndex"), std::string::npos) << Describe(warnings[0]);
}

size_t StepsOf(const Module& module) {
  constexpr size_t kSteps = size_t{1} << 20;
  const RuleContext context(module);
  size_t left = kSteps;
  (void)EntryDivergence(context, context.entry_points().at(0), WorkgroupShape(), left).Run();
  return kSteps - left;
}

// One more instruction, of 4 operands and of 4000.
TEST(Uniformity, LargeInstructionsCostMoreSteps) {
  const auto with_operands = [](uint32_t count) {
    Module module = NodeWithLanes("%value = OpLoad %uint %x\n");
    std::vector<Instruction>& body = module.functions.at(0).blocks.at(0).body;
    Instruction wide = body.at(2);
    wide.opcode = spv::Op::OpCompositeConstruct;
    wide.result_id = module.NewId();
    wide.operands.assign(count, body.at(2).result_id);
    body.insert(body.begin() + 3, wide);
    return StepsOf(module);
  };
  EXPECT_GE(with_operands(4000), with_operands(4) + 499);
}

}  // namespace
}  // namespace trellis::spirv
