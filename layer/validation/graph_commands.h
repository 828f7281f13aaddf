// SPDX-License-Identifier: Apache-2.0
// vkCmdInitializeGraphScratchMemoryAMDX and the three vkCmdDispatchGraph*AMDX: arguments against what is recorded.
#pragma once

#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/validation/finding.h"

namespace trellis {

struct ScratchRange {
  VkDeviceAddress address = 0;
  VkDeviceSize size = 0;
};

[[nodiscard]] Findings CheckScratchInitialization(const CommandBuffer& command_buffer, VkPipeline graph,
                                                  ScratchRange scratch);
// So that dispatches in this command buffer can be checked against it.
void RememberScratchInitialization(CommandBuffer& command_buffer, VkPipeline graph, ScratchRange scratch);

// Reads infos and payloads in host memory.
[[nodiscard]] Findings CheckDispatchGraph(const CommandBuffer& command_buffer, ScratchRange scratch,
                                          const VkDispatchGraphCountInfoAMDX& count_info);
[[nodiscard]] Findings CheckDispatchGraphIndirect(const CommandBuffer& command_buffer, ScratchRange scratch,
                                                  const VkDispatchGraphCountInfoAMDX& count_info);
[[nodiscard]] Findings CheckDispatchGraphIndirectCount(const CommandBuffer& command_buffer, ScratchRange scratch,
                                                       VkDeviceAddress count_info);

}  // namespace trellis
