// SPDX-License-Identifier: Apache-2.0
// A layer Device on top of a real driver, without the layer in between: for tests of what the layer makes for itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "layer/objects/device.h"
#include "layer/objects/instance.h"
#include "layer/objects/physical_device.h"

namespace trellis::test {

// The first device that the loader finds with bufferDeviceAddress and scalarBlockLayout, no layer enabled. Threading:
// one thread.
class DriverDevice {
 public:
  // Null with a reason in `why`.
  [[nodiscard]] static std::unique_ptr<DriverDevice> Create(std::string& why, const Settings& settings = {});
  ~DriverDevice();
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;

  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // Records with `record`, submits, and waits until it is done and visible to the host.
  [[nodiscard]] bool Execute(const std::function<void(VkCommandBuffer)>& record);

 private:
  DriverDevice() = default;
  [[nodiscard]] bool MakeInstance(std::string& why);
  [[nodiscard]] bool ChoosePhysicalDevice(std::string& why);
  [[nodiscard]] bool MakeDevice(const Settings& settings, std::string& why);
  [[nodiscard]] bool HasExtension(std::string_view name) const;  // the physical device

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t queue_family_ = 0;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::string name_;
  std::shared_ptr<Instance> layer_instance_;
  std::unique_ptr<Device> device_;
};

}  // namespace trellis::test
