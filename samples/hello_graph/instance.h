// SPDX-License-Identifier: Apache-2.0
// The instance with its messages, and the choice of a device.
#pragma once

#include <string>
#include <vector>

#include "samples/hello_graph/vulkan.h"

namespace hello {

// What was said through VK_EXT_debug_utils.
struct Messages {
  unsigned errors = 0;
  std::string dispatch_graph;  // Trellis' note on what the last graph dispatch became; empty on other implementations
};

class Instance {
 public:
  // `extensions` are enabled in addition to VK_EXT_debug_utils.
  explicit Instance(bool validate, std::vector<const char*> extensions = {});
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] VkInstance handle() const { return instance_; }
  [[nodiscard]] const Messages& messages() const { return messages_; }

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  Messages messages_;
};

struct DeviceChoice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties = {};
  bool offers_graphs = false;  // VK_AMDX_shader_enqueue is listed and its feature is there
};

std::vector<DeviceChoice> ListDevices(const Instance& instance);
// The best device that offers graphs: discrete before integrated before virtual before CPU. Null if none does.
const DeviceChoice* BestDevice(const std::vector<DeviceChoice>& devices);
const char* KindOfDevice(const DeviceChoice& device);

}  // namespace hello
