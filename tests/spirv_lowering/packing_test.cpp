// SPDX-License-Identifier: Apache-2.0
// Which nodes may share a workgroup with others of their kind, and what they look like then.
#include "spirv_lowering/reflect/packing.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "spirv_lowering/lower.h"
#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

NodeParts ThreadNode() {
  NodeParts parts;
  parts.local_size = "OpExecutionMode %main LocalSize 1 1 1";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";
  return parts;
}

NodeParts CoalescingThreadNode() {
  NodeParts parts = ThreadNode();
  parts.declare_input = false;
  parts.interface = "%only";
  parts.modes = "OpExecutionMode %main CoalescingAMDX";
  parts.decorations = "OpDecorateId %singles NodeMaxPayloadsAMDX %uint_1\n";
  parts.globals =
      "%singles = OpTypeNodePayloadArrayAMDX %record\n%single_ptr = OpTypePointer NodePayloadAMDX %singles\n"
      "%only = OpVariable %single_ptr NodePayloadAMDX\n";
  return parts;
}

// Workgroups of 32 in a static grid.
NodeParts SmallNode(const std::string& grid = "%uint_1 %uint_1 %uint_1") {
  NodeParts parts = ThreadNode();
  parts.local_size = "OpExecutionMode %main LocalSize 8 2 2";
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX " + grid;
  return parts;
}

uint32_t PacksOf(const NodeParts& parts) { return WorkgroupsToPack(ReflectParts(parts)); }

TEST(Packing, AsManyAsHaveTheInvocations) {
  EXPECT_EQ(PacksOf(ThreadNode()), 128u);
  EXPECT_EQ(PacksOf(CoalescingThreadNode()), 128u);
  EXPECT_EQ(PacksOf(SmallNode()), 4u);
  NodeParts parts = SmallNode();
  parts.modes = "OpExecutionMode %main CoalescingAMDX";
  EXPECT_EQ(PacksOf(parts), 4u) << "of up to four records each";
  parts.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_4 %uint_1 %uint_1";
  parts.decorations = "OpMemberDecorate %record 0 PayloadDispatchIndirectAMDX\n";
  EXPECT_EQ(PacksOf(parts), 4u);
  parts = SmallNode();
  parts.local_size = "OpExecutionMode %main LocalSize 33 1 1";
  EXPECT_EQ(PacksOf(parts), 3u);
  parts.local_size = "OpExecutionMode %main LocalSize 63 1 1";
  EXPECT_EQ(PacksOf(parts), 2u);
  parts.local_size = "OpExecutionMode %main LocalSize 16 4 1";
  EXPECT_EQ(PacksOf(parts), 1u) << "large enough";
}

TEST(Packing, StaticGridsArePackedWhole) {
  const auto packs = [](std::array<uint32_t, 3> grid, uint32_t invocations) {
    NodeInfo info;
    info.kind = LaunchKind::kStaticGrid;
    info.grid = grid;
    info.local_size = {invocations, 1, 1};
    return WorkgroupsToPack(info);
  };
  EXPECT_EQ(packs({2, 1, 1}, 32), 4u) << "of two records";
  EXPECT_EQ(packs({3, 1, 1}, 32), 3u) << "of one record, so that none is in two workgroups";
  EXPECT_EQ(packs({3, 1, 1}, 1), 126u);
  EXPECT_EQ(packs({2, 2, 1}, 32), 4u);
  EXPECT_EQ(packs({5, 1, 1}, 32), 1u);
  EXPECT_EQ(packs({3, 2, 1}, 32), 3u);
  EXPECT_EQ(packs({65535, 255, 1}, 32), 3u) << "a divisor";
  EXPECT_EQ(packs({65535, 65535, 65535}, 32), 1u) << "more than any dispatch can have";
  EXPECT_EQ(packs({65536, 65536, 1}, 32), 1u);
  EXPECT_EQ(packs({4, 0, 1}, 32), 1u) << "none at all";
  EXPECT_EQ(packs({1, 1, 1}, 128), 1u);
}

TEST(Packing, BoundsOfSeveralRecords) {
  struct Packs {
    uint32_t packed;
    uint32_t records;
    bool operator==(const Packs&) const = default;
  };
  const auto packs = [](std::array<uint32_t, 3> bound, uint32_t invocations, bool launches_bounds = true,
                        uint32_t max_invocations = kPackedBounds) {
    NodeInfo info;
    info.kind = LaunchKind::kDynamicGrid;
    info.grid = bound;
    info.local_size = {invocations, 1, 1};
    info.launches_bounds = launches_bounds;
    info.packed = WorkgroupsToPack(info, max_invocations);
    return Packs{info.packed, info.RecordsOfBounds()};
  };
  EXPECT_EQ(packs({3, 1, 1}, 32), (Packs{6, 2}));
  EXPECT_EQ(packs({3, 1, 1}, 32, false), (Packs{4, 0}));
  EXPECT_EQ(packs({3, 1, 1}, 32, true, 128), (Packs{4, 0})) << "of a device with the least limit";
  EXPECT_EQ(packs({1, 1, 1}, 32), (Packs{8, 8}));
  EXPECT_EQ(packs({2, 2, 1}, 32), (Packs{8, 2}));
  EXPECT_EQ(packs({4, 1, 1}, 33), (Packs{3, 0})) << "those of two records would be 264 invocations";
  EXPECT_EQ(packs({3, 1, 1}, 1), (Packs{255, 85}));
  EXPECT_EQ(packs({2, 1, 1}, 64), (Packs{1, 0})) << "large enough";
}

TEST(Packing, WhatIsSentIsBounded) {
  NodeInfo info;
  info.kind = LaunchKind::kCoalescing;
  const auto packs = [&info](uint32_t payloads) {
    info.outputs.resize(2);
    info.outputs[1].max_payloads = payloads;
    info.outputs[1].payload.size = 16;
    return WorkgroupsToPack(info);
  };
  EXPECT_EQ(packs(128), 128u);
  EXPECT_EQ(packs(129), 127u);
  EXPECT_EQ(packs(1024), 16u);
  EXPECT_EQ(packs(0xffffffff), 1u);
}

struct Case {
  const char* name;
  NodeParts parts;
  const char* obstacle;  // a part of it; empty: the node can be packed
};

// A StorageBuffer array %buffers of blocks of uints, and images %images of one descriptor array.
constexpr const char* kDescriptors = R"(
%five = OpTypeArray %uint %uint_5
%block = OpTypeStruct %five
%blocks = OpTypeArray %block %uint_4
%blocks_ptr = OpTypePointer StorageBuffer %blocks
%block_ptr = OpTypePointer StorageBuffer %block
%sb_uint = OpTypePointer StorageBuffer %uint
%buffers = OpVariable %blocks_ptr StorageBuffer
%image = OpTypeImage %float 2D 0 0 0 2 R32f
%images_type = OpTypeArray %image %uint_4
%images_ptr = OpTypePointer UniformConstant %images_type
%image_ptr = OpTypePointer UniformConstant %image
%images = OpVariable %images_ptr UniformConstant
)";
constexpr const char* kDescriptorDecorations = R"(
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %five ArrayStride 4
OpDecorate %buffers DescriptorSet 0
OpDecorate %buffers Binding 0
OpDecorate %images DescriptorSet 0
OpDecorate %images Binding 1
)";
// The first word of the record.
constexpr const char* kWord =
    "%word_ptr = OpAccessChain %np_uint %input %uint_0 %uint_0\n%word = OpLoad %uint %word_ptr\n";

NodeParts Descriptors(const std::string& body) {
  NodeParts parts = ThreadNode();
  parts.globals = kDescriptors;
  parts.decorations = kDescriptorDecorations;
  parts.body = kWord + body;
  return parts;
}

NodeParts Body(const std::string& body, const std::string& capabilities = "", const std::string& globals = "") {
  NodeParts parts = ThreadNode();
  parts.capabilities = capabilities;
  parts.globals = globals;
  parts.body = kWord + body;
  return parts;
}

NodeParts BuiltIn(const std::string& name, const std::string& capabilities = "") {
  NodeParts parts = ThreadNode();
  parts.capabilities = capabilities;
  parts.interface = "%input %variable";
  parts.decorations = "OpDecorate %variable BuiltIn " + name;
  parts.globals = "%in_uint = OpTypePointer Input %uint\n%variable = OpVariable %in_uint Input";
  parts.body = "%value = OpLoad %uint %variable";
  return parts;
}

std::vector<Case> Cases() {
  NodeParts shared = Body("OpStore %words %uint_1", "",
                          "%wg_uint = OpTypePointer Workgroup %uint\n%words = OpVariable %wg_uint Workgroup");
  NodeParts uniform = Body("%sum = OpIAdd %uint %word %uint_1");
  uniform.decorations = "OpDecorate %sum Uniform";
  NodeParts passed = BuiltIn("LocalInvocationIndex");
  passed.globals += "\n%takes_type = OpTypeFunction %uint %in_uint";
  passed.body = "%value = OpFunctionCall %uint %takes %variable";
  passed.functions =
      "%takes = OpFunction %uint None %takes_type\n%place = OpFunctionParameter %in_uint\n%takes_begin = OpLabel\n"
      "%taken = OpLoad %uint %place\nOpReturnValue %taken\nOpFunctionEnd\n";
  NodeParts derivatives = ThreadNode();
  derivatives.capabilities =
      "OpCapability ComputeDerivativeGroupLinearKHR\nOpExtension \"SPV_KHR_compute_shader_derivatives\"";
  derivatives.modes += "\nOpExecutionMode %main DerivativeGroupLinearKHR";
  return {
      {"Records", Body("OpStore %word_ptr %uint_3"), ""},
      {"Allocations",
       Body("%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %word %uint_0\nOpEnqueueNodePayloadsAMDX %a\n"
            "%v = OpIsNodePayloadValidAMDX %bool %outputs %uint_0\n%n = OpNodePayloadArrayLengthAMDX %uint %input"),
       ""},
      {"MemoryBarrier", Body("OpMemoryBarrier %uint_1 %uint_64"), ""},
      {"ControlBarrier", Body("OpControlBarrier %uint_2 %uint_2 %uint_0"), "OpControlBarrier"},
      {"WorkgroupMemory", shared, "storage class 4"},
      {"Subgroup", Body("%all = OpGroupNonUniformElect %bool %uint_3", "OpCapability GroupNonUniform"),
       "OpGroupNonUniformElect"},
      {"OlderSubgroup",
       Body("%all = OpSubgroupFirstInvocationKHR %uint %word",
            "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\""),
       "OpSubgroupFirstInvocationKHR"},
      {"UniformValue", uniform, "Uniform"},
      {"LocalIndex", BuiltIn("LocalInvocationIndex"), ""},
      {"LocalIndexPassedOn", passed, "points to a built-in"},
      {"SubgroupSize", BuiltIn("SubgroupSize", "OpCapability GroupNonUniform"), "built-in 36"},
      {"DerivativeGroup", derivatives, "execution mode"},
      {"ConstantDescriptor",
       Descriptors("%b = OpAccessChain %sb_uint %buffers %uint_2 %uint_0 %word\nOpStore %b %word\n"
                   "%ip = OpAccessChain %image_ptr %images %uint_3\n%i = OpLoad %image %ip"),
       ""},
      {"BufferOfRecord", Descriptors("%b = OpAccessChain %sb_uint %buffers %word %uint_0 %uint_1\nOpStore %b %word"),
       "chooses a descriptor"},
      {"ImageOfRecord", Descriptors("%ip = OpAccessChain %image_ptr %images %word\n%i = OpLoad %image %ip"),
       "chooses a descriptor"},
  };
}

TEST(Packing, WhatStandsAgainstIt) {
  for (const Case& test : Cases()) {
    const NodeInfo info = ReflectParts(test.parts);
    EXPECT_EQ(info.packing_obstacle.empty(), std::string(test.obstacle).empty())
        << test.name << ": " << info.packing_obstacle;
    EXPECT_NE(info.packing_obstacle.find(test.obstacle), std::string::npos)
        << test.name << ": " << info.packing_obstacle;
  }
}

// A pointer to one buffer or another; as above, but it has to be told apart by more than an index.
TEST(Packing, ChosenPointers) {
  NodeParts parts = Descriptors(
      "%one = OpAccessChain %sb_uint %buffers %uint_0 %uint_0 %uint_0\n"
      "%two = OpAccessChain %sb_uint %buffers %uint_1 %uint_0 %uint_0\n"
      "%which = OpIEqual %bool %word %uint_0\n%chosen = OpSelect %sb_uint %which %one %two\nOpStore %chosen %word");
  parts.capabilities = "OpCapability VariablePointers";
  EXPECT_NE(ReflectParts(parts).packing_obstacle.find("OpSelect"), std::string::npos);
}

// What an allocation is for matters where there is more than one invocation.
TEST(Packing, AllocationsForAWorkgroup) {
  for (const bool alone : {false, true}) {
    for (const std::string scope : {"%uint_2", "%uint_4"}) {
      NodeParts parts = alone ? ThreadNode() : SmallNode();
      parts.body =
          "%a = OpAllocateNodePayloadsAMDX %out_ptr " + scope + " %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
      const std::string obstacle = ReflectParts(parts).packing_obstacle;
      EXPECT_EQ(obstacle.empty(), alone || scope == "%uint_4") << obstacle;
    }
  }
}

TEST(Packing, LargeWorkgroupsAreNotLookedInto) {
  NodeParts parts = SmallNode();
  parts.local_size = "OpExecutionMode %main LocalSize 64 1 1";
  parts.body = "OpControlBarrier %uint_2 %uint_2 %uint_0";
  EXPECT_EQ(ReflectParts(parts).packing_obstacle, "");
}

TEST(Packing, EveryCaseThatCanBePackedIsLowered) {
  LowerRequest request;
  request.packed = 64;
  for (const Case& test : Cases()) {
    if (*test.obstacle != '\0') continue;
    const std::string text = LowerParts(test.parts, request);
    EXPECT_TRUE(HasLine(text, "OpExecutionMode * LocalSize 64 1 1")) << test.name << "\n" << text;
    EXPECT_EQ(CountLines(text, "OpExecutionMode * LocalSize ..."), 1u) << test.name;
    EXPECT_TRUE(HasLine(text, "* = OpFunctionCall %bool %trellis_enter_static * %uint_64 %false")) << test.name << "\n"
                                                                                                   << text;
    EXPECT_FALSE(HasLine(text, "OpControlBarrier ...")) << test.name;
  }
}

// Who only receives; in a loop that begins each time with variables as they were first. Tables stay constant.
TEST(Packing, WorkgroupsStrideThroughTheLaunch) {
  LowerRequest request;
  request.packed = 32;
  NodeParts receiver = ThreadNode();
  receiver.globals =
      "%ptr_own = OpTypePointer Private %uint\n%own = OpVariable %ptr_own Private %uint_3\n"
      "%pair = OpTypeArray %uint %uint_2\n%ptr_pair = OpTypePointer Private %pair\n"
      "%ones = OpConstantComposite %pair %uint_1 %uint_1\n%table = OpVariable %ptr_pair Private %ones\n"
      "%changed = OpVariable %ptr_pair Private %ones\n%unset = OpVariable %ptr_pair Private";
  receiver.interface = "%input %own %table %changed %unset";
  receiver.body =
      "OpStore %own %uint_1\n%read = OpAccessChain %ptr_own %table %uint_1\n%value = OpLoad %uint %read\n"
      "%place = OpInBoundsAccessChain %ptr_own %changed %uint_0\nOpStore %place %value\n"
      "OpCopyMemory %unset %table\n%all = OpLoad %pair %table";
  const std::string text = LowerParts(receiver, request);
  EXPECT_TRUE(HasLines(text, {"* = OpFunctionCall %void %trellis_start_in_batch ...",
                              "* = OpFunctionCall %bool %trellis_enter_static ...", "OpSelectionMerge ...",
                              "OpStore %own %uint_3", "OpStore %changed %ones", "* = OpFunctionCall %void %main",
                              "OpLoopMerge ...", "* = OpFunctionCall %bool %trellis_stride %uint_1"}))
      << text;
  EXPECT_FALSE(HasLine(text, "OpStore %table ...")) << text;
  EXPECT_FALSE(HasLine(text, "OpStore %unset ...")) << text;
  request.for_cpu = true;
  EXPECT_TRUE(
      HasLines(LowerParts(receiver, request),
               {"* = OpFunctionCall %void %trellis_start_in_batch * * * * %uint_32 %uint_1 %uint_1 %false %true %true",
                "* = OpFunctionCall %bool %trellis_enter_static * %uint_32 %true", "OpStore %own %uint_3",
                "* = OpFunctionCall %void %trellis_take %uint_1", "* = OpFunctionCall %void %main", "OpLoopMerge ...",
                "* = OpFunctionCall %bool %trellis_run_on %uint_1"}))
      << "in runs: " << LowerParts(receiver, request);
  request.for_cpu = false;
  request.packed = 1;
  EXPECT_FALSE(HasLine(LowerParts(receiver, request), "* = OpFunctionCall %bool %trellis_stride ...")) << "not packed";
  EXPECT_FALSE(HasLine(LowerParts(receiver, request), "OpStore %own %uint_3"));

  NodeInfo info = ReflectParts(SmallNode("%uint_4 %uint_2 %uint_1"));
  info.packed = 16;
  EXPECT_TRUE(Strides(info, false));
  for (const bool for_cpu : {false, true}) {
    info.packed = 8;
    EXPECT_FALSE(Strides(info, for_cpu)) << "the region counts records";
  }
  info.packed = 16;
  info.kind = LaunchKind::kDynamicGrid;
  EXPECT_FALSE(Strides(info, false));
  EXPECT_TRUE(Strides(info, true));
  info.kind = LaunchKind::kCoalescing;
  EXPECT_TRUE(Strides(info, false));
  info.outputs.emplace_back();
  EXPECT_FALSE(Strides(info, false)) << "it sends";
  EXPECT_TRUE(Strides(info, true));
}

// Each iteration takes its record and the workgroup of it, and sends what it sends.
TEST(Packing, WorkgroupsRunThroughGridsFromRecordsOnACpu) {
  LowerRequest request;
  request.packed = 32;
  request.for_cpu = true;
  NodeParts sender = ThreadNode();
  sender.modes = "OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_9 %uint_8 %uint_7";
  sender.decorations = "OpMemberDecorate %record 1 PayloadDispatchIndirectAMDX";
  sender.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  const std::string text = LowerParts(sender, request);
  EXPECT_TRUE(
      HasLines(text, {"* = OpFunctionCall %void %trellis_start * * * * %uint_0 %uint_1 %uint_1 %true %true",
                      "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_32 %uint_0 %uint_1 * %true %true",
                      "* = OpFunctionCall %void %trellis_take_grid * %uint_1", "* = OpFunctionCall %void %main",
                      "OpLoopMerge ...", "* = OpFunctionCall %bool %trellis_run_on_grids %uint_1"}))
      << text;
}

// Together only where subgroups are sure to hold together in any control flow.
TEST(Packing, SubgroupsReserveTogetherWithMaximalReconvergence) {
  NodeParts parts = ThreadNode();
  parts.body = "%a = OpAllocateNodePayloadsAMDX %out_ptr %uint_4 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %a";
  const Module module = ReadTextOrFail(Compose(parts));
  NodeInfo info = ReflectParts(parts);
  for (const uint32_t packed : {1u, 64u}) {
    for (const bool reconverges : {false, true}) {
      info.packed = packed;
      LowerOptions options;
      options.launch_offset = 64;
      options.target.subgroup_aggregation = true;
      options.target.maximal_reconvergence = reconverges;
      Expected<LoweredNode> lowered = Lower(module, info, options);
      ASSERT_TRUE(lowered) << lowered.error().message;
      const Expected<void> valid = Validate(lowered->words);
      EXPECT_TRUE(valid) << valid.error().message;
      const std::string text = Readable(lowered->words);
      EXPECT_EQ(HasLine(text, "* = OpGroupNonUniformBallot ..."), packed == 1 || reconverges) << packed << reconverges;
      EXPECT_EQ(HasLine(text, "OpExecutionMode * MaximallyReconvergesKHR"), packed > 1 && reconverges);
    }
  }
}

TEST(Packing, SizesByIdAndByConstant) {
  NodeParts parts = ThreadNode();
  parts.local_size = "OpExecutionModeId %main LocalSizeId %uint_1 %uint_1 %uint_1";
  parts.decorations = "OpDecorate %size BuiltIn WorkgroupSize";
  parts.globals = "%size = OpConstantComposite %v3uint %uint_1 %uint_1 %uint_1";
  parts.variables = "%place = OpVariable %fn_uint Function";
  parts.body = "%x = OpCompositeExtract %uint %size 0\nOpStore %place %x";
  LowerRequest request;
  request.packed = 32;
  const std::string text = LowerParts(parts, request);
  EXPECT_TRUE(HasLine(text, "OpExecutionMode * LocalSize 32 1 1")) << text;
  EXPECT_EQ(CountLines(text, "OpExecutionMode * LocalSize ..."), 1u);
  EXPECT_FALSE(HasLine(text, "OpDecorate %size BuiltIn WorkgroupSize"));
  EXPECT_TRUE(HasLine(text, "%x = OpCompositeExtract %uint %size 0")) << "the node's own size";
}

// Where an invocation is: in a workgroup of the node's own size.
TEST(Packing, PlacesAreThoseOfTheNode) {
  NodeParts parts = SmallNode();
  parts.interface = "%input %group %global %local %index";
  parts.decorations =
      "OpDecorate %group BuiltIn WorkgroupId\nOpDecorate %global BuiltIn GlobalInvocationId\n"
      "OpDecorate %local BuiltIn LocalInvocationId\nOpDecorate %index BuiltIn LocalInvocationIndex\n";
  parts.globals =
      "%v3int = OpTypeVector %int 3\n%in_vector = OpTypePointer Input %v3uint\n"
      "%in_signed = OpTypePointer Input %v3int\n%in_int = OpTypePointer Input %int\n"
      "%group = OpVariable %in_vector Input\n%global = OpVariable %in_signed Input\n"
      "%local = OpVariable %in_signed Input\n%index = OpVariable %in_int Input\n";
  parts.body =
      "%g = OpLoad %v3uint %group\n%v = OpLoad %v3int %global\n%l = OpLoad %v3int %local\n%i = OpLoad %int %index";
  LowerRequest request;
  request.packed = 4;
  const std::string text = LowerParts(parts, request);
  EXPECT_TRUE(HasLine(text, "OpExecutionMode * LocalSize 128 1 1")) << text;
  EXPECT_TRUE(HasLines(
      text, {"* = OpLoad %uint %trellis_local_index", "* = OpUDiv %uint * %uint_8", "* = OpUMod %uint * %uint_8",
             "* = OpUMod %uint * %uint_2", "* = OpUDiv %uint * %uint_2", "* = OpCompositeConstruct %v3uint * * *"}))
      << text;
  EXPECT_TRUE(HasLine(text, "* = OpLoad %v3uint %trellis_workgroup_id")) << text;
  EXPECT_EQ(CountLines(text, "OpDecorate * BuiltIn LocalInvocationId"), 1u) << "the entry's own";
  EXPECT_FALSE(HasLine(text, "OpDecorate %local BuiltIn ...")) << "in the workgroup of the dispatch";
  EXPECT_FALSE(HasLine(text, "OpDecorate * BuiltIn LocalInvocationIndex")) << "in the workgroup of the dispatch";
}

}  // namespace
}  // namespace trellis::spirv
