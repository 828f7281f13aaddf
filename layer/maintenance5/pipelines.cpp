#include "layer/maintenance5/pipelines.h"

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/device.h"

namespace trellis {

namespace {

constexpr VkStructureType kFlags2Type = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;

}  // namespace

VkPipelineCreateFlags2 EffectivePipelineFlags(VkPipelineCreateFlags flags, const void* chain) {
  const auto* flags2 = FindStruct<VkPipelineCreateFlags2CreateInfo>(chain, kFlags2Type);
  return flags2 ? flags2->flags : flags;
}

FlattenedPipelines::~FlattenedPipelines() {
  for (VkShaderModule module : modules_) device_.dispatch.DestroyShaderModule(device_.handle, module, nullptr);
}

template <typename Info>
Info FlattenedPipelines::CopyInfo(const Info& info) {
  Info copy = info;
  copy.pNext = CopyChain(info.pNext, arena_);
  copy.flags = static_cast<VkPipelineCreateFlags>(EffectivePipelineFlags(info.flags, info.pNext));
  RemoveFromChain(&copy, kFlags2Type);
  return copy;
}

VkResult FlattenedPipelines::EditStage(VkPipelineShaderStageCreateInfo& stage) {
  const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (stage.module || !code) return VK_SUCCESS;
  stage.pNext = CopyChain(stage.pNext, arena_);
  RemoveFromChain(&stage, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  VkShaderModuleCreateInfo info = *code;
  info.pNext = nullptr;  // what follows belongs to the stage
  modules_.reserve(modules_.size() + 1);
  const VkResult result = device_.dispatch.CreateShaderModule(device_.handle, &info, nullptr, &stage.module);
  if (result == VK_SUCCESS) modules_.push_back(stage.module);
  return result;
}

VkResult FlattenedPipelines::EditStages(uint32_t count, const VkPipelineShaderStageCreateInfo** stages) {
  if (!*stages) return VK_SUCCESS;
  auto* copies = arena_.CopyArray(*stages, count);
  for (uint32_t i = 0; i < count; ++i)
    if (const VkResult result = EditStage(copies[i]); result != VK_SUCCESS) return result;
  *stages = copies;
  return VK_SUCCESS;
}

VkResult FlattenedPipelines::Edit(std::span<const VkComputePipelineCreateInfo> infos,
                                  const VkComputePipelineCreateInfo** edited) {
  auto* copies = arena_.CopyArray(infos.data(), infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    copies[i] = CopyInfo(infos[i]);
    if (const VkResult result = EditStage(copies[i].stage); result != VK_SUCCESS) return result;
  }
  *edited = copies;
  return VK_SUCCESS;
}

template <typename Info>
VkResult FlattenedPipelines::EditWithStageArrays(std::span<const Info> infos, const Info** edited) {
  auto* copies = arena_.CopyArray(infos.data(), infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    copies[i] = CopyInfo(infos[i]);
    if (const VkResult result = EditStages(infos[i].stageCount, &copies[i].pStages); result != VK_SUCCESS)
      return result;
  }
  *edited = copies;
  return VK_SUCCESS;
}

VkResult FlattenedPipelines::Edit(std::span<const VkGraphicsPipelineCreateInfo> infos,
                                  const VkGraphicsPipelineCreateInfo** edited) {
  return EditWithStageArrays(infos, edited);
}

VkResult FlattenedPipelines::Edit(std::span<const VkRayTracingPipelineCreateInfoKHR> infos,
                                  const VkRayTracingPipelineCreateInfoKHR** edited) {
  return EditWithStageArrays(infos, edited);
}

}  // namespace trellis
