// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/messages.h"

namespace trellis::bench {
namespace {

template <typename Function>
Function Load(const Gpu& gpu, const char* name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(gpu.instance(), name));
}

}  // namespace

Messages::Messages(const Gpu& gpu) : gpu_(gpu) {
  const auto create = Load<PFN_vkCreateDebugUtilsMessengerEXT>(gpu, "vkCreateDebugUtilsMessengerEXT");
  if (create == nullptr) return;
  auto info = Struct<VkDebugUtilsMessengerCreateInfoEXT>(VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  info.pfnUserCallback = OnMessage;
  info.pUserData = this;
  Check(create(gpu.instance(), &info, nullptr, &messenger_), "vkCreateDebugUtilsMessengerEXT");
}

Messages::~Messages() {
  if (messenger_ == VK_NULL_HANDLE) return;
  Load<PFN_vkDestroyDebugUtilsMessengerEXT>(gpu_, "vkDestroyDebugUtilsMessengerEXT")(gpu_.instance(), messenger_,
                                                                                     nullptr);
}

std::string Messages::Last(const std::string& name) const {
  const auto found = last_.find(name);
  return found != last_.end() ? found->second : std::string();
}

VKAPI_ATTR VkBool32 VKAPI_CALL Messages::OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                   VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) {
  if (data->pMessageIdName != nullptr) static_cast<Messages*>(user_data)->last_[data->pMessageIdName] = data->pMessage;
  return VK_FALSE;
}

}  // namespace trellis::bench
