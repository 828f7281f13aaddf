// SPDX-License-Identifier: Apache-2.0
// Handles that no driver made, and the bind points that tests use them with.
#pragma once

#include <cstdint>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/handle_table.h"

namespace trellis::test {

inline constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
inline constexpr VkPipelineBindPoint kGraph = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;

template <typename Handle>
[[nodiscard]] Handle Fake(uint64_t bits) {
  return HandleFromU64<Handle>(bits);
}

}  // namespace trellis::test
