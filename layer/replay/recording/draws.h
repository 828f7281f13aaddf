// SPDX-License-Identifier: Apache-2.0
// Records the draws of mesh nodes.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "layer/objects/command_buffer.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/placing/placed_plan.h"
#include "layer/replay/recording/recorder.h"

namespace trellis {

// Inside the render pass instance that is open. Afterwards the application's state at the graphics bind point is as it
// was. Those without arguments have a size. `label`: what tools call the dispatch. Threading: that of the command
// buffer.
void RecordDraws(CommandBuffer& command_buffer, const ExecutionGraphPipeline& pipeline, const BufferPlace& scratch,
                 std::initializer_list<std::span<const NodeLaunch>> draws, const std::string& label);

}  // namespace trellis
