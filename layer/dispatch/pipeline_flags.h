// SPDX-License-Identifier: Apache-2.0
// VkPipelineCreateFlags2CreateInfo.
#pragma once

#include "layer/dispatch/struct_chain.h"

namespace trellis {

// VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT, which is newer than the oldest headers that the layer builds with.
inline constexpr VkPipelineCreateFlags2 kDescriptorHeapFlag = VkPipelineCreateFlags2{1} << 36;

// The flags that count for a pipeline create info: those of VkPipelineCreateFlags2CreateInfo if there is one in its
// chain.
template <typename CreateInfo>
[[nodiscard]] VkPipelineCreateFlags2 EffectivePipelineFlags(const CreateInfo& info) {
  const auto* flags2 = FindStruct<VkPipelineCreateFlags2CreateInfo>(info.pNext);
  return flags2 ? flags2->flags : VkPipelineCreateFlags2{info.flags};
}

}  // namespace trellis
