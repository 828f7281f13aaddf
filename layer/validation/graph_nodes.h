// SPDX-License-Identifier: Apache-2.0
// Rules of VkExecutionGraphPipelineCreateInfoAMDX about the nodes of a graph that was created. Rules that no graph can
// do without are those of layer/graph/link.h.
#pragma once

#include "layer/pipeline/execution_graph.h"
#include "layer/validation/finding.h"

namespace trellis {

[[nodiscard]] Findings CheckGraphNodes(const ExecutionGraphPipeline& pipeline);

}  // namespace trellis
