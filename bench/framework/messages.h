// SPDX-License-Identifier: Apache-2.0
// What the layer says through VK_EXT_debug_utils. While one of these exists the layer has somebody to talk to: not for
// timing.
#pragma once

#include <map>
#include <string>

#include "bench/framework/gpu.h"

namespace trellis::bench {

class Messages {
 public:
  explicit Messages(const Gpu& gpu);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // The last message with that name; empty if there was none.
  [[nodiscard]] std::string Last(const std::string& name) const;

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                  VkDebugUtilsMessageTypeFlagsEXT types,
                                                  const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data);

  const Gpu& gpu_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  std::map<std::string, std::string> last_;
};

}  // namespace trellis::bench
