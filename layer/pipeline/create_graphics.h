// SPDX-License-Identifier: Apache-2.0
// vkCreateGraphicsPipelines where create infos concern mesh nodes. Devices with shaderMeshEnqueue only.
#pragma once

#include <functional>
#include <span>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/device.h"

namespace trellis {

// The driver must not get this create info as it is: it makes a mesh node, has a node shader, or derives from a
// pipeline of the layer.
[[nodiscard]] bool ConcernsNodes(const Device& device, const VkGraphicsPipelineCreateInfo& info);

// Creates one ordinary pipeline, given its edited create info.
using CreateOrdinaryGraphicsPipeline = std::function<VkResult(const VkGraphicsPipelineCreateInfo&, VkPipeline*)>;

// A mesh node becomes a NodeLibrary whose pipeline of the driver is complete: linking it into a graph compiles nothing.
// Ordinary pipelines go to `create_ordinary`, one after the other, in order. Results are those of the command: a failed
// element is VK_NULL_HANDLE and the result that of a failed one; what the layer refuses is VK_ERROR_VALIDATION_FAILED,
// and reported.
[[nodiscard]] VkResult CreateGraphicsPipelinesWithNodes(Device& device, VkPipelineCache cache,
                                                        std::span<const VkGraphicsPipelineCreateInfo> infos,
                                                        const CreateOrdinaryGraphicsPipeline& create_ordinary,
                                                        VkPipeline* pipelines);

}  // namespace trellis
