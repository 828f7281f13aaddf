// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/diagnostics.h"

#include <algorithm>

#include "layer/dispatch/struct_type.h"

namespace trellis {

namespace {

VkDebugUtilsMessageSeverityFlagBitsEXT SeverityOf(LogLevel level) {
  constexpr VkDebugUtilsMessageSeverityFlagBitsEXT kSeverities[] = {
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT};
  static_assert(std::size(kSeverities) == static_cast<size_t>(LogLevel::kDebug) + 1);
  return kSeverities[static_cast<size_t>(level)];
}

// What was asked for must be seen.
LogLevel LeastSevere(const Settings& settings) {
  return settings.timing ? std::max(settings.log_level, LogLevel::kInfo) : settings.log_level;
}

}  // namespace

Diagnostics::Diagnostics(const Settings& settings) : log_(LeastSevere(settings), settings.log_file) {}

std::vector<Diagnostics::Messenger> Diagnostics::Listeners(LogLevel level, VkDebugUtilsMessageTypeFlagsEXT type) {
  const VkDebugUtilsMessageSeverityFlagBitsEXT severity = SeverityOf(level);
  const auto listens = [severity, type](const Messenger& messenger) {
    return messenger.callback && (messenger.severities & severity) && (messenger.types & type);
  };
  std::vector<Messenger> listeners;
  std::lock_guard lock(mutex_);
  std::copy_if(messengers_.begin(), messengers_.end(), std::back_inserter(listeners), listens);
  if (instance_messengers_active_)
    std::copy_if(instance_messengers_.begin(), instance_messengers_.end(), std::back_inserter(listeners), listens);
  return listeners;
}

bool Diagnostics::Wants(LogLevel level) { return log_.Wants(level) || !Listeners(level, kGeneral).empty(); }

void Diagnostics::Send(LogLevel level, VkDebugUtilsMessageTypeFlagsEXT type, std::string_view id, std::string_view text,
                       std::initializer_list<MessageObject> objects) {
  log_.Write(level, id, text);
  const std::vector<Messenger> listeners = Listeners(level, type);
  if (listeners.empty()) return;

  const std::string id_text(id);
  const std::string message(text);
  std::vector<VkDebugUtilsObjectNameInfoEXT> names;
  for (const MessageObject& object : objects)
    names.push_back({VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, object.type, object.handle, nullptr});
  auto data = MakeStruct<VkDebugUtilsMessengerCallbackDataEXT>();
  data.pMessageIdName = id_text.c_str();
  data.pMessage = message.c_str();
  data.objectCount = static_cast<uint32_t>(names.size());
  data.pObjects = names.data();
  for (const Messenger& listener : listeners) listener.callback(SeverityOf(level), type, &data, listener.user_data);
}

void Diagnostics::AddMessenger(VkDebugUtilsMessengerEXT handle, const VkDebugUtilsMessengerCreateInfoEXT& info) {
  std::lock_guard lock(mutex_);
  messengers_.push_back({handle, info.messageSeverity, info.messageType, info.pfnUserCallback, info.pUserData});
}

void Diagnostics::RemoveMessenger(VkDebugUtilsMessengerEXT handle) {
  std::lock_guard lock(mutex_);
  std::erase_if(messengers_, [handle](const Messenger& messenger) { return messenger.handle == handle; });
}

void Diagnostics::SetInstanceMessengers(const void* chain) {
  std::vector<Messenger> messengers;
  for (auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
    if (at->sType != VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT) continue;
    const auto& info = *reinterpret_cast<const VkDebugUtilsMessengerCreateInfoEXT*>(at);
    messengers.push_back(
        {VK_NULL_HANDLE, info.messageSeverity, info.messageType, info.pfnUserCallback, info.pUserData});
  }
  std::lock_guard lock(mutex_);
  instance_messengers_ = std::move(messengers);
}

void Diagnostics::ActivateInstanceMessengers(bool active) {
  std::lock_guard lock(mutex_);
  instance_messengers_active_ = active;
}

}  // namespace trellis
