// SPDX-License-Identifier: Apache-2.0
// The infos and payloads of vkCmdDispatchGraphAMDX, which lie in host memory.
#pragma once

#include "layer/dispatch/vulkan.h"
#include "layer/graph/graph.h"
#include "layer/validation/finding.h"

namespace trellis {

// `graph`: the one that is bound; null if none is. Of each rule the first info that breaks it is told, though more may:
// a dispatch can have very many.
[[nodiscard]] Findings CheckHostInfos(const Graph* graph, const VkDispatchGraphCountInfoAMDX& count_info);

// Neither 0, which repeats one thing, nor large enough for one after the other.
[[nodiscard]] inline bool Overlaps(uint64_t stride, uint64_t bytes) { return stride != 0 && stride < bytes; }

}  // namespace trellis
