// What the creation of one execution graph carries from step to step. Internal to layer/pipeline.
#pragma once

#include <cstdint>
#include <string>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/device.h"

namespace trellis {

// Lives on the stack of one vkCreateExecutionGraphPipelinesAMDX, on its thread: driver calls are made with the
// application's allocator and cache, which belong to that thread while the command runs.
struct CreationContext {
  Device& device;
  VkPipelineCache cache = VK_NULL_HANDLE;
  const VkAllocationCallbacks* allocator = nullptr;
  uint32_t graph_id = 0;
  VkPipelineCreateFlags2 flags = 0;  // VkPipelineCreateFlags2CreateInfo's where there is one, else the create info's

  // Reports `text` as the reason why this graph was not created. Returns `result`, to be passed on.
  [[nodiscard]] VkResult Fail(VkResult result, const std::string& text) const;
  // Invalid usage, or something that is not implemented.
  [[nodiscard]] VkResult Refuse(const std::string& text) const { return Fail(VK_ERROR_VALIDATION_FAILED_EXT, text); }
};

}  // namespace trellis
