// SPDX-License-Identifier: Apache-2.0
// The two parts of a render pass instance that vkCmdBeginRendering begins, if it is split. Pure.
#pragma once

#include "layer/dispatch/arena.h"
#include "layer/objects/split_obstacle.h"

namespace trellis {

// Looks for what cannot be split, whether everything is stored or not.
[[nodiscard]] SplitObstacle FindObstacle(const VkRenderingInfo& info);

// Returns whether memory holds what the attachments held when the instance ends.
[[nodiscard]] bool KeepsContents(const VkRenderingInfo& info);

// A copy with store operations that keep the contents; `info` itself where it has them. Shallow.
[[nodiscard]] const VkRenderingInfo* FirstPart(const VkRenderingInfo& info, Arena& arena);

// What begins the instance again: a copy that owes nothing to `info`, which must have no obstacle.
[[nodiscard]] const VkRenderingInfo* SecondPart(const VkRenderingInfo& info, Arena& arena);

}  // namespace trellis
