// SPDX-License-Identifier: Apache-2.0
// Where every message of the layer goes: to the log, and to the application's VK_EXT_debug_utils messengers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string_view>
#include <vector>

#include "layer/diagnostics/log.h"
#include "layer/dispatch/vulkan.h"
#include "layer/settings/settings.h"

namespace trellis {

// A Vulkan object that a message is about.
struct MessageObject {
  VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
  uint64_t handle = 0;
};

// One per instance. Threading: any thread. No lock is held while the application's callbacks run, so they may call
// Vulkan.
class Diagnostics {
 public:
  explicit Diagnostics(const Settings& settings);

  // `id` becomes pMessageIdName: "TRELLIS-" and words joined by hyphens, stable, so that applications can filter on it.
  // `text`: one message for a person; it names what was wrong and what to do. kInfo maps to the INFO severity, kDebug
  // to VERBOSE.
  void Report(LogLevel level, std::string_view id, std::string_view text,
              std::initializer_list<MessageObject> objects = {}) {
    Send(level, kGeneral, id, text, objects);
  }
  void Error(std::string_view id, std::string_view text, std::initializer_list<MessageObject> objects = {}) {
    Report(LogLevel::kError, id, text, objects);
  }
  void Warning(std::string_view id, std::string_view text, std::initializer_list<MessageObject> objects = {}) {
    Report(LogLevel::kWarning, id, text, objects);
  }
  void Info(std::string_view id, std::string_view text, std::initializer_list<MessageObject> objects = {}) {
    Report(LogLevel::kInfo, id, text, objects);
  }
  void Debug(std::string_view id, std::string_view text, std::initializer_list<MessageObject> objects = {}) {
    Report(LogLevel::kDebug, id, text, objects);
  }

  // The application broke a rule of the specification, `vuid`, which becomes pMessageIdName. An error, of the type
  // VALIDATION instead of GENERAL.
  void InvalidUsage(std::string_view vuid, std::string_view text, std::initializer_list<MessageObject> objects) {
    Send(LogLevel::kError, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, vuid, text, objects);
  }

  // False when neither log nor messengers would take it: lets callers skip building a costly text.
  [[nodiscard]] bool Wants(LogLevel level);

  // The application's messengers. `handle` is the driver's; info's pNext and strings are not kept.
  void AddMessenger(VkDebugUtilsMessengerEXT handle, const VkDebugUtilsMessengerCreateInfoEXT& info);
  void RemoveMessenger(VkDebugUtilsMessengerEXT handle);

  // Messengers chained to VkInstanceCreateInfo hear vkCreateInstance and vkDestroyInstance only: active between these
  // two calls.
  void SetInstanceMessengers(const void* instance_create_info_chain);
  void ActivateInstanceMessengers(bool active);

 private:
  // What the layer has to say without being asked is neither about the specification's rules nor about speed.
  static constexpr VkDebugUtilsMessageTypeFlagsEXT kGeneral = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;

  struct Messenger {
    VkDebugUtilsMessengerEXT handle = VK_NULL_HANDLE;  // null: from VkInstanceCreateInfo
    VkDebugUtilsMessageSeverityFlagsEXT severities = 0;
    VkDebugUtilsMessageTypeFlagsEXT types = 0;
    PFN_vkDebugUtilsMessengerCallbackEXT callback = nullptr;
    void* user_data = nullptr;
  };

  std::vector<Messenger> Listeners(LogLevel level, VkDebugUtilsMessageTypeFlagsEXT type);
  void Send(LogLevel level, VkDebugUtilsMessageTypeFlagsEXT type, std::string_view id, std::string_view text,
            std::initializer_list<MessageObject> objects);

  Log log_;
  std::mutex mutex_;  // guards what follows
  std::vector<Messenger> messengers_;
  std::vector<Messenger> instance_messengers_;
  bool instance_messengers_active_ = true;
};

}  // namespace trellis
