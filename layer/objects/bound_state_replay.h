// SPDX-License-Identifier: Apache-2.0
// Records the tracked state again: the graph's state for the nodes, and the application's own afterwards.
#pragma once

#include "layer/objects/command_buffer.h"
#include "layer/objects/pipeline_layout.h"

namespace trellis {

// Binds what the application bound for execution graphs where `target` says: at the compute bind point through
// `layout.node_layout`, or at the graphics bind point through `layout.draw_layout`. Sets that are not compatible with
// the layout are left out. Where nothing was bound for execution graphs, which Vulkan leaves undefined, a set gets what
// was bound for compute.
void BindGraphSets(const CommandBuffer& command_buffer, const PipelineLayout& layout,
                   VkPipelineBindPoint target = VK_PIPELINE_BIND_POINT_COMPUTE);

// Something that fits the layout is bound for compute as that set, and nothing for execution graphs.
[[nodiscard]] bool IsBoundForComputeAlone(const CommandBuffer& command_buffer, const PipelineLayout& layout,
                                          uint32_t set);

// Puts the application's compute state back: pipeline or shader object, sets in their original order with their own
// layouts and offsets, push descriptors, descriptor buffer offsets, and the push constants of all stages. State that
// the application never bound stays as the nodes left it (undefined to the application before, too).
void RestoreComputeState(const CommandBuffer& command_buffer);

// The same for the graphics bind point, after mesh nodes.
void RestoreGraphicsState(const CommandBuffer& command_buffer);

}  // namespace trellis
