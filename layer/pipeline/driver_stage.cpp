// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/driver_stage.h"

#include <algorithm>
#include <iterator>

#include "layer/pipeline/specialization.h"

namespace trellis {
namespace {

// What the layer keeps from a stage's chain: the driver gets its own module, and knows no nodes.
constexpr VkStructureType kLayersStageStructures[] = {
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
    VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT};

}  // namespace

VkPipelineShaderStageCreateInfo WithModule(const VkPipelineShaderStageCreateInfo& stage, VkShaderModule module,
                                           Arena& arena) {
  VkPipelineShaderStageCreateInfo copy = stage;
  for (const VkStructureType type : kLayersStageStructures) RemoveFromChain(&copy, type, arena);
  copy.module = module;
  return copy;
}

VkPipelineShaderStageCreateInfo DriverStage(const VkPipelineShaderStageCreateInfo& stage, VkShaderModule module,
                                            const LoweredShader& shader, Arena& arena) {
  VkPipelineShaderStageCreateInfo copy = WithModule(stage, module, arena);
  copy.pName = shader.node.entry_point.c_str();
  copy.pSpecializationInfo = KeepSpecialization(stage.pSpecializationInfo, shader.specializable_ids, arena);
  return copy;
}

const void* StageChainThatReachesDriver(const void* chain) {
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext)
    if (std::find(std::begin(kLayersStageStructures), std::end(kLayersStageStructures), at->sType) ==
        std::end(kLayersStageStructures))
      return chain;
  return nullptr;
}

}  // namespace trellis
