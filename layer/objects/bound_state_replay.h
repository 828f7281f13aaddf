// Records the tracked state again: the graph's state for the nodes, and the application's own afterwards.
#pragma once

#include "layer/objects/command_buffer.h"
#include "layer/objects/pipeline_layout.h"

namespace trellis {

// Binds what the application bound for execution graphs at the compute bind point, through `layout.node_layout`. Sets
// that are not compatible with the layout are left out.
void BindGraphSets(const CommandBuffer& command_buffer, const PipelineLayout& layout);

// Puts the application's compute state back: pipeline or shader object, sets in their original order with their own
// layouts and offsets, push descriptors, descriptor buffer offsets, and the push constants of all stages. State that
// the application never bound stays as the nodes left it (undefined to the application before, too).
void RestoreComputeState(const CommandBuffer& command_buffer);

}  // namespace trellis
