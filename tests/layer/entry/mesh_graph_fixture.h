// SPDX-License-Identifier: Apache-2.0
// A graph of mesh nodes on the fake driver.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "test_nodes/tiles.h"
#include "tests/faults/graph_parts.h"
#include "tests/layer/fake_driver/layer_under_test.h"
#include "tests/layer/fake_handles.h"

namespace trellis::test {

inline constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
inline constexpr VkShaderStageFlags kDrawn = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

struct MeshSettings {
  bool validate = false;
  bool labels = true;
};

// In the chain of vkCreateInstance.
struct MeshSettingsChain {
  explicit MeshSettingsChain(const MeshSettings& values = {}) : validate(values.validate), labels(values.labels) {}
  MeshSettingsChain(const MeshSettingsChain&) = delete;
  MeshSettingsChain& operator=(const MeshSettingsChain&) = delete;

  static constexpr const char* kLayer = "VK_LAYER_TRELLIS_shader_enqueue";
  VkBool32 validate, labels;
  std::array<VkLayerSettingEXT, 2> settings = {{{kLayer, "validate", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &validate},
                                                {kLayer, "labels", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &labels}}};
  VkLayerSettingsCreateInfoEXT info = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr,
                                       static_cast<uint32_t>(settings.size()), settings.data()};
};

class MeshGraph : public ::testing::Test {
 protected:
  explicit MeshGraph(const MeshSettings& settings = {}) : chain_(settings) {}

  void SetUp() override {
    module_ = MakeModule(kTilesNode);
    layout_ = MakeLayout(20);
  }

  VkShaderModule MakeModule(std::span<const uint32_t> words) {
    auto info = MakeStruct<VkShaderModuleCreateInfo>();
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &info, nullptr, &module), VK_SUCCESS);
    return module;
  }

  VkPipelineLayout MakeLayout(uint32_t push_constant_bytes) {
    const VkPushConstantRange range = {kDrawn, 0, push_constant_bytes};
    auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout), VK_SUCCESS);
    return layout;
  }

  // A library of the node, called `name` if there is one. `edit` may change what vkCreateGraphicsPipelines gets.
  VkResult MakeNode(VkPipelineLayout layout, VkPipeline& pipeline, const std::vector<VkDynamicState>& dynamic = {},
                    const char* name = nullptr, const std::function<void(VkGraphicsPipelineCreateInfo&)>& edit = {}) {
    auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
    flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
    node.pName = name;
    auto dynamic_info = MakeStruct<VkPipelineDynamicStateCreateInfo>();
    dynamic_info.dynamicStateCount = static_cast<uint32_t>(dynamic.size());
    dynamic_info.pDynamicStates = dynamic.data();
    const VkPipelineShaderStageCreateInfo stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                   name ? &node : nullptr,
                                                   0,
                                                   VK_SHADER_STAGE_MESH_BIT_EXT,
                                                   module_,
                                                   "main",
                                                   nullptr};
    auto info = MakeStruct<VkGraphicsPipelineCreateInfo>(&flags);
    info.stageCount = 1;
    info.pStages = &stage;
    info.pDynamicState = &dynamic_info;
    info.layout = layout;
    if (edit) edit(info);
    return TRELLIS_CALL(device_, CreateGraphicsPipelines)(device_.handle(), {}, 1, &info, nullptr, &pipeline);
  }

  // A graph of the nodes, and of compute nodes.
  VkPipeline MakeGraph(const std::vector<VkPipeline>& nodes,
                       std::span<const VkPipelineShaderStageCreateInfo> stages = {}) {
    auto libraries = MakeStruct<VkPipelineLibraryCreateInfoKHR>();
    libraries.libraryCount = static_cast<uint32_t>(nodes.size());
    libraries.pLibraries = nodes.data();
    auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
    info.pLibraryInfo = &libraries;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = layout_;
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_EQ(TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(device_.handle(), {}, 1, &info, nullptr, &graph),
              VK_SUCCESS);
    return graph;
  }

  // Two payloads for each of so many nodes from `first` on.
  void Dispatch(VkCommandBuffer command_buffer, VkPipeline graph, const Scratch& scratch, uint32_t nodes = 1,
                uint32_t first = 0) {
    TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, kGraph, graph);
    const std::array<uint32_t, 40> payloads = {3, 2, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0};
    std::vector<VkDispatchGraphInfoAMDX> infos(nodes);
    for (uint32_t node = 0; node < nodes; ++node) {
      infos[node].nodeIndex = first + node;
      infos[node].payloadCount = 2;
      infos[node].payloads.hostAddress = payloads.data();
      infos[node].payloadStride = 40;
    }
    VkDispatchGraphCountInfoAMDX count_info = {};
    count_info.count = nodes;
    count_info.infos.hostAddress = infos.data();
    count_info.stride = sizeof(infos[0]);
    TRELLIS_CALL(device_, CmdDispatchGraphAMDX)(command_buffer, scratch.address(), Scratch::kBytes, &count_info);
  }

  void BeginRendering(VkCommandBuffer command_buffer, uint32_t view_mask = 0, uint32_t color_attachments = 0) {
    const std::vector attachments(color_attachments, MakeStruct<VkRenderingAttachmentInfo>());
    auto info = MakeStruct<VkRenderingInfo>();
    info.viewMask = view_mask;
    info.colorAttachmentCount = color_attachments;
    info.pColorAttachments = attachments.data();
    TRELLIS_CALL(device_, CmdBeginRendering)(command_buffer, &info);
  }

  [[nodiscard]] std::vector<std::string> NamesOfCalls() const {
    std::vector<std::string> names;
    for (const DriverCall& call : driver_.calls()) names.push_back(call.name);
    return names;
  }

  FakeDriver driver_{WithMeshShaders()};
  MeshSettingsChain chain_;
  TestInstance instance_{driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &chain_.info};
  VkPhysicalDeviceShaderEnqueueFeaturesAMDX features_ = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                         nullptr, VK_TRUE, VK_TRUE};
  TestDevice device_{instance_, kGraphExtensions, &features_};
  VkShaderModule module_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

}  // namespace trellis::test
