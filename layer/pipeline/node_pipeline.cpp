// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/node_pipeline.h"

#include "layer/objects/device.h"

namespace trellis {

NodePipeline::~NodePipeline() {
  if (handle_) device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator_);
}

template <typename CreateInfo, typename Command>
VkResult NodePipeline::CreateWith(Command command, VkPipelineCache cache, const CreateInfo& info,
                                  const VkAllocationCallbacks* allocator) {
  allocator_ = allocator;
  has_allocator_ = allocator != nullptr;
  const VkResult result = command(device_.handle, cache, 1, &info, allocator, &handle_);
  // Drivers may write something even if they fail.
  if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
  return result;
}

VkResult NodePipeline::Create(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                              const VkAllocationCallbacks* allocator) {
  return CreateWith(device_.dispatch.CreateComputePipelines, cache, info, allocator);
}

VkResult NodePipeline::Create(VkPipelineCache cache, const VkGraphicsPipelineCreateInfo& info,
                              const VkAllocationCallbacks* allocator) {
  return CreateWith(device_.dispatch.CreateGraphicsPipelines, cache, info, allocator);
}

void NodePipeline::Release(const VkAllocationCallbacks* allocator) {
  if (!handle_ || !has_allocator_) return;
  device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator);
  handle_ = VK_NULL_HANDLE;
}

}  // namespace trellis
