// SPDX-License-Identifier: Apache-2.0
// Graphs of mesh nodes through the exported functions: what the driver gets for them. What they draw is tested in
// tests/gpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "layer/device/advertised_extensions.h"
#include "layer/objects/handle_table.h"
#include "tests/layer/entry/mesh_graph_fixture.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

// Of a graph without grids from records in later levels that the host or the device dispatches.
constexpr size_t kKernels = 7;

TEST_F(MeshGraph, the_driver_has_mesh_shaders_and_no_node) {
  EXPECT_THAT(driver_.device_extensions, ::testing::Contains(VK_EXT_MESH_SHADER_EXTENSION_NAME));
  EXPECT_EQ(driver_.CountOf("CreateShaderModule"), 0u);
  EXPECT_EQ(driver_.CountOf("CreatePipelineLayout"), 3u) << "the application's, of compute nodes, of mesh nodes";
  VkPipeline node = VK_NULL_HANDLE;
  ASSERT_EQ(MakeNode(layout_, node), VK_SUCCESS);
  ASSERT_EQ(driver_.CountOf("CreateGraphicsPipelines"), 1u);
  const DriverCall created = driver_.CallsOf("CreateGraphicsPipelines")[0];
  EXPECT_EQ(created.flags, 0u) << "neither of graphs nor of libraries";
  EXPECT_TRUE(created.chain.empty());
  EXPECT_NE(created.object, HandleToU64(node));
  const VkPipeline graph = MakeGraph({node});
  EXPECT_EQ(driver_.CountOf("CreateGraphicsPipelines"), 1u) << "linking compiles nothing";
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), kKernels) << "none is a node's";
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), node, nullptr);
  EXPECT_EQ(driver_.CountOf("DestroyPipeline"), 0u) << "the graph has it";
  TRELLIS_CALL(device_, DestroyPipeline)(device_.handle(), graph, nullptr);
  EXPECT_EQ(driver_.CallsOf("DestroyPipeline").at(0).object, created.object);
}

TEST_F(MeshGraph, layouts_without_room_for_an_address_are_refused) {
  VkPipeline node = VK_NULL_HANDLE;
  EXPECT_EQ(MakeNode(MakeLayout(120), node), VK_SUCCESS);
  EXPECT_EQ(MakeNode(MakeLayout(124), node), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(node, VkPipeline{VK_NULL_HANDLE});
}

// One draw with its state; afterwards the application's pipeline and push constants.
TEST_F(MeshGraph, draws_in_place) {
  VkPipeline node = VK_NULL_HANDLE;
  ASSERT_EQ(MakeNode(layout_, node), VK_SUCCESS);
  const VkPipeline graph = MakeGraph({node});
  const uint64_t below = driver_.CallsOf("CreateGraphicsPipelines")[0].object;
  const Scratch scratch(device_);
  const VkCommandBuffer command_buffer = device_.Begin();
  const auto application = HandleFromU64<VkPipeline>(0x777);
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraphics, application);
  const std::array<uint32_t, 5> pushed = {1, 2, 3, 4, 5};
  TRELLIS_CALL(device_, CmdPushConstants)(command_buffer, layout_, kDrawn, 0, sizeof(pushed), pushed.data());
  BeginRendering(command_buffer);
  Dispatch(command_buffer, graph, scratch);  // makes plan memory
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch);
  EXPECT_THAT(NamesOfCalls(), ElementsAre("CmdBeginDebugUtilsLabelEXT", "CmdBeginDebugUtilsLabelEXT", "CmdBindPipeline",
                                          "CmdPushConstants", "CmdDrawMeshTasksEXT", "CmdEndDebugUtilsLabelEXT",
                                          "CmdBindPipeline", "CmdPushConstants", "CmdEndDebugUtilsLabelEXT"));
  EXPECT_EQ(driver_.calls()[1].text, "node main[0] level 0");
  EXPECT_EQ(driver_.calls()[2].object, below);
  EXPECT_EQ(driver_.calls()[2].bind_point, kGraphics);
  const DriverCall& pushed_below = driver_.calls()[3];
  EXPECT_EQ(pushed_below.stages, kDrawn);
  EXPECT_NE(pushed_below.layout, HandleToU64(layout_));
  ASSERT_EQ(pushed_below.bytes.size(), 32u) << "20 bytes, up to a multiple of 8, and an address";
  EXPECT_TRUE(std::equal(pushed_below.bytes.begin(), pushed_below.bytes.begin() + sizeof(pushed),
                         reinterpret_cast<const uint8_t*>(pushed.data())));
  EXPECT_THAT(driver_.calls()[4].dynamic_offsets, ElementsAre(7u, 1u, 1u)) << "3 x 2 workgroups, and 1";
  EXPECT_EQ(driver_.calls()[6].object, HandleToU64(application));
  EXPECT_EQ(driver_.calls()[7].layout, HandleToU64(layout_));
  EXPECT_EQ(driver_.calls()[7].bytes.size(), sizeof(pushed));
  EXPECT_EQ(TRELLIS_CALL(device_, EndCommandBuffer)(command_buffer), VK_SUCCESS);
}

// Shader objects are bound again, also those that were unbound.
TEST_F(MeshGraph, shader_objects_come_back) {
  VkPipeline node = VK_NULL_HANDLE;
  ASSERT_EQ(MakeNode(layout_, node), VK_SUCCESS);
  const VkPipeline graph = MakeGraph({node});
  const Scratch scratch(device_);
  const VkCommandBuffer command_buffer = device_.Begin();
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraphics, HandleFromU64<VkPipeline>(0x777));
  const std::array<VkShaderStageFlagBits, 3> stages = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_GEOMETRY_BIT,
                                                       VK_SHADER_STAGE_COMPUTE_BIT};
  const std::array<VkShaderEXT, 3> shaders = {HandleFromU64<VkShaderEXT>(0x10), VK_NULL_HANDLE,
                                              HandleFromU64<VkShaderEXT>(0x30)};
  TRELLIS_CALL(device_, CmdBindShadersEXT)(command_buffer, 3, stages.data(), shaders.data());
  BeginRendering(command_buffer);
  driver_.ForgetCalls();
  Dispatch(command_buffer, graph, scratch);
  const std::vector<DriverCall> bound = driver_.CallsOf("CmdBindShadersEXT");
  ASSERT_EQ(bound.size(), 2u) << "compute was not touched";
  EXPECT_EQ(bound[0].stages, VkShaderStageFlags{VK_SHADER_STAGE_VERTEX_BIT});
  EXPECT_THAT(bound[0].objects, ElementsAre(0x10u));
  EXPECT_EQ(bound[1].stages, VkShaderStageFlags{VK_SHADER_STAGE_GEOMETRY_BIT});
  EXPECT_THAT(bound[1].objects, ElementsAre(0u));
  EXPECT_EQ(driver_.CountOf("CmdBindPipeline"), 1u) << "the node's alone";
}

// Without the feature nothing of this reaches the driver.
TEST_F(MeshGraph, devices_that_do_not_enable_it_see_nothing) {
  driver_.ForgetCalls();
  features_.shaderMeshEnqueue = VK_FALSE;
  const TestDevice device(instance_, kGraphExtensions, &features_);
  EXPECT_THAT(driver_.device_extensions, ::testing::Not(::testing::Contains(VK_EXT_MESH_SHADER_EXTENSION_NAME)));
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  VkPipelineLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device, CreatePipelineLayout)(device.handle(), &info, nullptr, &layout), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("CreatePipelineLayout"), 2u);
}

}  // namespace
}  // namespace trellis::test
