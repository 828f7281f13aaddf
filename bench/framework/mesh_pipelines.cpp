// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/mesh_pipelines.h"

namespace trellis::bench {
namespace {

// A node of an array.
struct MeshNodeName {
  const char* name;
  uint32_t index;
};

VkPipelineLayout CreateMeshLayout(const Gpu& gpu) {
  const VkPushConstantRange range = {kMeshStages, 0, kPushConstantBytes};
  auto info = Struct<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  Check(vkCreatePipelineLayout(gpu.device(), &info, nullptr, &layout), "vkCreatePipelineLayout");
  return layout;
}

// With `node` a library for graphs.
VkPipeline CreateMeshPipeline(const Gpu& gpu, Words words, VkPipelineLayout layout, const MeshNodeName* node) {
  auto module_info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = words.size_bytes();
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  Check(vkCreateShaderModule(gpu.device(), &module_info, nullptr, &module), "vkCreateShaderModule");
  auto name =
      Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  auto stage = Struct<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  stage.stage = VK_SHADER_STAGE_MESH_BIT_EXT;
  stage.module = module;
  stage.pName = "main";
  auto rendering = Struct<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  auto flags =
      Struct<VkPipelineCreateFlags2CreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, &rendering);
  if (node != nullptr) {
    name.pName = node->name;
    name.index = node->index;
    stage.pNext = &name;
    flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  }
  auto raster =
      Struct<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.rasterizerDiscardEnable = VK_TRUE;
  raster.lineWidth = 1.0f;
  auto info = Struct<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &flags);
  info.stageCount = 1;
  info.pStages = &stage;
  info.pRasterizationState = &raster;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  Check(vkCreateGraphicsPipelines(gpu.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  vkDestroyShaderModule(gpu.device(), module, nullptr);
  return pipeline;
}

}  // namespace

MeshPipelines::MeshPipelines(const Gpu& gpu, uint32_t count, const char* name, Words node, Words by_hand)
    : gpu_(gpu), layout_(CreateMeshLayout(gpu)) {
  for (uint32_t i = 0; i < count; ++i) {
    const MeshNodeName node_name = {name, i};
    nodes_.push_back(CreateMeshPipeline(gpu, node, layout_, &node_name));
    by_hand_.push_back(CreateMeshPipeline(gpu, by_hand, layout_, nullptr));
  }
}

MeshPipelines::~MeshPipelines() {
  for (const VkPipeline pipeline : nodes_) vkDestroyPipeline(gpu_.device(), pipeline, nullptr);
  for (const VkPipeline pipeline : by_hand_) vkDestroyPipeline(gpu_.device(), pipeline, nullptr);
  vkDestroyPipelineLayout(gpu_.device(), layout_, nullptr);
}

void BeginEmptyRendering(VkCommandBuffer commands) {
  auto info = Struct<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  info.renderArea.extent = kMeshExtent;
  info.layerCount = 1;
  vkCmdBeginRendering(commands, &info);
}

PFN_vkCmdDrawMeshTasksEXT DrawMeshTasksOf(const Gpu& gpu) {
  return reinterpret_cast<PFN_vkCmdDrawMeshTasksEXT>(vkGetDeviceProcAddr(gpu.device(), "vkCmdDrawMeshTasksEXT"));
}

PFN_vkCmdDrawMeshTasksIndirectEXT DrawMeshTasksIndirectOf(const Gpu& gpu) {
  return reinterpret_cast<PFN_vkCmdDrawMeshTasksIndirectEXT>(
      vkGetDeviceProcAddr(gpu.device(), "vkCmdDrawMeshTasksIndirectEXT"));
}

}  // namespace trellis::bench
