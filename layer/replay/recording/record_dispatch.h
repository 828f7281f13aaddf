// SPDX-License-Identifier: Apache-2.0
// Records a planned dispatch.
#pragma once

#include <string>

#include "layer/objects/command_buffer.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/placing/dispatch_plan.h"
#include "layer/replay/reports/report.h"

namespace trellis {

// What tools call a dispatch. `roots`: where its records come from.
[[nodiscard]] std::string GraphLabel(const ExecutionGraphPipeline& pipeline, const std::string& roots);

// `plan` has something to do, and WhyNotSplit is empty. The render pass instance that is open, if one is, is split.
// Threading: that of the command buffer.
Recorded RecordDispatch(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DispatchPlan& plan,
                        const BufferPlace& scratch);

}  // namespace trellis
