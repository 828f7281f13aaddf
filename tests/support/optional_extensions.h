// SPDX-License-Identifier: Apache-2.0
// Extensions that only single tests need: enabled on the test device where it has them.
#pragma once

#include <vector>

#include "tests/support/vulkan.h"

namespace trellis::test {

// Their commands. Null where the device has not got the extension.
struct OptionalCommands {
  // VK_KHR_push_descriptor
  PFN_vkCmdPushDescriptorSetKHR CmdPushDescriptorSet = nullptr;
  PFN_vkCmdPushDescriptorSetWithTemplateKHR CmdPushDescriptorSetWithTemplate = nullptr;
  // VK_KHR_maintenance6
  PFN_vkCmdBindDescriptorSets2KHR CmdBindDescriptorSets2 = nullptr;
  PFN_vkCmdPushConstants2KHR CmdPushConstants2 = nullptr;
  PFN_vkCmdPushDescriptorSet2KHR CmdPushDescriptorSet2 = nullptr;
  PFN_vkCmdPushDescriptorSetWithTemplate2KHR CmdPushDescriptorSetWithTemplate2 = nullptr;
  // VK_EXT_conditional_rendering
  PFN_vkCmdBeginConditionalRenderingEXT CmdBeginConditionalRendering = nullptr;
  PFN_vkCmdEndConditionalRenderingEXT CmdEndConditionalRendering = nullptr;
};
[[nodiscard]] OptionalCommands LoadOptionalCommands(VkDevice device);

class OptionalExtensions {
 public:
  explicit OptionalExtensions(VkPhysicalDevice device);
  OptionalExtensions(const OptionalExtensions&) = delete;
  OptionalExtensions& operator=(const OptionalExtensions&) = delete;

  [[nodiscard]] const std::vector<const char*>& names() const { return names_; }
  // The structures of their features, in front of `next`; they live here.
  [[nodiscard]] void* FeatureChain(void* next);

  // Stages may ask for ROBUST_BUFFER_ACCESS_2.
  bool robust_buffer_access2 = false;
  // Compute shaders may have derivative groups.
  bool derivative_quads = false;
  bool derivative_linear = false;
  // Workgroup variables may be blocks.
  bool workgroup_memory_explicit_layout = false;

 private:
  std::vector<const char*> names_;
  VkPhysicalDevicePipelineRobustnessFeaturesEXT pipeline_robustness_;
  VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives_;
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout_;
  VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6_;
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional_rendering_;
};

}  // namespace trellis::test
