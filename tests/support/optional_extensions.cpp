// SPDX-License-Identifier: Apache-2.0
#include "tests/support/optional_extensions.h"

#include <set>
#include <string>

namespace trellis::test {
namespace {

std::set<std::string> ExtensionsOf(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  std::set<std::string> names;
  for (const VkExtensionProperties& extension : extensions) names.insert(extension.extensionName);
  return names;
}

void GetFeatures(VkPhysicalDevice device, void* structure) {
  auto features = MakeStruct<VkPhysicalDeviceFeatures2>(structure);
  vkGetPhysicalDeviceFeatures2(device, &features);
}

template <typename Function>
void Load(VkDevice device, const char* name, Function& function) {
  function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
}

}  // namespace

OptionalCommands LoadOptionalCommands(VkDevice device) {
  OptionalCommands commands;
  Load(device, "vkCmdPushDescriptorSetKHR", commands.CmdPushDescriptorSet);
  Load(device, "vkCmdPushDescriptorSetWithTemplateKHR", commands.CmdPushDescriptorSetWithTemplate);
  Load(device, "vkCmdBindDescriptorSets2KHR", commands.CmdBindDescriptorSets2);
  Load(device, "vkCmdPushConstants2KHR", commands.CmdPushConstants2);
  Load(device, "vkCmdPushDescriptorSet2KHR", commands.CmdPushDescriptorSet2);
  Load(device, "vkCmdPushDescriptorSetWithTemplate2KHR", commands.CmdPushDescriptorSetWithTemplate2);
  Load(device, "vkCmdBeginConditionalRenderingEXT", commands.CmdBeginConditionalRendering);
  Load(device, "vkCmdEndConditionalRenderingEXT", commands.CmdEndConditionalRendering);
  return commands;
}

OptionalExtensions::OptionalExtensions(VkPhysicalDevice device)
    : pipeline_robustness_(MakeStruct<VkPhysicalDevicePipelineRobustnessFeaturesEXT>()),
      derivatives_(MakeStruct<VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR>()),
      explicit_layout_(MakeStruct<VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR>()),
      maintenance6_(MakeStruct<VkPhysicalDeviceMaintenance6FeaturesKHR>()),
      conditional_rendering_(MakeStruct<VkPhysicalDeviceConditionalRenderingFeaturesEXT>()) {
  const std::set<std::string> listed = ExtensionsOf(device);
  if (listed.count(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME) != 0) {
    GetFeatures(device, &pipeline_robustness_);
    names_.push_back(VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME);
  }
  if (pipeline_robustness_.pipelineRobustness == VK_TRUE && listed.count(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME) != 0) {
    auto robustness2 = MakeStruct<VkPhysicalDeviceRobustness2FeaturesEXT>();
    GetFeatures(device, &robustness2);
    // A stage may ask for it if the device supports it; it need not be enabled.
    robust_buffer_access2 = robustness2.robustBufferAccess2 == VK_TRUE;
  }
  if (listed.count(VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME) != 0) {
    GetFeatures(device, &derivatives_);
    derivative_quads = derivatives_.computeDerivativeGroupQuads == VK_TRUE;
    derivative_linear = derivatives_.computeDerivativeGroupLinear == VK_TRUE;
    names_.push_back(VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME);
  }
  if (listed.count(VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME) != 0) {
    GetFeatures(device, &explicit_layout_);
    workgroup_memory_explicit_layout = explicit_layout_.workgroupMemoryExplicitLayout == VK_TRUE;
    names_.push_back(VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
  }
  if (listed.count(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) != 0) names_.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  if (listed.count(VK_KHR_MAINTENANCE_6_EXTENSION_NAME) != 0) {
    maintenance6_.maintenance6 = VK_TRUE;
    names_.push_back(VK_KHR_MAINTENANCE_6_EXTENSION_NAME);
  }
  if (listed.count(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME) != 0) {
    conditional_rendering_.conditionalRendering = VK_TRUE;
    names_.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
  }
}

void* OptionalExtensions::FeatureChain(void* next) {
  if (pipeline_robustness_.pipelineRobustness == VK_TRUE) {
    pipeline_robustness_.pNext = next;
    next = &pipeline_robustness_;
  }
  if (derivative_quads || derivative_linear) {
    derivatives_.pNext = next;
    next = &derivatives_;
  }
  if (workgroup_memory_explicit_layout) {
    explicit_layout_.pNext = next;
    next = &explicit_layout_;
  }
  if (maintenance6_.maintenance6 == VK_TRUE) {
    maintenance6_.pNext = next;
    next = &maintenance6_;
  }
  if (conditional_rendering_.conditionalRendering == VK_TRUE) {
    conditional_rendering_.pNext = next;
    next = &conditional_rendering_;
  }
  return next;
}

}  // namespace trellis::test
