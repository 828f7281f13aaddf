// SPDX-License-Identifier: Apache-2.0
#include "spirv_lowering/fragment_shader.h"

#include <gtest/gtest.h>

#include "spirv_lowering/post/post.h"
#include "tests/spirv_lowering/mesh_parts.h"
#include "tests/spirv_lowering/node_text.h"
#include "tests/spirv_lowering/spirv_text.h"

namespace trellis::spirv {
namespace {

// What the driver gets of the fragment shader "pixel", or why it gets nothing.
std::string Extract(const std::string& text) {
  const Expected<std::vector<uint32_t>> words = ExtractFragmentShader(ReadTextOrFail(text), "pixel");
  if (!words) return words.error().message;
  const Expected<void> valid = Validate(*words);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_FALSE(Contains(*Disassemble(*words), "AMDX"));
  return Readable(*words);
}

TEST(FragmentShader, StandsAlone) {
  const std::string text = Extract(ComposeWithFragment(MeshParts()));
  EXPECT_TRUE(HasLines(text, {"OpEntryPoint Fragment %pixel \"pixel\" %color_in %normal_in %pixel_out",
                              "OpExecutionMode %pixel OriginUpperLeft", "OpDecorate %color_in Location 0",
                              "OpDecorate %color_in PerPrimitiveEXT", "OpDecorate %normal_in Location 1",
                              "OpDecorate %pixel_out Location 0", "%pixel = OpFunction ...",
                              "%sum = OpFAdd %v4float %of_color %of_normal", "OpStore %pixel_out %sum"}))
      << text;
  EXPECT_EQ(CountLines(text, "OpEntryPoint ..."), 1u);
  EXPECT_EQ(CountLines(text, "* = OpFunction ..."), 1u);
  EXPECT_FALSE(HasLine(text, "OpSetMeshOutputsEXT ..."));
}

TEST(FragmentShader, KeepsItsSpecialisationConstants) {
  NodeParts parts = MeshParts();
  parts.decorations += "OpDecorate %scale SpecId 4\n";
  parts.globals += "%scale = OpSpecConstant %float 2\n";
  std::string text = ComposeWithFragment(parts);
  text.insert(text.find("OpStore %pixel_out"), "%scaled = OpVectorTimesScalar %v4float %sum %scale\n");
  EXPECT_TRUE(HasLine(Extract(text), "OpDecorate %scale SpecId 4"));
}

TEST(FragmentShader, UseOfTheExtensionIsRefused) {
  std::string text = ComposeWithFragment(MeshParts());
  text.insert(text.find("%of_color ="), "%length = OpNodePayloadArrayLengthAMDX %uint %input\n");
  EXPECT_TRUE(Contains(Extract(text), "fragment shader 'pixel': OpType"));
  NodeParts parts = MeshParts();
  parts.decorations += "OpDecorate %index BuiltIn ShaderIndexAMDX\n";
  parts.globals += "%in_uint = OpTypePointer Input %uint\n%index = OpVariable %in_uint Input\n";
  text = ComposeWithFragment(parts);
  text.insert(text.find("%of_color ="), "%number = OpLoad %uint %index\n");
  EXPECT_TRUE(Contains(Extract(text), "the built-in ShaderIndexAMDX is not for fragment shaders"));
}

// A decoration that names what only the mesh shader has.
TEST(FragmentShader, NeedsNothingOfTheRest) {
  std::string text = ComposeWithFragment(MeshParts());
  text.insert(text.find("OpDecorate %pixel_out"), "OpDecorate %pixel_out UniformId %number\n");
  text.insert(text.find("%in_v4float ="), "%number = OpConstant %uint 77\n");
  EXPECT_TRUE(Contains(Extract(text), "fragment shader 'pixel': it is not well-formed by itself")) << Extract(text);
}

TEST(FragmentShader, HasToBeThere) { EXPECT_TRUE(Contains(Extract(Compose(MeshParts())), "no entry point \"pixel\"")); }

}  // namespace
}  // namespace trellis::spirv
