// SPDX-License-Identifier: Apache-2.0
// OpFinishWritingNodePayloadAMDX, and payloads that several workgroups use at once.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

constexpr const char* kFinish = "%last = OpFinishWritingNodePayloadAMDX %bool %input\n";

NodeParts Finishing(const std::string& modes) {
  NodeParts parts;
  parts.modes = modes;
  parts.decorations =
      "OpDecorate %record TrackFinishWritingAMDX\nOpMemberDecorate %record 0 PayloadDispatchIndirectAMDX";
  parts.body = kFinish;
  return parts;
}

TEST(FinishWriting, OfAStaticGrid) {
  const NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  EXPECT_TRUE(
      HasLine(FunctionText(LowerParts(parts), "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  const NodeInfo info = ReflectParts(parts);
  EXPECT_TRUE(info.finishes_writing);
  EXPECT_TRUE(info.writes_input) << "its counter is written";
  EXPECT_EQ(info.StateWords(), 1u);
}

TEST(FinishWriting, OfADynamicGrid) {
  const NodeParts parts = Finishing("OpExecutionModeId %main MaxNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(FunctionText(text, "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_4"));
  EXPECT_TRUE(
      HasLine(text, "* = OpFunctionCall %bool %trellis_enter_dynamic * %uint_1 %uint_0 %uint_4 %true %false %false"))
      << text;
  EXPECT_EQ(ReflectParts(parts).StateWords(), 4u);
}

TEST(FinishWriting, ReadersKeepNoMoreThanTheirFirstWorkgroups) {
  NodeParts parts = Finishing("");
  parts.body.clear();
  EXPECT_EQ(ReflectParts(parts).StateWords(), 1u);
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  EXPECT_EQ(ReflectParts(parts).StateWords(), 0u);
  const std::string text = LowerParts(parts);
  EXPECT_FALSE(HasLine(text, "OpName %trellis_finish_writing ...")) << text;
  EXPECT_FALSE(HasLine(text, "OpMemberDecorate %record 0 Coherent"));
}

// The order that the last workgroup's reads rely on: payload barrier, count, payload barrier.
TEST(FinishWriting, CountsBetweenBarriers) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  const auto expect_order = [&](const char* barrier, const char* count) {
    const std::string text = LowerParts(parts);
    EXPECT_TRUE(HasLine(FunctionText(text, "PayloadBarrier"), barrier)) << text;
    EXPECT_TRUE(HasLines(
        FunctionText(text, "trellis_finish_writing"),
        {"* = OpFunctionCall %void %PayloadBarrier", count, "* = OpFunctionCall %v4uint %BroadcastInWorkgroup ...",
         "* = OpFunctionCall %void %PayloadBarrier", "OpReturnValue *"}))
        << text;
  };
  // AcquireRelease | UniformMemory | WorkgroupMemory; at scope Device without, QueueFamily with the Vulkan memory
  // model.
  expect_order("OpControlBarrier %uint_2 %uint_1 %uint_328", "* = OpAtomicIAdd %uint * %int_1 %uint_72 *");
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  expect_order("OpControlBarrier %uint_2 %uint_5 %uint_328", "* = OpAtomicIAdd %uint * %int_5 %uint_72 *");
}

using LineTokens = std::vector<std::string>;

std::vector<LineTokens> TokenLines(const std::string& text) {
  std::vector<LineTokens> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    LineTokens& tokens = lines.emplace_back();
    for (std::string word; words >> word;) tokens.push_back(word);
  }
  return lines;
}

// What orders memory in a function and in those that it calls, with the numbers of scopes and memory semantics.
std::vector<std::string> OrderIn(const std::string& text, const std::string& function) {
  const auto number = [](const std::string& constant) { return " " + constant.substr(constant.find('_') + 1); };
  std::vector<std::string> order;
  for (const LineTokens& tokens : TokenLines(FunctionText(text, function))) {
    if (tokens.size() > 4 && tokens[2] == "OpFunctionCall") {
      const std::vector<std::string> called = OrderIn(text, tokens[4].substr(1));
      order.insert(order.end(), called.begin(), called.end());
    } else if (tokens.size() > 6 && tokens[2].starts_with("OpAtomic")) {
      order.push_back(tokens[2] + number(tokens[5]) + number(tokens[6]));
    } else if (!tokens.empty() && tokens[0].starts_with("Op") && tokens[0].ends_with("Barrier")) {
      order.push_back(tokens[0]);
      for (size_t i = 1; i < tokens.size(); ++i) order.back() += number(tokens[i]);
    }
  }
  return order;
}

// Every barrier and atomic of it, and nothing else. Scopes: 1 Device, 2 Workgroup, 5 QueueFamily. Semantics: 8
// AcquireRelease, 64 UniformMemory (payloads and counters), 256 WorkgroupMemory (what a broadcast goes through).
TEST(FinishWriting, EveryBarrierHasItsScopeAndSemantics) {
  const auto expected = [](const std::string& scope) {
    const std::string payload_barrier = "OpControlBarrier 2 " + scope + " 328";
    return std::vector<std::string>{payload_barrier, "OpAtomicIAdd " + scope + " 72", "OpControlBarrier 2 2 264",
                                    payload_barrier};
  };
  for (const char* mode : {"StaticNumWorkgroupsAMDX", "MaxNumWorkgroupsAMDX"}) {
    for (const bool for_cpu : {false, true}) {
      SCOPED_TRACE(std::string(mode) + (for_cpu ? ", for CPUs" : ""));
      NodeParts parts = Finishing(std::string("OpExecutionModeId %main ") + mode + " %uint_2 %uint_3 %uint_4");
      LowerRequest request;
      request.for_cpu = for_cpu;
      EXPECT_EQ(OrderIn(LowerParts(parts, request), "trellis_finish_writing"), expected("1"));
      parts.capabilities = "OpCapability VulkanMemoryModel";
      parts.memory_model = "OpMemoryModel Logical Vulkan";
      EXPECT_EQ(OrderIn(LowerParts(parts, request), "trellis_finish_writing"), expected("5"));
    }
  }
}

// What unoptimised code does: the input and pointers into it are passed to functions.
NodeParts WithHelper() {
  NodeParts parts;
  parts.modes = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4";
  parts.declare_input = false;
  parts.interface = "%own";
  parts.decorations = R"(
OpDecorate %outer TrackFinishWritingAMDX
OpMemberDecorate %outer 0 Offset 0
OpMemberDecorate %outer 1 Offset 4
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 4
OpMemberDecorate %core 0 Offset 0
OpDecorate %cores ArrayStride 4
OpDecorate %inners ArrayStride 12
OpDecorateId %outers NodeMaxPayloadsAMDX %uint_1
)";
  parts.globals = R"(
%core = OpTypeStruct %uint
%cores = OpTypeArray %core %uint_2
%inner = OpTypeStruct %uint %cores
%inners = OpTypeArray %inner %uint_3
%outer = OpTypeStruct %uint %inners
%outers = OpTypeNodePayloadArrayAMDX %outer
%own_ptr = OpTypePointer NodePayloadAMDX %outers
%np_inner = OpTypePointer NodePayloadAMDX %inner
%own = OpVariable %own_ptr NodePayloadAMDX
%helper_type = OpTypeFunction %bool %own_ptr %np_uint %np_inner
)";
  parts.body = R"(
%first = OpAccessChain %np_uint %own %uint_0 %int_0
%second = OpAccessChain %np_inner %own %uint_0 %int_1 %uint_2
%result = OpFunctionCall %bool %helper %own %first %second
)";
  parts.functions = R"(
%helper = OpFunction %bool None %helper_type
%whole = OpFunctionParameter %own_ptr
%word = OpFunctionParameter %np_uint
%part = OpFunctionParameter %np_inner
%helper_begin = OpLabel
%old = OpLoad %uint %word
%place = OpAccessChain %np_uint %part %int_0
%deep = OpAccessChain %np_uint %part %int_1 %uint_1 %int_0
OpStore %place %old
OpStore %deep %old
%told = OpFinishWritingNodePayloadAMDX %bool %whole
%again = OpLoad %uint %place
OpReturnValue %told
OpFunctionEnd
)";
  return parts;
}

TEST(FinishWriting, CoherentThroughParametersAndInNestedStructures) {
  const std::string text = LowerParts(WithHelper());
  EXPECT_TRUE(HasLine(FunctionText(text, "helper"), "%told = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  for (const char* line :
       {"OpMemberDecorate %outer 0 Coherent", "OpMemberDecorate %outer 1 Coherent",
        "OpMemberDecorate %inner 0 Coherent", "OpDecorate %word Coherent", "OpDecorate %part Coherent"})
    EXPECT_TRUE(HasLine(text, line)) << line << "\n" << text;
}

// Members of all structures in `type`, as "%structure member".
void AddMembers(const std::map<std::string, LineTokens>& types, const std::string& type,
                std::set<std::string>& members) {
  const auto found = types.find(type);
  if (found == types.end()) return;
  const LineTokens& tokens = found->second;
  if (tokens[2] == "OpTypeArray") AddMembers(types, tokens[3], members);
  if (tokens[2] != "OpTypeStruct") return;
  for (size_t i = 3; i < tokens.size(); ++i) {
    members.insert(type + " " + std::to_string(i - 3));
    AddMembers(types, tokens[i], members);
  }
}

// Found by walking the types: no structure inside of the payload is left out, at whatever depth.
TEST(FinishWriting, EveryMemberAtEveryDepthIsCoherent) {
  const std::string text = LowerParts(WithHelper());
  std::map<std::string, LineTokens> types;
  std::multiset<std::string> coherent;
  for (const LineTokens& tokens : TokenLines(text)) {
    if (tokens.size() > 3 && tokens[2].starts_with("OpType")) types[tokens[0]] = tokens;
    if (tokens.size() == 4 && tokens[0] == "OpMemberDecorate" && tokens[3] == "Coherent")
      coherent.insert(tokens[1] + " " + tokens[2]);
  }
  std::set<std::string> members;
  AddMembers(types, "%outer", members);
  EXPECT_EQ(members, (std::set<std::string>{"%outer 0", "%outer 1", "%inner 0", "%inner 1", "%core 0"}));
  for (const std::string& member : members) EXPECT_EQ(coherent.count(member), 1u) << member << "\n" << text;
}

// Coherent is for the other memory model; here each access says what the other workgroups need.
TEST(FinishWriting, EveryAccessOfNestedMembersIsMarkedInTheVulkanMemoryModel) {
  NodeParts parts = WithHelper();
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  const std::string text = LowerParts(parts);
  EXPECT_EQ(text.find(" Coherent\n"), std::string::npos);
  std::set<std::string> pointers;
  size_t loads = 0, stores = 0;
  for (const LineTokens& tokens : TokenLines(FunctionText(text, "helper"))) {
    if (tokens.size() > 3 && tokens[3].starts_with("%ptr_PhysicalStorageBuffer")) pointers.insert(tokens[0]);
    if (tokens.size() > 4 && tokens[2] == "OpLoad" && pointers.contains(tokens[4])) {
      ++loads;
      EXPECT_EQ(LineTokens(tokens.begin() + 5, tokens.end()),
                (LineTokens{"Aligned|MakePointerVisible|NonPrivatePointer", "4", "%uint_5"}));
    }
    if (tokens.size() > 2 && tokens[0] == "OpStore" && pointers.contains(tokens[1])) {
      ++stores;
      EXPECT_EQ(LineTokens(tokens.begin() + 3, tokens.end()),
                (LineTokens{"Aligned|MakePointerAvailable|NonPrivatePointer", "4", "%uint_5"}));
    }
  }
  EXPECT_EQ(loads, 2u) << text;
  EXPECT_EQ(stores, 2u) << text;
}

TEST(FinishWriting, EveryAccessIsMarkedInTheVulkanMemoryModel) {
  NodeParts parts = WithHelper();
  parts.capabilities = "OpCapability VulkanMemoryModel";
  parts.memory_model = "OpMemoryModel Logical Vulkan";
  const std::string helper = FunctionText(LowerParts(parts), "helper");
  EXPECT_TRUE(HasLines(helper, {"%old = OpLoad %uint %word Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5",
                                "OpStore %place %old Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_5",
                                "%again = OpLoad %uint %place Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5"}))
      << helper;
}

TEST(FinishWriting, OfACopyOfTheInput) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  parts.body = "%same = OpCopyObject %in_ptr %input\n%last = OpFinishWritingNodePayloadAMDX %bool %same\n";
  EXPECT_TRUE(
      HasLine(FunctionText(LowerParts(parts), "main"), "%last = OpFunctionCall %bool %trellis_finish_writing %uint_1"));
  EXPECT_TRUE(ReflectParts(parts).writes_input);
}

TEST(FinishWriting, OfNothingElse) {
  NodeParts parts = Finishing("OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_2 %uint_3 %uint_4");
  parts.variables = "%own = OpVariable %fn_in Function";
  parts.globals = "%fn_in = OpTypePointer Function %inputs";
  parts.body = "%last = OpFinishWritingNodePayloadAMDX %bool %own\n";
  EXPECT_NE(LoweringRefusal(parts).find("the operand is not the node's input"), std::string::npos);
}

TEST(FinishWriting, TheInputCopiedIntoAVariableMayBeWritten) {
  NodeParts parts;
  parts.globals = "%fn_in = OpTypePointer Function %inputs";
  parts.variables = "%own = OpVariable %fn_in Function";
  parts.body = "OpCopyMemory %own %input\n";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.body = "%handle = OpLoad %inputs %input\nOpStore %own %handle\n";
  EXPECT_TRUE(ReflectParts(parts).writes_input);
  parts.body = "%length = OpNodePayloadArrayLengthAMDX %uint %input\n";
  EXPECT_FALSE(ReflectParts(parts).writes_input);
}

}  // namespace
}  // namespace trellis::spirv
