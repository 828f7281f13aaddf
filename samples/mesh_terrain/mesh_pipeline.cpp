// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "samples/hello_graph/failure.h"
#include "samples/mesh_terrain/scene.h"

namespace terrain {

using hello::Check;
using hello::Struct;

namespace {

VkShaderModule MakeModule(const hello::Gpu& gpu, std::span<const uint32_t> words) {
  auto info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  Check(vkCreateShaderModule(gpu.device(), &info, nullptr, &module), "vkCreateShaderModule");
  return module;
}

VkPipelineShaderStageCreateInfo Stage(VkShaderStageFlagBits stage, VkShaderModule module, const void* next = nullptr) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, next, 0, stage, module, "main", nullptr};
}

// All pipelines have the same state but for their shaders.
VkPipeline Make(const Scene& scene, std::span<const VkPipelineShaderStageCreateInfo> stages, const void* next) {
  auto rendering = Struct<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.pNext = next;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &Canvas::kColorFormat;
  rendering.depthAttachmentFormat = Canvas::kDepthFormat;
  auto viewport = Struct<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  auto raster =
      Struct<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.lineWidth = 1;
  auto samples = Struct<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = Canvas::kSamples;
  auto depth =
      Struct<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER;
  VkPipelineColorBlendAttachmentState attachment = {};
  attachment.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  auto blend = Struct<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  constexpr std::array<VkDynamicState, 2> kDynamicStates = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  auto dynamic = Struct<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  dynamic.dynamicStateCount = kDynamicStates.size();
  dynamic.pDynamicStates = kDynamicStates.data();

  auto info = Struct<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = scene.layout();
  VkPipeline pipeline = VK_NULL_HANDLE;
  Check(vkCreateGraphicsPipelines(scene.gpu().device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  return pipeline;
}

}  // namespace

VkPipeline MakeMeshPipeline(const Scene& scene, std::span<const uint32_t> mesh, std::span<const uint32_t> fragment,
                            const char* node) {
  auto name =
      Struct<VkPipelineShaderStageNodeCreateInfoAMDX>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX);
  name.pName = node;
  auto flags = Struct<VkPipelineCreateFlags2CreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
  flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  const hello::Gpu& gpu = scene.gpu();
  const VkShaderModule mesh_module = MakeModule(gpu, mesh), fragment_module = MakeModule(gpu, fragment);
  const std::array<VkPipelineShaderStageCreateInfo, 2> stages = {
      Stage(VK_SHADER_STAGE_MESH_BIT_EXT, mesh_module, node != nullptr ? &name : nullptr),
      Stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment_module)};
  const VkPipeline pipeline = Make(scene, stages, node != nullptr ? &flags : nullptr);
  vkDestroyShaderModule(gpu.device(), mesh_module, nullptr);
  vkDestroyShaderModule(gpu.device(), fragment_module, nullptr);
  return pipeline;
}

}  // namespace terrain
