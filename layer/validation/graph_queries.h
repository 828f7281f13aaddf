// SPDX-License-Identifier: Apache-2.0
// vkGetExecutionGraphPipelineScratchSizeAMDX and vkGetExecutionGraphPipelineNodeIndexAMDX. That the pipeline is a graph
// and the node exists is checked always.
#pragma once

#include "layer/dispatch/vulkan.h"
#include "layer/validation/finding.h"

namespace trellis {

[[nodiscard]] Findings CheckScratchSizeQuery(const VkExecutionGraphPipelineScratchSizeAMDX& size);
[[nodiscard]] Findings CheckNodeIndexQuery(const VkPipelineShaderStageNodeCreateInfoAMDX& node);

}  // namespace trellis
