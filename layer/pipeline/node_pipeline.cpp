#include "layer/pipeline/node_pipeline.h"

#include "layer/objects/device.h"

namespace trellis {

NodePipeline::~NodePipeline() {
  if (handle_) device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator_);
}

VkResult NodePipeline::Create(VkPipelineCache cache, const VkComputePipelineCreateInfo& info,
                              const VkAllocationCallbacks* allocator) {
  allocator_ = allocator;
  has_allocator_ = allocator != nullptr;
  const VkResult result = device_.dispatch.CreateComputePipelines(device_.handle, cache, 1, &info, allocator, &handle_);
  // Drivers may write something even if they fail.
  if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
  return result;
}

void NodePipeline::Release(const VkAllocationCallbacks* allocator) {
  if (!handle_ || !has_allocator_) return;
  device_.dispatch.DestroyPipeline(device_.handle, handle_, allocator);
  handle_ = VK_NULL_HANDLE;
}

}  // namespace trellis
