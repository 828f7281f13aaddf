// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX.
#pragma once

#include <span>

#include "layer/pipeline/execution_graph.h"
#include "layer/validation/finding.h"

namespace trellis {

// What the command's arguments say, before anything is created.
[[nodiscard]] Findings CheckGraphCreation(const Device& device, VkPipelineCache cache,
                                          std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos);
// The nodes of a graph that was created. Rules that no graph can do without are those of layer/graph/link.h.
[[nodiscard]] Findings CheckGraphNodes(const ExecutionGraphPipeline& pipeline);

}  // namespace trellis
