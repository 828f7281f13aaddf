// Graphs of mesh nodes through the exported functions: what the driver gets for them. What they draw is tested in
// tests/gpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "layer/device/advertised_extensions.h"
#include "layer/objects/handle_table.h"
#include "test_nodes/tiles.h"
#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkShaderStageFlags kDrawn = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

// In the chain of vkCreateInstance: mesh nodes are on.
struct MeshNodesOn {
  VkBool32 on = VK_TRUE;
  VkLayerSettingEXT setting = {"VK_LAYER_TRELLIS_shader_enqueue", "mesh_nodes", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1,
                               &on};
  VkLayerSettingsCreateInfoEXT info = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &setting};
};

class MeshGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    VkShaderModuleCreateInfo module_info = {};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = sizeof(kTilesNode);
    module_info.pCode = kTilesNode;
    ASSERT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &module_info, nullptr, &module_), VK_SUCCESS);
    layout_ = MakeLayout(20);
  }

  VkPipelineLayout MakeLayout(uint32_t push_constant_bytes) {
    const VkPushConstantRange range = {kDrawn, 0, push_constant_bytes};
    VkPipelineLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout), VK_SUCCESS);
    return layout;
  }

  // A library of the node.
  VkResult MakeNode(VkPipelineLayout layout, VkPipeline& pipeline) {
    VkPipelineCreateFlags2CreateInfo flags = {};
    flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    const VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   nullptr,
                                                   0,
                                                   VK_SHADER_STAGE_MESH_BIT_EXT,
                                                   module_,
                                                   "main",
                                                   nullptr};
    VkGraphicsPipelineCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = &flags;
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = layout;
    return TRELLIS_CALL(device_, CreateGraphicsPipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline);
  }

  // A graph of the node.
  VkPipeline MakeGraph(VkPipeline node) {
    VkPipelineLibraryCreateInfoKHR libraries = {};
    libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    libraries.libraryCount = 1;
    libraries.pLibraries = &node;
    VkExecutionGraphPipelineCreateInfoAMDX info = {};
    info.sType = VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX;
    info.pLibraryInfo = &libraries;
    info.layout = layout_;
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(device_.handle(), {}, 1, &info, nullptr, &graph),
              VK_SUCCESS);
    return graph;
  }

  // Two payloads for the only node.
  void Dispatch(VkCommandBuffer command_buffer, VkPipeline graph, const Scratch& scratch) {
    TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph);
    const std::array<uint32_t, 20> payloads = {3, 2, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0};
    VkDispatchGraphInfoAMDX node = {};
    node.payloadCount = 2;
    node.payloads.hostAddress = payloads.data();
    node.payloadStride = 40;
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = 1;
    count_info.infos.hostAddress = &node;
    count_info.stride = sizeof(node);
    TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch.address(), Scratch::kBytes, &count_info);
  }

  void BeginRendering(VkCommandBuffer command_buffer) {
    VkRenderingInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    TRELLIS_CALL(device_, CmdBeginRendering)(command_buffer, &info);
  }

  [[nodiscard]] std::vector<std::string> NamesOfCalls() const {
    std::vector<std::string> names;
    for (const DriverCall& call : driver_.calls()) names.push_back(call.name);
    return names;
  }

  FakeDriver driver_{WithMeshShaders()};
  MeshNodesOn on_;
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &on_.info};
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX features_ = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                         nullptr, VK_TRUE, VK_TRUE};
  TestDevice device_{instance_, kGraphExtensions, &features_};
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

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
  const VkPipeline graph = MakeGraph(node);
  EXPECT_EQ(driver_.CountOf("CreateGraphicsPipelines"), 1u) << "linking compiles nothing";
  EXPECT_EQ(driver_.CountOf("CreateComputePipelines"), 0u);
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
  const VkPipeline graph = MakeGraph(node);
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
  const VkPipeline graph = MakeGraph(node);
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
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device, CreatePipelineLayout)(device.handle(), &info, nullptr, &layout), VK_SUCCESS);
  EXPECT_EQ(driver_.CountOf("CreatePipelineLayout"), 2u);
}

}  // namespace
}  // namespace trellis::test
