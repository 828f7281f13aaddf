// SPDX-License-Identifier: Apache-2.0
// vkCreateComputePipelines and vkCreateGraphicsPipelines where create infos concern nodes. The latter on devices with
// shaderMeshEnqueue only.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/device.h"

namespace trellis {

// The stage's shader declares ShaderEnqueueAMDX: no driver may see it.
[[nodiscard]] bool IsNodeStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage);

// Returns the stages of a VkGraphicsPipelineCreateInfo or VkRayTracingPipelineCreateInfoKHR.
template <typename CreateInfo>
[[nodiscard]] std::span<const VkPipelineShaderStageCreateInfo> StagesOf(const CreateInfo& info) {
  return {info.pStages, info.pStages ? info.stageCount : 0};
}
template <typename CreateInfo>
[[nodiscard]] bool HasNodeStage(const Device& device, const CreateInfo& info) {
  const auto stages = StagesOf(info);
  return std::any_of(stages.begin(), stages.end(), [&](const auto& stage) { return IsNodeStage(device, stage); });
}

// The driver must not get this create info as it is: it makes a library of a node, has a node shader, or derives from a
// pipeline of the layer.
[[nodiscard]] bool ConcernsNodes(const Device& device, const VkComputePipelineCreateInfo& info);
[[nodiscard]] bool ConcernsNodes(const Device& device, const VkGraphicsPipelineCreateInfo& info);

// Creates one ordinary pipeline, given its edited create info.
template <typename CreateInfo>
using CreateOrdinaryPipeline = std::function<VkResult(const CreateInfo&, VkPipeline*)>;

// A node becomes a NodeLibrary whose pipeline of the driver is complete: linking it into a graph compiles nothing.
// Libraries are lowered and compiled together, on several threads. What is an ordinary pipeline goes to
// `create_ordinary`, one after the other, in order. `pipelines` must be null to begin with. Results are those of the
// command: a failed element stays null and the result is that of a failed one; what the layer refuses is
// VK_ERROR_VALIDATION_FAILED, and reported.
[[nodiscard]] VkResult CreateComputePipelinesWithNodes(
    Device& device, VkPipelineCache cache, std::span<const VkComputePipelineCreateInfo> infos,
    const CreateOrdinaryPipeline<VkComputePipelineCreateInfo>& create_ordinary, VkPipeline* pipelines);
[[nodiscard]] VkResult CreateGraphicsPipelinesWithNodes(
    Device& device, VkPipelineCache cache, std::span<const VkGraphicsPipelineCreateInfo> infos,
    const CreateOrdinaryPipeline<VkGraphicsPipelineCreateInfo>& create_ordinary, VkPipeline* pipelines);

}  // namespace trellis
