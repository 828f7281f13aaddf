// SPDX-License-Identifier: Apache-2.0
// Whole modules through the whole pass list.
#include "spirv_lowering/lower.h"

#include <gtest/gtest.h>

#include "spirv_lowering/ir/writer.h"
#include "spirv_lowering/post/post.h"
#include "spirv_lowering/reflect/node_module.h"
#include "tests/leaf_1_0.h"
#include "tests/leaf_1_3.h"
#include "tests/leaf_1_6.h"
#include "tests/spirv_lowering/node_samples.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

const NodeSample& Sample(std::string_view name) {
  for (const NodeSample& sample : NodeSamples()) {
    if (sample.name == name) return sample;
  }
  ADD_FAILURE() << "no sample " << name;
  return NodeSamples().front();
}

constexpr LowerOptions kAggregating = {.launch_offset = 64, .target = {.subgroup_aggregation = true}};

class LowerSamples : public testing::TestWithParam<NodeSample> {};

TEST_P(LowerSamples, EveryVersion) {
  for (const uint32_t version : {0x00010400u, 0x00010500u, 0x00010600u}) {
    LowerRequest request;
    request.version = version;
    request.entry_point = GetParam().entry_point;
    request.execution_model = GetParam().execution_model;
    EXPECT_FALSE(LowerText(GetParam().text, request).empty());
  }
}

TEST_P(LowerSamples, SameWordsEachTime) {
  const Module module = ReadTextOrFail(GetParam().text);
  Expected<NodeInfo> info = Reflect(module, GetParam().entry_point, {}, GetParam().execution_model);
  ASSERT_TRUE(info) << info.error().message;
  Expected<LoweredNode> first = Lower(module, *info, kAggregating);
  Expected<LoweredNode> second = Lower(module, *info, kAggregating);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second);
  EXPECT_EQ(first->words, second->words) << "pipeline caches look the words up";
}

TEST_P(LowerSamples, AddressesOf64BitIntegers) {
  const Module module = ReadTextOrFail(GetParam().text);
  Expected<NodeInfo> info = Reflect(module, GetParam().entry_point, {}, GetParam().execution_model);
  ASSERT_TRUE(info) << info.error().message;
  const LowerOptions options = {.launch_offset = 64, .target = {.subgroup_aggregation = true, .int64_addresses = true}};
  Expected<LoweredNode> lowered = Lower(module, *info, options);
  ASSERT_TRUE(lowered) << lowered.error().message;
  Expected<void> valid = Validate(lowered->words);
  EXPECT_TRUE(valid) << valid.error().message;
  const std::string text = Readable(lowered->words);
  EXPECT_TRUE(HasLine(text, "OpCapability Int64"));
  EXPECT_FALSE(HasLine(text, "* = OpIAddCarry ...")) << text;
}

TEST_P(LowerSamples, PartitionOfSubgroups) {
  const Module module = ReadTextOrFail(GetParam().text);
  Expected<NodeInfo> info = Reflect(module, GetParam().entry_point, {}, GetParam().execution_model);
  ASSERT_TRUE(info) << info.error().message;
  for (const bool aggregates : {true, false}) {
    SCOPED_TRACE(aggregates ? "with aggregation" : "without aggregation");
    const LowerOptions options = {.launch_offset = 64,
                                  .target = {.subgroup_aggregation = aggregates, .subgroup_partition = true}};
    Expected<LoweredNode> lowered = Lower(module, *info, options);
    ASSERT_TRUE(lowered) << lowered.error().message;
    Expected<void> valid = Validate(lowered->words);
    EXPECT_TRUE(valid) << valid.error().message;
    EXPECT_EQ(HasLine(Readable(lowered->words), "OpCapability GroupNonUniformPartitionedNV"),
              aggregates && info->execution_model == ExecutionModel::kGLCompute);
  }
}

// What makes it safe to lower one of many nodes and use the words for all.
TEST_P(LowerSamples, IdentityAndLinkageDoNotChangeTheWords) {
  const Module module = ReadTextOrFail(GetParam().text);
  Expected<NodeInfo> info = Reflect(module, GetParam().entry_point, {}, GetParam().execution_model);
  ASSERT_TRUE(info) << info.error().message;
  NodeInfo other = *info;
  other.shader_index += 5;
  other.max_recursion += 2;
  other.packing_obstacle = "something";
  other.is_api_entry = !other.is_api_entry;
  for (NodeOutputInfo& output : other.outputs) {
    output.target_name += "elsewhere";
    output.constant_indices = {{3, 4}};
    output.limit_holds = !output.limit_holds;
    if (!output.is_asked_by_base) output.base_index += 7;
  }
  EXPECT_EQ(LoweringKey(*info, kAggregating.target), LoweringKey(other, kAggregating.target));
  Expected<LoweredNode> first = Lower(module, *info, kAggregating);
  Expected<LoweredNode> second = Lower(module, other, kAggregating);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->words, second->words);
}

TEST_P(LowerSamples, OptimiserAcceptsTheResult) {
  const Module module = ReadTextOrFail(GetParam().text);
  Expected<NodeInfo> info = Reflect(module, GetParam().entry_point, {}, GetParam().execution_model);
  ASSERT_TRUE(info) << info.error().message;
  Expected<LoweredNode> lowered = Lower(module, *info, {.launch_offset = 64});
  ASSERT_TRUE(lowered);
  Expected<std::vector<uint32_t>> optimised = Optimize(lowered->words);
  ASSERT_TRUE(optimised) << optimised.error().message;
  Expected<void> valid = Validate(*optimised);
  EXPECT_TRUE(valid) << valid.error().message;
}

INSTANTIATE_TEST_SUITE_P(Nodes, LowerSamples, testing::ValuesIn(NodeSamples()),
                         [](const auto& info) { return info.param.name; });

TEST(LoweringKey, KeepsWhatTheWordsDependOn) {
  NodeInfo info;
  info.kind = LaunchKind::kStaticGrid;
  info.outputs.resize(1);
  LoweringTarget target;
  const auto differs = [&info, &target](auto&& change) {
    NodeInfo other = info;
    change(other);
    return LoweringKey(info, target) != LoweringKey(other, target);
  };
  EXPECT_TRUE(differs([](NodeInfo& other) { other.grid = {2, 1, 1}; }));
  EXPECT_TRUE(differs([](NodeInfo& other) { other.coalesce = 2; }));
  EXPECT_TRUE(differs([](NodeInfo& other) { other.local_size = {8, 1, 1}; }));
  EXPECT_TRUE(differs([](NodeInfo& other) { other.entry_point = "other"; }));
  EXPECT_TRUE(differs([](NodeInfo& other) { other.execution_model = ExecutionModel::kMeshEXT; }));
  EXPECT_TRUE(differs([](NodeInfo& other) { other.outputs[0].max_payloads = 2; }));
  EXPECT_FALSE(differs([](NodeInfo& other) { other.outputs[0].array_size = 2; })) << "for linking";
  EXPECT_FALSE(differs([](NodeInfo& other) { other.outputs[0].sparse = true; }));
  const auto base_of_two = [](NodeInfo& other) { other.outputs[0].base_index = 2; };
  EXPECT_FALSE(differs(base_of_two)) << "indices are relative to it";
  info.outputs[0].is_asked_by_base = true;
  EXPECT_TRUE(differs(base_of_two));
  info.outputs[0].is_asked_by_base = false;
  target.check_allocations = true;
  EXPECT_TRUE(differs(base_of_two)) << "messages have the index itself";
  target.check_allocations = false;
  EXPECT_TRUE(differs([](NodeInfo& other) { other.in_batches = false; }));
  info.kind = LaunchKind::kDynamicGrid;
  EXPECT_FALSE(differs([](NodeInfo& other) { other.in_batches = false; })) << "they never are";
  EXPECT_FALSE(differs([](NodeInfo& other) { other.grid = {2, 1, 1}; })) << "a bound, for the host";
  EXPECT_TRUE(differs([](NodeInfo& other) { other.launches_bounds = true; }));
  const auto bound_of_two = [](NodeInfo& other) { other.grid = {2, 1, 1}; };
  info.launches_bounds = true;
  info.packed = 4;
  info.grid = {4, 1, 1};
  EXPECT_TRUE(differs(bound_of_two)) << "two records share a workgroup";
}

TEST(Lower, HelloGraph) {
  const std::string& text = Sample("hello_graph").text;
  LowerRequest request;
  request.launch_offset = 0;
  request.entry_point = "firstNode";
  const std::string first = LowerText(text, request);
  EXPECT_TRUE(HasLine(first, "* = OpFunctionCall %v4uint %trellis_reserve_workgroup %uint_0 %uint_2 %uint_0 %uint_2"))
      << first;
  EXPECT_FALSE(HasLine(first, "* = OpFunctionCall %void %trellis_enqueue_workgroup ..."));
  request.entry_point = "secondNode";
  const std::string second = LowerText(text, request);
  EXPECT_TRUE(
      HasLine(second, "* = OpFunctionCall %v4uint %trellis_reserve_invocation %uint_0 %uint_1 %uint_0 %uint_1"));
  request.entry_point = "thirdNode";
  EXPECT_TRUE(HasLine(LowerText(text, request), "* = OpFunctionCall %bool %trellis_enter_coalescing %uint_32 ..."));
}

TEST(Lower, SubgroupAggregationIsAChoice) {
  const Module module = ReadTextOrFail(Sample("hello_graph").text);
  Expected<NodeInfo> info = Reflect(module, "secondNode", {});
  ASSERT_TRUE(info);
  Expected<LoweredNode> plain = Lower(module, *info, {});
  Expected<LoweredNode> aggregated = Lower(module, *info, {.target = {.subgroup_aggregation = true}});
  ASSERT_TRUE(plain);
  ASSERT_TRUE(aggregated);
  EXPECT_FALSE(HasLine(Readable(plain->words), "OpCapability GroupNonUniformBallot"));
  EXPECT_TRUE(HasLine(Readable(aggregated->words), "OpCapability GroupNonUniformBallot"));
}

TEST(Lower, ModuleIsNotChanged) {
  const Module module = ReadTextOrFail(Sample("everything").text);
  const std::vector<uint32_t> before = WriteModule(module);
  Expected<NodeInfo> info = Reflect(module, "node", {});
  ASSERT_TRUE(info);
  (void)Lower(module, *info, {.launch_offset = 64});
  EXPECT_EQ(WriteModule(module), before);
}

TEST(Lower, SpecialisationConstantsOfCodeStay) {
  NodeParts parts;
  parts.decorations = "OpDecorate %spec SpecId 8";
  parts.globals = "%spec = OpSpecConstant %uint 4";
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %spec %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpDecorate %spec SpecId 8")) << text;
}

// Debug information names variables and values that lowering removes or retypes.
TEST(Lower, DebugInformation) {
  NodeParts parts;
  parts.variables = "%local = OpVariable %fn_out Function";
  parts.globals = R"(
%uint_32 = OpConstant %uint 32
%d_source = OpExtInst %void %debug DebugSource %file
%d_unit = OpExtInst %void %debug DebugCompilationUnit %uint_1 %uint_4 %d_source %uint_5
%d_uint = OpExtInst %void %debug DebugTypeBasic %d_text %uint_32 %uint_6 %uint_0
%d_type = OpExtInst %void %debug DebugTypeFunction %uint_0 %void
%d_function = OpExtInst %void %debug DebugFunction %d_text %d_type %d_source %uint_1 %uint_1 %d_unit %d_text %uint_0 %uint_1
%d_local = OpExtInst %void %debug DebugLocalVariable %d_text %d_uint %d_source %uint_1 %uint_1 %d_function %uint_0
%d_expression = OpExtInst %void %debug DebugExpression
%d_input = OpExtInst %void %debug DebugGlobalVariable %d_text %d_uint %d_source %uint_1 %uint_1 %d_unit %d_text %input %uint_0
)";
  parts.body = R"(
%d_definition = OpExtInst %void %debug DebugFunctionDefinition %d_function %main
%d_scope = OpExtInst %void %debug DebugScope %d_function
%d_declared = OpExtInst %void %debug DebugDeclare %d_local %local %d_expression
%allocated = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0
%handle = OpLoad %outputs %allocated
%d_value = OpExtInst %void %debug DebugValue %d_local %handle %d_expression
OpStore %local %handle
%member = OpAccessChain %np_uint %input %uint_0 %int_0
%value = OpLoad %uint %member
OpEnqueueNodePayloadsAMDX %local
)";
  std::string text = Compose(parts);
  // The input is declared before the debug information that names it.
  text.erase(text.find("%input = OpVariable"), std::string("%input = OpVariable %in_ptr NodePayloadAMDX\n").size());
  text.insert(text.find("%uint_32 = "), "%input = OpVariable %in_ptr NodePayloadAMDX\n");
  text.insert(
      text.find("OpMemoryModel"),
      "OpExtension \"SPV_KHR_non_semantic_info\"\n%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n");
  text.insert(text.find("OpName"), "%file = OpString \"node.hlsl\"\n%d_text = OpString \"main\"\n");
  const std::string lowered = LowerText(text);
  EXPECT_TRUE(HasLine(lowered, "%d_definition = OpExtInst %void * DebugFunctionDefinition %d_function %main"))
      << lowered;
  EXPECT_FALSE(HasLine(lowered, "%d_input = ...")) << "the variable is gone";
  EXPECT_TRUE(HasLine(lowered, "%allocated = OpFunctionCall %v4uint %trellis_reserve_workgroup ..."))
      << "a debug value is no use";
}

struct Leaf {
  const char* name;
  std::span<const uint32_t> words;
  uint32_t lowered_version;
};

class LowerLeaf : public testing::TestWithParam<Leaf> {};

TEST_P(LowerLeaf, PlainComputeShader) {
  const Leaf& leaf = GetParam();
  Expected<Module> module = ReadNodeModule(leaf.words);
  ASSERT_TRUE(module) << module.error().message;
  Expected<NodeInfo> info = Reflect(*module, "main", {{0, {32, 0, 0, 0}}});
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->local_size, (std::array<uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(info->push_constant_end, 32u);
  EXPECT_FALSE(info->has_enqueue_capability);
  for (const bool aggregation : {false, true}) {
    Expected<LoweredNode> lowered =
        Lower(*module, *info, {.launch_offset = 32, .target = {.subgroup_aggregation = aggregation}});
    ASSERT_TRUE(lowered) << lowered.error().message;
    EXPECT_EQ(lowered->words[1], leaf.lowered_version);
    Expected<void> valid = Validate(lowered->words, leaf.lowered_version <= 0x00010500);
    EXPECT_TRUE(valid) << valid.error().message << Readable(lowered->words);
    const std::string text = Readable(lowered->words);
    EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic ..."));
    EXPECT_TRUE(HasLine(text, "OpMemberDecorate * 2 Offset 32"));
    EXPECT_FALSE(HasLine(text, "OpDecorate %gl_WorkGroupID BuiltIn WorkgroupId"));
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, LowerLeaf,
                         testing::Values(Leaf{"v1_0", kLeaf10, 0x00010300}, Leaf{"v1_3", kLeaf13, 0x00010300},
                                         Leaf{"v1_6", kLeaf16, 0x00010600}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trellis::spirv
