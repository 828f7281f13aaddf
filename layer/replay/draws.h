// Records the draws of mesh nodes.
#pragma once

#include "layer/objects/command_buffer.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/draw_plan.h"

namespace trellis {

// Inside the render pass instance that is open. Afterwards the application's state at the graphics bind point is as it
// was. `label`: what tools call the dispatch. Threading: that of the command buffer.
void RecordDraws(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const DrawPlan& plan,
                 const std::string& label);

}  // namespace trellis
