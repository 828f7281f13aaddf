// SPDX-License-Identifier: Apache-2.0
#include "tests/support/libraries.h"

namespace trellis::test {

const VkPipelineCreateFlags2CreateInfo kNodeLibraryFlags = {
    VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
    VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR};

VkResult CreateNodeLibraries(const Context& context, const GraphStages& stages, const Layout& layout,
                             VkPipelineCache cache, std::vector<VkPipeline>& made) {
  std::vector<VkComputePipelineCreateInfo> infos;
  for (const VkPipelineShaderStageCreateInfo& stage : stages.stages()) {
    infos.push_back(MakeStruct<VkComputePipelineCreateInfo>(&kNodeLibraryFlags));
    infos.back().stage = stage;
    infos.back().layout = layout.handle();
  }
  made.assign(infos.size(), VK_NULL_HANDLE);
  return vkCreateComputePipelines(context.device, cache, static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                  made.data());
}

VkResult CreateMeshLibraries(const Context& context, const GraphStages& stages, const Layout& layout,
                             VkPipelineCache cache, std::vector<VkPipeline>& made) {
  const auto rendering = MakeStruct<VkPipelineRenderingCreateInfo>();
  VkPipelineCreateFlags2CreateInfo flags = kNodeLibraryFlags;
  flags.pNext = &rendering;
  auto raster = MakeStruct<VkPipelineRasterizationStateCreateInfo>();
  raster.rasterizerDiscardEnable = VK_TRUE;
  raster.lineWidth = 1;
  std::vector<VkGraphicsPipelineCreateInfo> infos;
  for (const VkPipelineShaderStageCreateInfo& stage : stages.stages()) {
    infos.push_back(MakeStruct<VkGraphicsPipelineCreateInfo>(&flags));
    infos.back().stageCount = 1;
    infos.back().pStages = &stage;
    infos.back().pRasterizationState = &raster;
    infos.back().layout = layout.handle();
  }
  made.assign(infos.size(), VK_NULL_HANDLE);
  return vkCreateGraphicsPipelines(context.device, cache, static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                   made.data());
}

VkResult LinkLibraries(const Context& context, const std::vector<VkPipeline>& libraries, const GraphStages& stages,
                       const Layout& layout, VkPipelineCache cache, VkPipelineCreateFlags flags, VkPipeline& pipeline) {
  auto list = MakeStruct<VkPipelineLibraryCreateInfoKHR>();
  list.libraryCount = static_cast<uint32_t>(libraries.size());
  list.pLibraries = libraries.data();
  auto info = stages.CreateInfo(layout.handle());
  info.flags = flags;
  info.pLibraryInfo = &list;
  return context.graph.CreateExecutionGraphPipelines(context.device, cache, 1, &info, nullptr, &pipeline);
}

}  // namespace trellis::test
