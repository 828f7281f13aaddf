// SPDX-License-Identifier: Apache-2.0
// What applications and tools ask about pipelines. No driver knows the handle of an execution graph or of a library of
// nodes: their nodes' pipelines answer where that makes sense.
#include <algorithm>
#include <iterator>
#include <string>

#include "layer/dispatch/struct_chain.h"
#include "layer/entry/hooks.h"
#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis::entry {

namespace {

struct Executable {
  VkPipeline pipeline = VK_NULL_HANDLE;  // null: there is no such executable
  uint32_t index = 0;                    // in that pipeline
};

// The driver's name for an executable of one of our own pipelines, which are counted through its nodes.
Executable FindExecutable(const Device& device, VkPipeline own, uint32_t index) {
  for (VkPipeline pipeline : DriverPipelines(device, own)) {
    const VkPipelineInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, nullptr, pipeline};
    uint32_t count = 0;
    if (device.dispatch.GetPipelineExecutablePropertiesKHR(device.handle, &info, &count, nullptr) != VK_SUCCESS) break;
    if (index < count) return {pipeline, index};
    index -= count;
  }
  return {};
}

// For the two queries about one executable: `below` is the driver's command.
template <typename Command, typename Answer>
VkResult QueryExecutable(VkDevice device, Command DeviceDispatch::*command, const VkPipelineExecutableInfoKHR& info,
                         uint32_t* count, Answer* answers) {
  const std::shared_ptr<Device> object = FindDevice(device);
  VkPipelineExecutableInfoKHR below = info;
  if (object->IsOwnPipeline(info.pipeline)) {
    const Executable executable = FindExecutable(*object, info.pipeline, info.executableIndex);
    below.pipeline = executable.pipeline;
    below.executableIndex = executable.index;
  }
  if (below.pipeline) return (object->dispatch.*command)(device, &below, count, answers);
  *count = 0;
  return VK_SUCCESS;
}

void Explain(const Device& device, const std::string& text) {
  device.diagnostics.Warning("TRELLIS-pipeline-query", text, {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
}

// A create info that describes an execution graph.
bool DescribesGraph(const VkPipelineCreateInfoKHR* info) {
  return info && FindInChain(info->pNext, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutablePropertiesKHR(VkDevice device, const VkPipelineInfoKHR* info,
                                                                  uint32_t* count,
                                                                  VkPipelineExecutablePropertiesKHR* properties) {
  const std::shared_ptr<Device> object = FindDevice(device);
  const auto command = object->dispatch.GetPipelineExecutablePropertiesKHR;
  if (!object->IsOwnPipeline(info->pipeline)) return command(device, info, count, properties);
  const uint32_t room = properties ? *count : 0;
  *count = 0;
  for (VkPipeline pipeline : DriverPipelines(*object, info->pipeline)) {
    VkPipelineInfoKHR below = *info;
    below.pipeline = pipeline;
    uint32_t given = properties ? room - *count : 0;
    const VkResult result = command(device, &below, &given, properties ? properties + *count : nullptr);
    *count += given;
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableStatisticsKHR(VkDevice device,
                                                                  const VkPipelineExecutableInfoKHR* info,
                                                                  uint32_t* count,
                                                                  VkPipelineExecutableStatisticKHR* statistics) {
  return QueryExecutable(device, &DeviceDispatch::GetPipelineExecutableStatisticsKHR, *info, count, statistics);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice device, const VkPipelineExecutableInfoKHR* info, uint32_t* count,
    VkPipelineExecutableInternalRepresentationKHR* representations) {
  return QueryExecutable(device, &DeviceDispatch::GetPipelineExecutableInternalRepresentationsKHR, *info, count,
                         representations);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelinePropertiesEXT(VkDevice device, const VkPipelineInfoEXT* info,
                                                        VkBaseOutStructure* properties) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!object->IsOwnPipeline(info->pipeline))
    return object->dispatch.GetPipelinePropertiesEXT(device, info, properties);
  Explain(*object, "vkGetPipelinePropertiesEXT: an execution graph has no identifier; zeros are returned");
  if (auto* identifier = FindStruct<VkPipelinePropertiesIdentifierEXT>(static_cast<void*>(properties)))
    std::fill(std::begin(identifier->pipelineIdentifier), std::end(identifier->pipelineIdentifier), uint8_t{0});
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetShaderInfoAMD(VkDevice device, VkPipeline pipeline, VkShaderStageFlagBits stage,
                                                VkShaderInfoTypeAMD type, size_t* size, void* data) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!object->IsOwnPipeline(pipeline))
    return object->dispatch.GetShaderInfoAMD(device, pipeline, stage, type, size, data);
  return VK_ERROR_FEATURE_NOT_PRESENT;  // a stage names one shader, and a graph has many
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineBinariesKHR(VkDevice device, const VkPipelineBinaryCreateInfoKHR* info,
                                                         const VkAllocationCallbacks* allocator,
                                                         VkPipelineBinaryHandlesInfoKHR* binaries) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!object->IsOwnPipeline(info->pipeline) && !DescribesGraph(info->pPipelineCreateInfo))
    return object->dispatch.CreatePipelineBinariesKHR(device, info, allocator, binaries);
  Explain(*object, "vkCreatePipelineBinariesKHR: execution graphs have no binaries; use a VkPipelineCache");
  binaries->pipelineBinaryCount = 0;
  return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineKeyKHR(VkDevice device, const VkPipelineCreateInfoKHR* info,
                                                 VkPipelineBinaryKeyKHR* key) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (!DescribesGraph(info)) return object->dispatch.GetPipelineKeyKHR(device, info, key);
  Explain(*object, "vkGetPipelineKeyKHR: execution graphs have no binaries and no keys; use a VkPipelineCache");
  key->keySize = 0;
  return VK_ERROR_UNKNOWN;
}

VKAPI_ATTR VkResult VKAPI_CALL ReleaseCapturedPipelineDataKHR(VkDevice device,
                                                              const VkReleaseCapturedPipelineDataInfoKHR* info,
                                                              const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> object = FindDevice(device);
  if (object->IsOwnPipeline(info->pipeline)) return VK_SUCCESS;  // nothing was captured
  return object->dispatch.ReleaseCapturedPipelineDataKHR(device, info, allocator);
}

}  // namespace trellis::entry
