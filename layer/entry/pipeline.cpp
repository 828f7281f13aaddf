#include <algorithm>
#include <span>
#include <string>

#include "layer/dispatch/struct_chain.h"
#include "layer/entry/hooks.h"
#include "layer/maintenance5/pipelines.h"
#include "layer/objects/registry.h"
#include "layer/objects/shader_module.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/loss_reports.h"

namespace trellis::entry {

namespace {

std::span<const VkPipelineShaderStageCreateInfo> StagesOf(const VkComputePipelineCreateInfo& info) {
  return {&info.stage, 1};
}
std::span<const VkPipelineShaderStageCreateInfo> StagesOf(const VkGraphicsPipelineCreateInfo& info) {
  return {info.pStages, info.pStages ? info.stageCount : 0};
}
std::span<const VkPipelineShaderStageCreateInfo> StagesOf(const VkRayTracingPipelineCreateInfoKHR& info) {
  return {info.pStages, info.pStages ? info.stageCount : 0};
}

bool IsNodeStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
  if (const auto module = device.shader_modules.Find(stage.module)) return module->declares_shader_enqueue;
  const auto* code = FindStruct<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  return code && DeclaresShaderEnqueue({code->pCode, code->codeSize / sizeof(uint32_t)});
}

// No driver may see node shaders, nor the flag that makes a pipeline a library of nodes.
template <typename Info>
bool IsNodePipeline(const Device& device, const Info& info) {
  const auto stages = StagesOf(info);
  return (EffectivePipelineFlags(info.flags, info.pNext) & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) ||
         std::any_of(stages.begin(), stages.end(), [&](const auto& stage) { return IsNodeStage(device, stage); });
}

template <typename Info, typename CreateBelow>
VkResult CreatePipelines(Device& device, const char* command, std::span<const Info> infos, VkPipeline* pipelines,
                         CreateBelow&& create_below) {
  if (device.emulates_graphs &&
      std::any_of(infos.begin(), infos.end(), [&](const Info& info) { return IsNodePipeline(device, info); })) {
    std::fill_n(pipelines, infos.size(), VkPipeline{VK_NULL_HANDLE});
    device.diagnostics.Error(
        "TRELLIS-pipeline-library",
        std::string(command) +
            ": a pipeline with VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX, or with a shader that "
            "declares ShaderEnqueueAMDX, is not implemented yet: pass compute nodes in "
            "VkExecutionGraphPipelineCreateInfoAMDX::pStages");
    return VK_ERROR_UNKNOWN;
  }
  if (!device.emulates_maintenance5) return create_below(infos.data());
  FlattenedPipelines flattened(device);
  const Info* edited = nullptr;
  const VkResult result = flattened.Edit(infos, &edited);
  if (result == VK_SUCCESS) return create_below(edited);
  std::fill_n(pipelines, infos.size(), VkPipeline{VK_NULL_HANDLE});
  return result;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return CreatePipelines<VkComputePipelineCreateInfo>(
      *object, "vkCreateComputePipelines", {infos, count}, pipelines, [&](const VkComputePipelineCreateInfo* below) {
        return object->dispatch.CreateComputePipelines(device, cache, count, below, allocator, pipelines);
      });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  return CreatePipelines<VkGraphicsPipelineCreateInfo>(
      *object, "vkCreateGraphicsPipelines", {infos, count}, pipelines, [&](const VkGraphicsPipelineCreateInfo* below) {
        return object->dispatch.CreateGraphicsPipelines(device, cache, count, below, allocator, pipelines);
      });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRayTracingPipelinesKHR(VkDevice device, VkDeferredOperationKHR deferred,
                                                            VkPipelineCache cache, uint32_t count,
                                                            const VkRayTracingPipelineCreateInfoKHR* infos,
                                                            const VkAllocationCallbacks* allocator,
                                                            VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  // A deferred operation reads the create infos after this call returns, when edited copies would be gone.
  const bool undeferred = object->emulates_maintenance5 && deferred;
  if (undeferred) deferred = VK_NULL_HANDLE;
  const VkResult result = CreatePipelines<VkRayTracingPipelineCreateInfoKHR>(
      *object, "vkCreateRayTracingPipelinesKHR", {infos, count}, pipelines,
      [&](const VkRayTracingPipelineCreateInfoKHR* below) {
        return object->dispatch.CreateRayTracingPipelinesKHR(device, deferred, cache, count, below, allocator,
                                                             pipelines);
      });
  return undeferred && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice device, VkPipeline pipeline,
                                           const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  PollLossReports(*object);  // reports name nodes of the graph
  // Held until its private data is forgotten: its address is its handle, which a new graph may get once it is gone.
  const std::shared_ptr<ExecutionGraphPipeline> graph = object->execution_graphs.Find(pipeline);
  if (DestroyExecutionGraphPipeline(*object, pipeline, allocator)) {
    object->private_data.Forget(HandleToU64(pipeline));
  } else {
    object->dispatch.DestroyPipeline(device, pipeline, allocator);
  }
}

}  // namespace trellis::entry
