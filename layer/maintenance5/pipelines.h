// SPDX-License-Identifier: Apache-2.0
// Pipeline create infos in the form that a driver without VK_KHR_maintenance5 knows.
#pragma once

#include <deque>
#include <span>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/pipeline_flags.h"
#include "layer/objects/scoped_shader_module.h"

namespace trellis {

// Edited copies of create infos for the time of one vkCreate*Pipelines: flags from VkPipelineCreateFlags2CreateInfo in
// the 32-bit member (bits above are of extensions that the device does not have either), and shader modules made for
// the stages that carry their code in pNext. One thread. The modules live until this object dies.
class FlattenedPipelines {
 public:
  explicit FlattenedPipelines(const Device& device) : device_(device) {}
  FlattenedPipelines(const FlattenedPipelines&) = delete;
  FlattenedPipelines& operator=(const FlattenedPipelines&) = delete;

  // `infos`: of compute, graphics or ray tracing pipelines. On success *edited has as many elements.
  template <typename Info>
  [[nodiscard]] VkResult Edit(std::span<const Info> infos, const Info** edited) {
    const std::span<Info> copies(arena_.CopyArray(infos.data(), infos.size()), infos.size());
    for (Info& copy : copies) {
      copy.flags = static_cast<VkPipelineCreateFlags>(EffectivePipelineFlags(copy));
      RemoveFromChain(&copy, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, arena_);
      if (const VkResult result = EditStages(copy); result != VK_SUCCESS) return result;
    }
    *edited = copies.data();
    return VK_SUCCESS;
  }

 private:
  [[nodiscard]] VkResult EditStages(VkComputePipelineCreateInfo& info) { return EditStage(info.stage); }
  template <typename Info>
  [[nodiscard]] VkResult EditStages(Info& info) {
    if (!info.pStages) return VK_SUCCESS;
    const std::span stages(arena_.CopyArray(info.pStages, info.stageCount), info.stageCount);
    for (VkPipelineShaderStageCreateInfo& stage : stages)
      if (const VkResult result = EditStage(stage); result != VK_SUCCESS) return result;
    info.pStages = stages.data();
    return VK_SUCCESS;
  }

  [[nodiscard]] VkResult EditStage(VkPipelineShaderStageCreateInfo& stage) {
    const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext);
    if (stage.module || !code) return VK_SUCCESS;
    RemoveFromChain(&stage, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, arena_);
    ScopedShaderModule& module = modules_.emplace_back(device_);
    const VkResult result = module.Create({code->pCode, code->codeSize / sizeof(uint32_t)});
    stage.module = module.handle();
    return result;
  }

  const Device& device_;
  Arena arena_;
  std::deque<ScopedShaderModule> modules_;
};

}  // namespace trellis
