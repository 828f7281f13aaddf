// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"

namespace trellis {

// With maintenance5 a buffer view may say which of its buffer's usages it has; without, it has all of them, which is
// more and so does as well. `info` itself if the structure is not in its chain, else an edited copy in the arena. Pure.
[[nodiscard]] const VkBufferViewCreateInfo* WithoutBufferUsage2(const VkBufferViewCreateInfo& info, Arena& arena);

}  // namespace trellis
