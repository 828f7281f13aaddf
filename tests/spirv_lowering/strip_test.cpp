// SPDX-License-Identifier: Apache-2.0
// What is declared after lowering: nothing of the extension, and what buffer device addresses need.
#include <gtest/gtest.h>

#include "tests/spirv_lowering/node_text.h"

namespace trellis::spirv {
namespace {

TEST(Strip, ExtensionIsGoneAndAddressesAreDeclared) {
  NodeParts parts;
  parts.modes =
      "OpExecutionModeId %main ShaderIndexAMDX %uint_1\nOpExecutionModeId %main IsApiEntryAMDX "
      "%true\nOpExecutionModeId %main MaxNodeRecursionAMDX %uint_1";
  parts.decorations =
      "OpMemberDecorate %record 0 PayloadDispatchIndirectAMDX\nOpDecorate %record TrackFinishWritingAMDX";
  parts.body = "%member = OpAccessChain %np_uint %input %uint_0 %int_1\n%value = OpLoad %uint %member";
  const std::string text = LowerParts(parts);
  EXPECT_TRUE(HasLine(text, "OpCapability Shader")) << text;
  EXPECT_TRUE(HasLine(text, "OpCapability PhysicalStorageBufferAddresses"));
  EXPECT_TRUE(HasLine(text, "OpMemoryModel PhysicalStorageBuffer64 GLSL450"));
  EXPECT_TRUE(HasLine(text, "OpMemberDecorate %record 1 Offset 4"));
  EXPECT_EQ(text.find("AMDX"), std::string::npos);
  EXPECT_FALSE(HasLine(text, "%inputs = ..."));
  EXPECT_FALSE(HasLine(text, "%input = ..."));
  EXPECT_FALSE(HasLine(text, "OpCapability StorageBuffer16BitAccess"));
}

TEST(Strip, ConstantsOfModesGoWithThem) {
  NodeParts parts;
  parts.modes += "\nOpExecutionModeId %main SharesInputWithAMDX %target_name %spec";
  parts.decorations = "OpDecorate %spec SpecId 0";
  parts.globals = "%spec = OpSpecConstant %uint 4";
  const std::string text = LowerParts(parts);
  EXPECT_FALSE(HasLine(text, "%spec = ...")) << text;
  EXPECT_FALSE(HasLine(text, "%target_name = ..."));
}

TEST(Strip, ShaderCapabilityThatWasOnlyImplied) {
  std::string text = Compose(NodeParts());
  text.erase(text.find("OpCapability Shader\n"), std::string("OpCapability Shader\n").size());
  EXPECT_TRUE(HasLine(LowerText(text), "OpCapability Shader"));
}

TEST(Strip, ExtensionForAddressesBeforeVersion15) {
  LowerRequest request;
  request.version = 0x00010400;
  EXPECT_TRUE(HasLine(LowerParts(NodeParts(), request), "OpExtension \"SPV_KHR_physical_storage_buffer\""));
}

TEST(Strip, ModulesBelowVersion14AreRaised) {
  LowerRequest request;
  request.version = 0x00010300;
  NodeParts parts;
  parts.body =
      "%length = OpNodePayloadArrayLengthAMDX %uint %input\n%many = OpUGreaterThan %bool %length %uint_2\n"
      "%one = OpAllocateNodePayloadsAMDX %out_ptr %uint_2 %uint_1 %uint_0\n%two = OpAllocateNodePayloadsAMDX %out_ptr "
      "%uint_2 %uint_2 %uint_0\n"
      "%selected = OpSelect %out_ptr %many %one %two\nOpEnqueueNodePayloadsAMDX %selected";
  EXPECT_TRUE(HasLine(LowerParts(parts, request), "%selected = OpSelect %v4uint %many %one %two"))
      << "a scalar condition needs 1.4";
}

}  // namespace
}  // namespace trellis::spirv
