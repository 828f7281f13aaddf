// SPDX-License-Identifier: Apache-2.0
// The pipeline layouts that binds name.
#pragma once

#include "layer/objects/bound_state.h"

namespace trellis {

struct CommandBuffer;

// By handle or, if that is null (feature dynamicPipelineLayout), by the VkPipelineLayoutCreateInfo in `chain`: then
// with a handle of the layer's own that is good for as long as the recording, so that the bind can be repeated.
// Without either, or when the driver refuses to make one (vkEndCommandBuffer returns that), the handle is null.
[[nodiscard]] BindLayout FindBindLayout(CommandBuffer& command_buffer, VkPipelineLayout layout,
                                        const void* chain = nullptr);

}  // namespace trellis
