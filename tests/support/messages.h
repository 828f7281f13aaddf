// SPDX-License-Identifier: Apache-2.0
// What the layer and the validation layer said through VK_EXT_debug_utils.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/vulkan.h"

namespace trellis::test {

struct Message {
  VkDebugUtilsMessageSeverityFlagBitsEXT severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
  std::string id;
  std::string text;
};

// Threading: any thread.
class MessageLog {
 public:
  // Messages of warnings and errors make the running test fail unless the id contains an expected text. Cleared by
  // Clear.
  void Expect(std::string_view id) {
    const std::lock_guard lock(mutex_);
    expected_.emplace_back(id);
  }
  void Clear();
  // Messages whose id contains `id`.
  [[nodiscard]] std::vector<Message> Find(std::string_view id) const;
  // Warnings and errors that were neither expected nor are known to be false.
  [[nodiscard]] std::vector<Message> Unexpected() const;

  // The unexpected ones, and forgets all messages.
  [[nodiscard]] std::vector<Message> TakeUnexpected();

  void Add(Message message);
  [[nodiscard]] VkDebugUtilsMessengerCreateInfoEXT MessengerInfo();

 private:
  [[nodiscard]] std::vector<Message> UnexpectedLocked() const;

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Message> messages_;
  std::vector<std::string> expected_;
};

}  // namespace trellis::test
