// SPDX-License-Identifier: Apache-2.0
// What of a create info is the layer's, and what the driver gets instead. Internal to layer/pipeline.
#pragma once

#include <cstdint>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/dispatch/vulkan.h"
#include "layer/pipeline/shader_cache.h"

namespace trellis {

// Bits that mean the graph or library, not its nodes: nodes are no libraries, and have no parents (a base pipeline is
// one of ours).
inline constexpr VkPipelineCreateFlags2 kGraphOnlyFlags =
    VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX | VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR |
    VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_2_DERIVATIVE_BIT |
    VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT;

// The application's stage with other words in it. Everything else that it says (subgroup size, robustness) stays.
[[nodiscard]] VkPipelineShaderStageCreateInfo WithModule(const VkPipelineShaderStageCreateInfo& stage,
                                                         VkShaderModule module, Arena& arena);
// The same with the lowered shader of a node.
[[nodiscard]] VkPipelineShaderStageCreateInfo DriverStage(const VkPipelineShaderStageCreateInfo& stage,
                                                          VkShaderModule module, const LoweredShader& shader,
                                                          Arena& arena);

// `chain` if anything in it reaches the driver, else null.
[[nodiscard]] const void* StageChainThatReachesDriver(const void* chain);

// Gives a copy of a create info these flags, in the place that the driver knows. Bits above the 32nd only exist in a
// structure, which a driver without maintenance5 does not know.
template <typename CreateInfo>
void SetPipelineFlags(CreateInfo& info, VkPipelineCreateFlags2 flags, bool has_maintenance5, Arena& arena) {
  RemoveFromChain(&info, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, arena);
  info.flags = static_cast<VkPipelineCreateFlags>(flags);
  if (flags <= UINT32_MAX || !has_maintenance5) return;
  auto flags2 = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  flags2.flags = flags;
  InsertIntoChain(&info, arena.Copy(flags2));
}

}  // namespace trellis
