// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/creation_context.h"

#include <atomic>

#include "layer/dispatch/pipeline_flags.h"
#include "layer/objects/handle_table.h"
#include "layer/pipeline/parallel_for.h"

namespace trellis {

uint32_t CreationContext::DriverThreads() const {
  if (allocator || device.externally_synchronized_caches.Find(cache)) return 1;
  return ThreadCount(device.settings.threads);
}

VkResult CreationContext::Report(const CreationResult& failure) const {
  if (!failure.reason.empty())
    device.diagnostics.Error("TRELLIS-graph-creation", name + " was not created: " + failure.reason,
                             {{VK_OBJECT_TYPE_DEVICE, HandleToU64(device.handle)}});
  return failure.result;
}

uint32_t NewPipelineId() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

CreationResult FindNodeLayout(const CreationContext& context, VkPipelineLayout handle,
                              std::shared_ptr<PipelineLayout>& layout) {
  if (context.flags & kDescriptorHeapFlag)
    return CreationResult::Refused(
        "VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT: descriptor heaps are not supported; use a pipeline layout");
  if (handle == VK_NULL_HANDLE)
    return CreationResult::Refused("there is no pipeline layout; descriptor heaps are not supported");
  layout = context.device.pipeline_layouts.Find(handle);
  if (!layout || layout->node_layout == VK_NULL_HANDLE)
    return CreationResult::Refused("the pipeline layout is not known");
  return {};
}

VkResult PermittedResult(VkResult result) {
  switch (result) {
    case VK_SUCCESS:
    case VK_PIPELINE_COMPILE_REQUIRED:
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_VALIDATION_FAILED_EXT:
      return result;
    default:
      return VK_ERROR_UNKNOWN;
  }
}

VkResult WorseResult(VkResult so_far, VkResult next) {
  if (so_far < 0 || next == VK_SUCCESS) return so_far;
  return so_far == VK_SUCCESS || next < 0 ? next : so_far;
}

}  // namespace trellis
