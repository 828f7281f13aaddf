// SPDX-License-Identifier: Apache-2.0
// Base pipelines of create infos that go to the driver one by one. Internal to layer/pipeline.
#pragma once

#include <cstddef>
#include <span>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/dispatch/struct_chain.h"
#include "layer/objects/device.h"

namespace trellis {

// `info` for the driver, which gets it alone: positions in the array of the application's command mean nothing to it,
// and nodes are unknown to it. A pipeline that derives from one of those derives from nothing, which is allowed. `info`
// is one of `infos`, `pipelines` what became of those before it.
template <typename CreateInfo>
[[nodiscard]] CreateInfo WithBaseOfDriver(const Device& device, std::span<const CreateInfo> infos,
                                          const CreateInfo& info, const VkPipeline* pipelines, Arena& arena) {
  CreateInfo edited = info;
  if (!(EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT)) return edited;
  // What comes later in the array, or not at all, is no base (VUID-vkCreateComputePipelines-flags-00695,
  // VUID-VkComputePipelineCreateInfo-flags-07985, and those of graphics pipelines).
  const auto index = static_cast<size_t>(&info - infos.data());
  if (info.basePipelineIndex >= 0)
    edited.basePipelineHandle = static_cast<size_t>(info.basePipelineIndex) < index ? pipelines[info.basePipelineIndex]
                                                                                    : VkPipeline{VK_NULL_HANDLE};
  edited.basePipelineIndex = -1;
  if (edited.basePipelineHandle && !device.IsOwnPipeline(edited.basePipelineHandle)) return edited;
  edited.basePipelineHandle = VK_NULL_HANDLE;
  edited.flags &= ~VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT};
  if (auto* flags2 = EditStruct<VkPipelineCreateFlags2CreateInfo>(&edited, arena))
    flags2->flags &= ~VK_PIPELINE_CREATE_2_DERIVATIVE_BIT;
  return edited;
}

template <typename CreateInfo>
[[nodiscard]] bool DerivesFromOwnPipeline(const Device& device, const CreateInfo& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_DERIVATIVE_BIT) &&
         device.IsOwnPipeline(info.basePipelineHandle);
}

}  // namespace trellis
