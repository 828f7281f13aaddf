// SPDX-License-Identifier: Apache-2.0
#include "layer/maintenance5/pipelines.h"

#include "layer/dispatch/pipeline_flags.h"

namespace trellis {

template <typename Info>
Info FlattenedPipelines::CopyInfo(const Info& info) {
  Info copy = info;
  copy.flags = static_cast<VkPipelineCreateFlags>(EffectivePipelineFlags(info));
  RemoveFromChain(&copy, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, arena_);
  return copy;
}

VkResult FlattenedPipelines::EditStage(VkPipelineShaderStageCreateInfo& stage) {
  const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext);
  if (stage.module || !code) return VK_SUCCESS;
  RemoveFromChain(&stage, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, arena_);
  ScopedShaderModule& module = modules_.emplace_back(device_);
  const VkResult result = module.Create({code->pCode, code->codeSize / sizeof(uint32_t)});
  stage.module = module.handle();
  return result;
}

VkResult FlattenedPipelines::EditStages(uint32_t count, const VkPipelineShaderStageCreateInfo** stages) {
  if (!*stages) return VK_SUCCESS;
  auto* copies = arena_.CopyArray(*stages, count);
  for (uint32_t i = 0; i < count; ++i)
    if (const VkResult result = EditStage(copies[i]); result != VK_SUCCESS) return result;
  *stages = copies;
  return VK_SUCCESS;
}

VkResult FlattenedPipelines::Edit(std::span<const VkComputePipelineCreateInfo> infos,
                                  const VkComputePipelineCreateInfo** edited) {
  auto* copies = arena_.CopyArray(infos.data(), infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    copies[i] = CopyInfo(infos[i]);
    if (const VkResult result = EditStage(copies[i].stage); result != VK_SUCCESS) return result;
  }
  *edited = copies;
  return VK_SUCCESS;
}

template <typename Info>
VkResult FlattenedPipelines::EditWithStageArrays(std::span<const Info> infos, const Info** edited) {
  auto* copies = arena_.CopyArray(infos.data(), infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    copies[i] = CopyInfo(infos[i]);
    if (const VkResult result = EditStages(infos[i].stageCount, &copies[i].pStages); result != VK_SUCCESS)
      return result;
  }
  *edited = copies;
  return VK_SUCCESS;
}

VkResult FlattenedPipelines::Edit(std::span<const VkGraphicsPipelineCreateInfo> infos,
                                  const VkGraphicsPipelineCreateInfo** edited) {
  return EditWithStageArrays(infos, edited);
}

VkResult FlattenedPipelines::Edit(std::span<const VkRayTracingPipelineCreateInfoKHR> infos,
                                  const VkRayTracingPipelineCreateInfoKHR** edited) {
  return EditWithStageArrays(infos, edited);
}

}  // namespace trellis
