// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "spirv_lowering/post/post.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {

World::Chains::Chains(bool validate_value, const WorldOptions& options)
    : validate(validate_value),
      setting{"VK_LAYER_TRELLIS_shader_enqueue", "validate", VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &validate},
      settings{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT, nullptr, 1, &setting} {
  cache_control.pipelineCreationCacheControl = options.pipeline_creation_cache_control;
  features.shaderEnqueue = options.shader_enqueue;
}

World::World(bool validate, const WorldOptions& options)
    : driver_(options.driver),
      chains_(validate, options),
      instance_(driver_, {VK_EXT_DEBUG_UTILS_EXTENSION_NAME}, &chains_.settings),
      messenger_(
          instance_, [this](const HeardMessage& message) { OnMessage(message); },
          VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT),
      device_(instance_, kGraphExtensions, &chains_.features) {
  EXPECT_EQ(messenger_.result(), VK_SUCCESS);
}

void World::OnMessage(const HeardMessage& message) {
  const std::string_view id = message.data.pMessageIdName;
  if (message.type == VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) {
    EXPECT_EQ(id.substr(0, 8), "TRELLIS-");
    return;
  }
  EXPECT_EQ(message.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
  EXPECT_EQ(message.data.objectCount, 1u) << id;
  EXPECT_NE(message.data.pObjects[0].objectHandle, 0u) << id;
  EXPECT_THAT(message.data.pMessage, testing::ContainsRegex("^vk[A-Za-z]*AMDX\\(\\): .*")) << id;
  vuids.emplace_back(id);
}

VkShaderModule World::Module(const std::string& text) {
  auto words = spirv::Assemble(text);
  if (!words) {
    ADD_FAILURE() << words.error().message;
    return VK_NULL_HANDLE;
  }
  auto info = MakeStruct<VkShaderModuleCreateInfo>();
  info.codeSize = words->size() * sizeof(uint32_t);
  info.pCode = words->data();
  VkShaderModule module = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateShaderModule)(device_.handle(), &info, nullptr, &module), VK_SUCCESS);
  return module;
}

VkPipelineLayout World::Layout(uint32_t push_constant_bytes) {
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  info.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreatePipelineLayout)(device_.handle(), &info, nullptr, &layout), VK_SUCCESS);
  return layout;
}

VkPipelineShaderStageCreateInfo World::Stage(VkShaderModule module, const char* entry_point, const void* chain) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
          chain,
          0,
          VK_SHADER_STAGE_COMPUTE_BIT,
          module,
          entry_point,
          nullptr};
}

VkExecutionGraphPipelineCreateInfoAMDX World::ChainInfo(const void* chain) {
  const VkShaderModule module = Module(ChainModule(Shape::kDxc));
  stages_ = {Stage(module, "Source"), Stage(module, "Grid"), Stage(module, "Sum")};
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.pNext = chain;
  info.stageCount = static_cast<uint32_t>(stages_.size());
  info.pStages = stages_.data();
  info.layout = Layout();
  info.basePipelineIndex = -1;
  return info;
}

std::vector<VkPipeline> World::CreateAll(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                                         VkPipelineCache cache) {
  std::vector<VkPipeline> pipelines(infos.size() + 1);  // room for none
  EXPECT_EQ(TRELLIS_CALL(device_, CreateExecutionGraphPipelinesAMDX)(
                device_.handle(), cache, static_cast<uint32_t>(infos.size()), infos.data(), nullptr, pipelines.data()),
            VK_SUCCESS);
  return pipelines;
}

VkPipeline World::GraphOf(const std::string& text, const std::vector<NodeEntry>& nodes, VkPipelineCreateFlags flags,
                          uint32_t push_constant_bytes) {
  const VkShaderModule module = Module(text);
  std::vector<VkPipelineShaderStageNodeCreateInfoAMDX> names;
  for (const NodeEntry& node : nodes)
    names.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, node.name, node.index});
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (size_t i = 0; i < nodes.size(); ++i)
    stages.push_back(Stage(module, nodes[i].entry_point, nodes[i].name ? &names[i] : nullptr));
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.flags = flags;
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.layout = Layout(push_constant_bytes);
  return Create(info);
}

VkBuffer World::Buffer(VkDeviceSize size, VkBufferUsageFlags usage) {
  auto info = MakeStruct<VkBufferCreateInfo>();
  info.size = size;
  info.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateBuffer)(device_.handle(), &info, nullptr, &buffer), VK_SUCCESS);
  auto allocate = MakeStruct<VkMemoryAllocateInfo>();
  allocate.allocationSize = size;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, AllocateMemory)(device_.handle(), &allocate, nullptr, &memory), VK_SUCCESS);
  EXPECT_EQ(TRELLIS_CALL(device_, BindBufferMemory)(device_.handle(), buffer, memory, 0), VK_SUCCESS);
  return buffer;
}

VkDeviceAddress World::AddressOf(VkBuffer buffer) {
  const VkBufferDeviceAddressInfo query = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  return TRELLIS_CALL(device_, GetBufferDeviceAddress)(device_.handle(), &query);
}

VkDeviceSize World::ScratchSize(VkPipeline graph) {
  auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), graph, &size),
            VK_SUCCESS);
  return size.minSize;
}

VkCommandBuffer World::Allocate(VkCommandPoolCreateFlags pool_flags, VkCommandBufferLevel level) {
  auto pool_info = MakeStruct<VkCommandPoolCreateInfo>();
  pool_info.flags = pool_flags;
  auto info = MakeStruct<VkCommandBufferAllocateInfo>();
  info.commandBufferCount = 1;
  info.level = level;
  VkCommandBuffer command_buffer = VK_NULL_HANDLE;
  EXPECT_EQ(TRELLIS_CALL(device_, CreateCommandPool)(device_.handle(), &pool_info, nullptr, &info.commandPool),
            VK_SUCCESS);
  EXPECT_EQ(TRELLIS_CALL(device_, AllocateCommandBuffers)(device_.handle(), &info, &command_buffer), VK_SUCCESS);
  return command_buffer;
}

void World::Begin(VkCommandBuffer command_buffer) {
  const auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  EXPECT_EQ(TRELLIS_CALL(device_, BeginCommandBuffer)(command_buffer, &begin), VK_SUCCESS);
}

void World::Bind(VkCommandBuffer command_buffer, VkPipeline graph) {
  TRELLIS_CALL(device_, CmdBindPipeline)(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph);
}

void ExpectFinding(const std::string& vuid, const Program& wrong, const WorldOptions& options) {
  World checked(true, options);
  wrong(checked);
  EXPECT_THAT(checked.vuids, testing::ElementsAre(vuid));
  World unchecked(false, options);
  wrong(unchecked);
  EXPECT_THAT(unchecked.vuids, testing::IsEmpty()) << "without the setting";
}

void ExpectNoFinding(const Program& right, const WorldOptions& options) {
  World checked(true, options);
  right(checked);
  EXPECT_THAT(checked.vuids, testing::IsEmpty());
}

}  // namespace trellis::test
