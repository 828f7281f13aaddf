// SPDX-License-Identifier: Apache-2.0
// Descriptions of nodes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "spirv_lowering/ir/reader.h"
#include "spirv_lowering/post/post.h"
#include "tests/rules/broken_modules.h"
#include "tools/trellis/node_reports.h"

namespace trellis::tool {
namespace {

spirv::NodeInfo Example() {
  spirv::NodeInfo info;
  info.entry_point = "a \"b\"\n";
  info.shader_index = 3;
  info.kind = spirv::LaunchKind::kDynamicGrid;
  info.grid = {64, 2, 1};
  info.local_size = {8, 4, 1};
  info.input = {20, 4};
  info.grid_member = spirv::GridMember{4, 2, 2};
  info.writes_input = true;
  info.shares_input = true;
  info.is_api_entry = false;
  info.shares_input_with_name = "other";
  info.shares_input_with_index = 1;
  info.max_recursion = 5;
  info.push_constant_end = 16;
  spirv::NodeOutputInfo output;
  output.target_name = "next";
  output.max_payloads = 7;
  output.array_size = 9;
  output.base_index = 2;
  output.sparse = true;
  output.uses_heap = true;
  output.payload = {12, 4};
  output.constant_indices = {2, 3};
  info.outputs.push_back(output);
  return info;
}

TEST(Reports, Text) {
  EXPECT_EQ(AsText(Example()),
            "node 'a \"b\"\n', shader index 3, compute\n"
            "  launch:   grid in the payload (2 x 16 bits at byte 4), at most 64x2x1 workgroups; local size 8x4x1\n"
            "  input:    20 bytes, aligned to 4, written\n"
            "  shares:   the input of 'other', shader index 1\n"
            "  recursion: 5 level(s)\n"
            "  output:   to 'next', up to 7 payload(s) a workgroup, 12 bytes, aligned to 4; array of 9; base index 2; "
            "sparse; placed at enqueue\n"
            "  not launched by the application\n"
            "  push constants: 16 bytes\n");
}

TEST(Reports, JsonHasAllOfIt) {
  const nlohmann::json json = nlohmann::json::parse(AsJson(Example()));
  EXPECT_EQ(json["entry_point"], "a \"b\"\n");
  EXPECT_EQ(json["launch"], "dynamic_grid");
  EXPECT_EQ(json["grid"], (std::vector<uint32_t>{64, 2, 1}));
  EXPECT_EQ(json["local_size"], (std::vector<uint32_t>{8, 4, 1}));
  EXPECT_EQ(json["grid_member"]["component_width"], 2);
  EXPECT_EQ(json["shares_input_with"]["node"], "other");
  EXPECT_EQ(json["max_recursion"], 5);
  EXPECT_EQ(json["writes_input"], true);
  EXPECT_EQ(json["outputs"][0]["indices"], (std::vector<uint32_t>{2, 3}));
  EXPECT_EQ(json["outputs"][0]["placed_at_enqueue"], true);
  EXPECT_EQ(json["outputs"][0]["payload_size"], 12);
  EXPECT_EQ(json["push_constant_end"], 16);
}

TEST(Reports, MeshNode) {
  Expected<std::string> text = spirv::MeshText();
  ASSERT_TRUE(text);
  Expected<std::vector<uint32_t>> words = spirv::Assemble(*text);
  ASSERT_TRUE(words);
  Expected<spirv::Module> module = spirv::ReadModule(*words);
  ASSERT_TRUE(module);
  EXPECT_EQ(NodeNames(*module), std::vector<std::string>{"main"});
  const Expected<spirv::NodeInfo> info = ReflectNode(*module, "main", {});
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(info->input.size, 16u);
  EXPECT_TRUE(AsText(*info).starts_with("node 'main', shader index 0, mesh\n")) << AsText(*info);
  EXPECT_EQ(nlohmann::json::parse(AsJson(*info))["stage"], "mesh");
}

TEST(Reports, UnknownEntryPoint) {
  Expected<std::string> text = spirv::ValidText();
  Expected<std::vector<uint32_t>> words = spirv::Assemble(*text);
  ASSERT_TRUE(words);
  Expected<spirv::Module> module = spirv::ReadModule(*words);
  ASSERT_TRUE(module);
  EXPECT_FALSE(ReflectNode(*module, "other", {}));
}

}  // namespace
}  // namespace trellis::tool
