// SPDX-License-Identifier: Apache-2.0
// The commands of command buffers that change nothing the layer keeps track of: neither what is bound for compute and
// execution graphs, nor push constants, nor whether a render pass instance, conditional rendering, a query or transform
// feedback is active. All others are hooked (hook_lists.h). A test compares both with the registry, so a developer who
// builds with a newer one decides about its commands: here, or with a hook. Actions and dynamic states are generated.
// Internal to .cpp files.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "layer/dispatch/command_aliases.h"

namespace trellis::entry {

// Commands that set no state and execute no others, as the registry says.
inline constexpr auto kActionCommands = std::to_array<std::string_view>({
#define ACTION_COMMAND(name) name,
#include "layer/dispatch/registry_names.inc"
#undef ACTION_COMMAND
});

// Commands that set dynamic state. Where mesh nodes overwrite it, the layer follows it (dynamic_state_hooks.h).
inline constexpr auto kDynamicStateCommands = std::to_array<std::string_view>({
#define DYNAMIC_STATE(command, ...) "vk" #command,
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
});

// Other state that the layer does not follow, and actions newer than the oldest registry that the layer builds with.
inline constexpr auto kNeutralCommands = std::to_array<std::string_view>({
    "vkCmdBeginCustomResolveEXT",
    "vkCmdBeginDebugUtilsLabelEXT",
    "vkCmdBeginPerTileExecutionQCOM",
    "vkCmdBeginShaderInstrumentationARM",
    "vkCmdBeginVideoCodingKHR",
    "vkCmdBindIndexBuffer",
    "vkCmdBindIndexBuffer2",
    "vkCmdBindInvocationMaskHUAWEI",
    "vkCmdBindPipelineShaderGroupNV",
    "vkCmdBindShadingRateImageNV",
    "vkCmdBindTileMemoryQCOM",
    "vkCmdBindTransformFeedbackBuffersEXT",
    "vkCmdBindVertexBuffers",
    "vkCmdBindVertexBuffers2",
    "vkCmdCopyMemoryIndirectKHR",
    "vkCmdCopyMemoryToImageIndirectKHR",
    "vkCmdCopyTensorARM",
    "vkCmdDecompressMemoryEXT",
    "vkCmdDecompressMemoryIndirectCountEXT",
    "vkCmdDispatchDataGraphARM",
    "vkCmdDispatchTileQCOM",
    "vkCmdEndDebugUtilsLabelEXT",
    "vkCmdEndPerTileExecutionQCOM",
    "vkCmdEndShaderInstrumentationARM",
    "vkCmdEndVideoCodingKHR",
    "vkCmdExecuteGeneratedCommandsEXT",
    "vkCmdExecuteGeneratedCommandsNV",
    "vkCmdNextSubpass",
    "vkCmdNextSubpass2",
    "vkCmdSetComputeOccupancyPriorityNV",
    "vkCmdSetDeviceMask",
    "vkCmdSetPatchControlPointsEXT",
    "vkCmdSetPerformanceMarkerINTEL",
    "vkCmdSetPerformanceOverrideINTEL",
    "vkCmdSetPerformanceStreamMarkerINTEL",
    "vkCmdSetPrimitiveRestartEnable",
    "vkCmdSetPrimitiveRestartIndexEXT",
    "vkCmdSetPrimitiveTopology",
    "vkCmdSetRayTracingPipelineStackSizeKHR",
    "vkCmdSetTessellationDomainOriginEXT",
    "vkCmdSetVertexInputEXT",
});
static_assert(std::ranges::is_sorted(kActionCommands) && std::ranges::is_sorted(kDynamicStateCommands) &&
              std::ranges::is_sorted(kNeutralCommands));

// Also for aliases.
[[nodiscard]] inline bool IsNeutralCommand(std::string_view name) {
  const CommandAlias* alias = FindAlias(name);
  const std::string_view command = alias ? alias->command : name;
  return std::ranges::binary_search(kActionCommands, command) ||
         std::ranges::binary_search(kDynamicStateCommands, command) ||
         std::ranges::binary_search(kNeutralCommands, command);
}

}  // namespace trellis::entry
