// SPDX-License-Identifier: Apache-2.0
// Pipeline create infos in the form that a driver without VK_KHR_maintenance5 knows.
#pragma once

#include <deque>
#include <span>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"
#include "layer/objects/scoped_shader_module.h"

namespace trellis {

struct Device;

// Edited copies of create infos for the time of one vkCreate*Pipelines: flags from VkPipelineCreateFlags2CreateInfo in
// the 32-bit member (bits above are of extensions that the device does not have either), and shader modules made for
// the stages that carry their code in pNext. One thread. The modules live until this object dies.
class FlattenedPipelines {
 public:
  explicit FlattenedPipelines(const Device& device) : device_(device) {}
  FlattenedPipelines(const FlattenedPipelines&) = delete;
  FlattenedPipelines& operator=(const FlattenedPipelines&) = delete;

  // On success *edited has as many elements as `infos`.
  [[nodiscard]] VkResult Edit(std::span<const VkComputePipelineCreateInfo> infos,
                              const VkComputePipelineCreateInfo** edited);
  [[nodiscard]] VkResult Edit(std::span<const VkGraphicsPipelineCreateInfo> infos,
                              const VkGraphicsPipelineCreateInfo** edited);
  [[nodiscard]] VkResult Edit(std::span<const VkRayTracingPipelineCreateInfoKHR> infos,
                              const VkRayTracingPipelineCreateInfoKHR** edited);

 private:
  [[nodiscard]] VkResult EditStage(VkPipelineShaderStageCreateInfo& stage);
  [[nodiscard]] VkResult EditStages(uint32_t count, const VkPipelineShaderStageCreateInfo** stages);
  template <typename Info>
  Info CopyInfo(const Info& info);
  template <typename Info>
  [[nodiscard]] VkResult EditWithStageArrays(std::span<const Info> infos, const Info** edited);

  const Device& device_;
  Arena arena_;
  std::deque<ScopedShaderModule> modules_;
};

}  // namespace trellis
