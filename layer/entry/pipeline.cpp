// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <string>

#include "layer/dispatch/pipeline_flags.h"
#include "layer/entry/hooks.h"
#include "layer/entry/scoped_undo.h"
#include "layer/maintenance5/pipelines.h"
#include "layer/objects/registry.h"
#include "layer/pipeline/create_pipelines.h"
#include "layer/pipeline/execution_graph.h"
#include "layer/replay/replay.h"

namespace trellis::entry {

namespace {

// Calls down, create_below(count, infos, pipelines), with create infos that the driver knows. `pipelines` are null
// where that does not happen.
template <typename Info, typename CreateBelow>
VkResult CreateOrdinaryPipelines(Device& device, std::span<const Info> infos, VkPipeline* pipelines,
                                 CreateBelow&& create_below) {
  const auto count = static_cast<uint32_t>(infos.size());
  if (!device.emulates_maintenance5) return create_below(count, infos.data(), pipelines);
  std::fill_n(pipelines, infos.size(), VkPipeline{VK_NULL_HANDLE});
  FlattenedPipelines flattened(device);
  const Info* edited = nullptr;
  const VkResult result = flattened.Edit(infos, &edited);
  return result == VK_SUCCESS ? create_below(count, edited, pipelines) : result;
}

// No driver may see node shaders, nor the flag that makes a pipeline a library of nodes.
template <typename Info>
bool IsNodePipeline(const Device& device, const Info& info) {
  return (EffectivePipelineFlags(info) & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX) || HasNodeStage(device, info);
}

// For pipelines that cannot be nodes. `why_not` ends the message about one that is meant to be a node.
template <typename Info, typename CreateBelow>
VkResult CreatePipelinesWithoutNodes(Device& device, const char* command, const char* why_not,
                                     std::span<const Info> infos, VkPipeline* pipelines, CreateBelow&& create_below) {
  const bool has_nodes = device.emulates_graphs && std::any_of(infos.begin(), infos.end(), [&](const Info& info) {
                           return IsNodePipeline(device, info);
                         });
  if (!has_nodes) return CreateOrdinaryPipelines(device, infos, pipelines, create_below);
  std::fill_n(pipelines, infos.size(), VkPipeline{VK_NULL_HANDLE});
  device.diagnostics.Error("TRELLIS-pipeline-library",
                           std::string(command) +
                               ": a pipeline with VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX, or with a shader that "
                               "declares ShaderEnqueueAMDX: " +
                               why_not);
  return VK_ERROR_VALIDATION_FAILED_EXT;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::span all(infos, count);
  const auto create = [&](uint32_t below_count, const VkComputePipelineCreateInfo* below, VkPipeline* made) {
    return object->dispatch.CreateComputePipelines(device, cache, below_count, below, allocator, made);
  };
  if (object->emulates_graphs &&
      std::any_of(all.begin(), all.end(), [&](const auto& info) { return ConcernsNodes(*object, info); })) {
    std::fill_n(pipelines, count, VkPipeline{VK_NULL_HANDLE});
    const auto create_one = [&](const VkComputePipelineCreateInfo& info, VkPipeline* pipeline) {
      return CreateOrdinaryPipelines(*object, std::span(&info, 1), pipeline, create);
    };
    return CreateComputePipelinesWithNodes(*object, cache, all, create_one, pipelines);
  }
  return CreateOrdinaryPipelines(*object, all, pipelines, create);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* infos,
                                                       const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const std::span all(infos, count);
  const auto create = [&](uint32_t below_count, const VkGraphicsPipelineCreateInfo* below, VkPipeline* made) {
    return object->dispatch.CreateGraphicsPipelines(device, cache, below_count, below, allocator, made);
  };
  if (object->shader_mesh_enqueue_enabled &&
      std::any_of(all.begin(), all.end(), [&](const auto& info) { return ConcernsNodes(*object, info); })) {
    std::fill_n(pipelines, count, VkPipeline{VK_NULL_HANDLE});
    const auto create_one = [&](const VkGraphicsPipelineCreateInfo& info, VkPipeline* pipeline) {
      return CreateOrdinaryPipelines(*object, std::span(&info, 1), pipeline, create);
    };
    return CreateGraphicsPipelinesWithNodes(*object, cache, all, create_one, pipelines);
  }
  return CreatePipelinesWithoutNodes(
      *object, "vkCreateGraphicsPipelines",
      "mesh nodes need the feature shaderMeshEnqueue (VUID-VkGraphicsPipelineCreateInfo-shaderMeshEnqueue-10187)", all,
      pipelines, create);
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
  const VkResult result = CreatePipelinesWithoutNodes(
      *object, "vkCreateRayTracingPipelinesKHR", "nodes are compute shaders", std::span(infos, count), pipelines,
      [&](uint32_t below_count, const VkRayTracingPipelineCreateInfoKHR* below, VkPipeline* made) {
        return object->dispatch.CreateRayTracingPipelinesKHR(device, deferred, cache, below_count, below, allocator,
                                                             made);
      });
  return undeferred && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice device, VkPipeline pipeline,
                                           const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  PollReports(*object);  // reports name nodes of the graph
  if (object->IsOwnPipeline(pipeline)) return DestroyOwnPipeline(*object, pipeline, allocator);
  object->dispatch.DestroyPipeline(device, pipeline, allocator);
}

// Only caches that one thread at a time may use matter.
VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineCache(VkDevice device, const VkPipelineCacheCreateInfo* info,
                                                   const VkAllocationCallbacks* allocator, VkPipelineCache* cache) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const VkResult result = object->dispatch.CreatePipelineCache(device, info, allocator, cache);
  if (result != VK_SUCCESS || !(info->flags & VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED_BIT)) return result;
  ScopedUndo undo([&] { object->dispatch.DestroyPipelineCache(device, *cache, allocator); });
  object->externally_synchronized_caches.Insert(*cache, std::make_shared<ExternallySynchronizedCache>());
  undo.Keep();
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineCache(VkDevice device, VkPipelineCache cache,
                                                const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  object->externally_synchronized_caches.Take(cache);
  object->dispatch.DestroyPipelineCache(device, cache, allocator);
}

}  // namespace trellis::entry
