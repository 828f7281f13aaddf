// SPDX-License-Identifier: Apache-2.0
// vkGetExecutionGraphPipelineScratchSizeAMDX and vkGetExecutionGraphPipelineNodeIndexAMDX. That the pipeline is a graph
// and the node exists is checked always.
#pragma once

#include "layer/dispatch/vulkan.h"
#include "layer/validation/finding.h"

namespace trellis {

[[nodiscard]] inline Findings CheckScratchSizeQuery(const VkExecutionGraphPipelineScratchSizeAMDX& size) {
  if (size.sType == VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX) return {};
  return {{Vuid("VkExecutionGraphPipelineScratchSizeAMDX", "sType-sType"),
           "vkGetExecutionGraphPipelineScratchSizeAMDX(): pSizeInfo->sType is " + std::to_string(size.sType) +
               ": it has to be VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX"}};
}

[[nodiscard]] inline Findings CheckNodeIndexQuery(const VkPipelineShaderStageNodeCreateInfoAMDX& node) {
  if (node.sType == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX) return {};
  return {{Vuid("VkPipelineShaderStageNodeCreateInfoAMDX", "sType-sType"),
           "vkGetExecutionGraphPipelineNodeIndexAMDX(): pNodeInfo->sType is " + std::to_string(node.sType) +
               ": it has to be VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX"}};
}

}  // namespace trellis
