// SPDX-License-Identifier: Apache-2.0
// What the layer says through VK_EXT_debug_utils, for tests to hear.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/layer/fake_driver/layer_under_test.h"

namespace trellis::test {

struct HeardMessage {
  VkDebugUtilsMessageSeverityFlagBitsEXT severity;
  VkDebugUtilsMessageTypeFlagsEXT type;
  const VkDebugUtilsMessengerCallbackDataEXT& data;
};

// Called on the thread that has something to say.
using Hear = std::function<void(const HeardMessage&)>;

// Appends "id: text" of each message. `messages` must outlive the result.
[[nodiscard]] inline Hear CollectIn(std::vector<std::string>& messages) {
  return [&messages](const HeardMessage& message) {
    messages.push_back(std::string(message.data.pMessageIdName) + ": " + message.data.pMessage);
  };
}

inline constexpr VkDebugUtilsMessageSeverityFlagsEXT kWarningsAndErrors =
    VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;

// `hear` has to live as long as messengers that are made of this.
[[nodiscard]] inline VkDebugUtilsMessengerCreateInfoEXT MessengerInfo(
    const Hear& hear, VkDebugUtilsMessageSeverityFlagsEXT severities = kWarningsAndErrors,
    VkDebugUtilsMessageTypeFlagsEXT types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) {
  auto info = MakeStruct<VkDebugUtilsMessengerCreateInfoEXT>();
  info.messageSeverity = severities;
  info.messageType = types;
  info.pUserData = const_cast<Hear*>(&hear);
  info.pfnUserCallback = [](VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) -> VkBool32 {
    (*static_cast<const Hear*>(user_data))({severity, type, *data});
    return VK_FALSE;
  };
  return info;
}

// A messenger of an instance with VK_EXT_debug_utils, for as long as this lives.
class Messenger {
 public:
  Messenger(const TestInstance& instance, Hear hear,
            VkDebugUtilsMessageTypeFlagsEXT types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT)
      : instance_(instance), hear_(std::move(hear)) {
    const VkDebugUtilsMessengerCreateInfoEXT info = MessengerInfo(hear_, kWarningsAndErrors, types);
    result_ = TRELLIS_CALL(instance, CreateDebugUtilsMessengerEXT)(instance.handle(), &info, nullptr, &handle_);
  }
  ~Messenger() { TRELLIS_CALL(instance_, DestroyDebugUtilsMessengerEXT)(instance_.handle(), handle_, nullptr); }
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  [[nodiscard]] VkResult result() const { return result_; }

 private:
  const TestInstance& instance_;
  const Hear hear_;
  VkResult result_;
  VkDebugUtilsMessengerEXT handle_ = VK_NULL_HANDLE;
};

// The texts of what the layer says on this thread, for as long as this lives.
class HeardTexts {
 public:
  explicit HeardTexts(const TestInstance& instance)
      : messenger_(instance, [this](const HeardMessage& message) { texts_.emplace_back(message.data.pMessage); }) {}

  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  const Messenger messenger_;
};

}  // namespace trellis::test
