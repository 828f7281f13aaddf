// SPDX-License-Identifier: Apache-2.0
// Node SPIR-V -> words for the driver, as the device and the settings want them. Internal to layer/pipeline.
#pragma once

#include <memory>

#include "layer/pipeline/node_sources.h"
#include "spirv_lowering/lower.h"

namespace trellis {

// The code that the settings ask for, as far as the device has what it needs.
[[nodiscard]] spirv::LoweringTarget LoweringTargetOf(const Device& device);

// `pushed`: of the layout that the node gets. `chain`: pNext of the pipeline's create info. Pure but for the cache in
// `node.module`; any thread. Never null; the result may be a failure, without node and layout in its text.
[[nodiscard]] std::shared_ptr<const LoweredShader> LowerNode(const Device& device, const StageNode& node,
                                                             const NodePushConstants& pushed, const void* chain);

}  // namespace trellis
