// SPDX-License-Identifier: Apache-2.0
#include "tests/support/messages.h"

#include <algorithm>

namespace trellis::test {
namespace {

// Messages that are not about Trellis or the tests. Each with the reason.
struct KnownFalse {
  const char* id;    // part of pMessageIdName; empty: any
  const char* text;  // part of pMessage; empty: any
};
constexpr KnownFalse kKnownFalse[] = {
    // The loader and drivers talk through the same channel; nothing of it is about our calls.
    {"Loader Message", ""},
    // The tests enable VK_KHR_maintenance5, which VK_AMDX_shader_enqueue depends on; validation 1.3.239 (Debian 12) is
    // older than it.
    {"VUID-VkDeviceCreateInfo-pNext-pNext", "unknown VkStructureType (1000470000)"},
    {"", "Device Extension VK_KHR_maintenance5 is not supported by this layer"},
    // It is older than VK_KHR_compute_shader_derivatives too.
    {"", "Device Extension VK_KHR_compute_shader_derivatives is not supported by this layer"},
    {"VUID-VkShaderModuleCreateInfo-pCode-04146", "SPV_KHR_compute_shader_derivatives"},
    {"UNASSIGNED-CoreValidation-Shader-InconsistentSpirv", "operand ComputeDerivativeGroup"},
    // Mesa ignores the decoration where a pointer into shared payloads is a parameter (docs/limitations.md).
    {"", "Function parameter Decoration not handled: SpvDecorationCoherent"},
    // The same for VK_KHR_maintenance6, which they enable where it exists.
    {"VUID-VkDeviceCreateInfo-pNext-pNext", "unknown VkStructureType (1000545000)"},
    {"", "Device Extension VK_KHR_maintenance6 is not supported by this layer"},
    // Trellis enables VK_KHR_shader_maximal_reconvergence where it exists.
    {"VUID-VkDeviceCreateInfo-pNext-pNext", "unknown VkStructureType (1000434000)"},
    {"", "Device Extension VK_KHR_shader_maximal_reconvergence is not supported by this layer"},
    {"VUID-VkShaderModuleCreateInfo-pCode-04146", "SPV_KHR_maximal_reconvergence"},
    {"UNASSIGNED-CoreValidation-Shader-InconsistentSpirv", "execution mode operand: 6023"},
    {"VUID-VkPipelineShaderStageCreateInfo-module-parameter", "execution mode operand: 6023"},
    {"VUID-VkPipelineShaderStageCreateInfo-pSpecializationInfo-06719", "with spirv-opt but failed"},
    // A pipeline layout outlives the set layouts that it was made from; the specification lets them be destroyed.
    {"VUID-VkWriteDescriptorSet-dstSet-00320", "vkCmdPushDescriptorSetKHR()"},
    // So do pipelines; without the feature maintenance4 the validation layer disagrees.
    {"VUID-vkCmdBindPipeline-pipeline-parameter", "it references deleted object VkDescriptorSetLayout"},
    {"VUID-vkCmdBindPipeline-pipeline-parameter", "(Warning - This VUID has now been reported"},
    // Asked for by what NVIDIA's driver brings with it; neither Trellis nor the tests know the command.
    {"WARNING-vkGetDeviceProcAddr-device", "vkGetPhysicalDeviceVideoEncodeQualityLevelPropertiesKHR"},
};

VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  static_cast<MessageLog*>(user_data)->Add(
      {severity, data->pMessageIdName != nullptr ? data->pMessageIdName : "", data->pMessage});
  return VK_FALSE;
}

bool IsKnownFalse(const Message& message) {
  return std::any_of(std::begin(kKnownFalse), std::end(kKnownFalse), [&](const KnownFalse& known) {
    return message.id.find(known.id) != std::string::npos && message.text.find(known.text) != std::string::npos;
  });
}

}  // namespace

void MessageLog::Clear() {
  const std::lock_guard lock(mutex_);
  messages_.clear();
  expected_.clear();
}

std::vector<Message> MessageLog::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  std::vector<Message> found;
  for (const Message& message : messages_) {
    if (message.id.find(id) != std::string::npos) found.push_back(message);
  }
  return found;
}

std::vector<Message> MessageLog::Unexpected() const {
  const std::lock_guard lock(mutex_);
  return UnexpectedLocked();
}

std::vector<Message> MessageLog::TakeUnexpected() {
  const std::lock_guard lock(mutex_);
  std::vector<Message> unexpected = UnexpectedLocked();
  messages_.clear();
  return unexpected;
}

std::vector<Message> MessageLog::UnexpectedLocked() const {
  std::vector<Message> found;
  for (const Message& message : messages_) {
    if (message.severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT || IsKnownFalse(message)) continue;
    const bool expected = std::any_of(expected_.begin(), expected_.end(),
                                      [&](const std::string& id) { return message.id.find(id) != std::string::npos; });
    if (!expected) found.push_back(message);
  }
  return found;
}

void MessageLog::Add(Message message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

VkDebugUtilsMessengerCreateInfoEXT MessageLog::MessengerInfo() {
  auto info = MakeStruct<VkDebugUtilsMessengerCreateInfoEXT>();
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = OnMessage;
  info.pUserData = this;
  return info;
}

}  // namespace trellis::test
