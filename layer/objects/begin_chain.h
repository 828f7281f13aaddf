// SPDX-License-Identifier: Apache-2.0
// The pNext chains of structures that make or begin a render pass instance.
#pragma once

#include <span>

#include "layer/dispatch/arena.h"
#include "layer/objects/split_obstacle.h"

namespace trellis {

// Looks for a structure that is not one of `known`: contents of attachments may mean something else with it.
[[nodiscard]] SplitObstacle FindForeignStruct(const void* chain, std::span<const VkStructureType> known = {});

// Copies a chain of such structures with the arrays that they point to, for a second part. `depth_attachment`: of the
// only subpass, for its sample locations; VK_ATTACHMENT_UNUSED if there is none.
[[nodiscard]] const void* CopyBeginChain(const void* chain, Arena& arena,
                                         uint32_t depth_attachment = VK_ATTACHMENT_UNUSED);

}  // namespace trellis
