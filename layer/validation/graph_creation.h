// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX: what its arguments say, before anything is created.
#pragma once

#include <span>

#include "layer/objects/device.h"
#include "layer/validation/finding.h"

namespace trellis {

[[nodiscard]] Findings CheckGraphCreation(const Device& device, VkPipelineCache cache,
                                          std::span<const VkExecutionGraphPipelineCreateInfoAMDX> infos);

}  // namespace trellis
