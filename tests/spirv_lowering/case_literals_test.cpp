// SPDX-License-Identifier: Apache-2.0
// Case literals of switches are numbers: no pass may take one for an id, whatever its value.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// More than a lowered module of these tests has ids, so each id equals a literal.
constexpr uint32_t kCases = 6000;

// A switch over %selector, of `width` bits, with the cases 1 to kCases.
NodeParts Switching(uint32_t width) {
  NodeParts parts;
  parts.capabilities = width == 64 ? "OpCapability Int64\n" : width == 16 ? "OpCapability Int16\n" : "";
  std::string cases;
  for (uint32_t literal = 1; literal <= kCases; ++literal) cases += " " + std::to_string(literal) + " %taken";
  if (width == 32) {
    parts.body = "%selector = OpNodePayloadArrayLengthAMDX %uint %input\n";
  } else {
    parts.globals = "%wide = OpTypeInt " + std::to_string(width) + " 0\n";
    parts.body = "%length = OpNodePayloadArrayLengthAMDX %uint %input\n%selector = OpUConvert %wide %length\n";
  }
  parts.body += "OpSelectionMerge %join None\nOpSwitch %selector %join" + cases +
                "\n%taken = OpLabel\nOpBranch %join\n%join = OpLabel\n";
  return parts;
}

// Lines of lowered code that hold the switch as it was written.
size_t SwitchesKept(const std::string& text) {
  std::string cases = "OpSwitch %selector %join";
  for (uint32_t literal = 1; literal <= kCases; ++literal) cases += " " + std::to_string(literal) + " %taken";
  return CountLines(text, cases);
}

class CaseLiterals : public testing::TestWithParam<uint32_t> {};

TEST_P(CaseLiterals, AreNotTheInput) { EXPECT_EQ(SwitchesKept(LowerParts(Switching(GetParam()))), 1u); }

NodeParts WithPushConstants(uint32_t width) {
  NodeParts parts = Switching(width);
  parts.interface = "%input %push";
  parts.decorations = "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0";
  parts.globals +=
      "%block = OpTypeStruct %uint\n%ptr_block = OpTypePointer PushConstant %block\n"
      "%ptr_push_uint = OpTypePointer PushConstant %uint\n%push = OpVariable %ptr_block PushConstant";
  parts.body =
      "%same = OpCopyObject %ptr_block %push\n%member = OpAccessChain %ptr_push_uint %same %int_0\n"
      "%value = OpLoad %uint %member\n" +
      parts.body;
  return parts;
}

TEST_P(CaseLiterals, AreNotThePushConstants) { EXPECT_EQ(SwitchesKept(LowerParts(WithPushConstants(GetParam()))), 1u); }

TEST_P(CaseLiterals, AreNotThePushConstantsInMemory) {
  LowerRequest request;
  request.launch_offset = 0;
  request.push_constant_copy_offset = 8;
  EXPECT_EQ(SwitchesKept(LowerParts(WithPushConstants(GetParam()), request)), 1u);
}

TEST_P(CaseLiterals, AreNotSharedMemory) {
  NodeParts parts = Switching(GetParam());
  parts.capabilities +=
      "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"";
  parts.interface = "%input %shared";
  parts.decorations = "OpDecorate %shared_block Block\nOpMemberDecorate %shared_block 0 Offset 0";
  parts.globals +=
      "%shared_block = OpTypeStruct %uint\n%ptr_shared = OpTypePointer Workgroup %shared_block\n"
      "%ptr_shared_uint = OpTypePointer Workgroup %uint\n%shared = OpVariable %ptr_shared Workgroup";
  parts.body =
      "%place = OpAccessChain %ptr_shared_uint %shared %int_0\nOpStore %place %uint_1\n"
      "%array = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\nOpEnqueueNodePayloadsAMDX %array\n" +
      parts.body;
  const std::string text = LowerParts(parts);
  EXPECT_EQ(SwitchesKept(text), 1u);
  EXPECT_TRUE(HasLine(text, "* = OpAccessChain %ptr_Workgroup_v4uint * *")) << "the runtime's variables are not there";
}

INSTANTIATE_TEST_SUITE_P(Widths, CaseLiterals, testing::Values(16u, 32u, 64u),
                         [](const auto& info) { return std::to_string(info.param) + "_bits"; });

}  // namespace
}  // namespace trellis::spirv
