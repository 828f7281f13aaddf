// SPDX-License-Identifier: Apache-2.0
// The layer between a test and a FakeDriver, found the way a loader finds it: through
// vkNegotiateLoaderLayerInterfaceVersion, with the loader's chains in the create infos.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "layer/dispatch/struct_type.h"  // tests fill in create infos
#include "layer/objects/handle_table.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

// Negotiate asks this copy of the layer from now on; the one that is linked to the test if it is null.
void NegotiateThrough(PFN_vkNegotiateLoaderLayerInterfaceVersion negotiate);
// The layer's two functions, after negotiation.
[[nodiscard]] VkNegotiateLayerInterface Negotiate();

// An instance of the layer on a driver. Destroys what it made.
class TestInstance {
 public:
  explicit TestInstance(FakeDriver& driver, const std::vector<const char*>& extensions = {},
                        const void* chain = nullptr, uint32_t api_version = VK_API_VERSION_1_3);
  ~TestInstance();
  TestInstance(const TestInstance&) = delete;
  TestInstance& operator=(const TestInstance&) = delete;

  template <typename Function>
  [[nodiscard]] Function Get(const char* name) const {
    return reinterpret_cast<Function>(negotiated_.pfnGetInstanceProcAddr(instance_, name));
  }

  [[nodiscard]] VkResult result() const { return result_; }
  [[nodiscard]] VkInstance handle() const { return instance_; }
  [[nodiscard]] VkPhysicalDevice physical_device() const { return physical_device_; }
  [[nodiscard]] FakeDriver& driver() const { return driver_; }
  std::vector<std::string> DeviceExtensions() const;

 private:
  FakeDriver& driver_;
  VkNegotiateLayerInterface negotiated_;
  VkResult result_ = VK_SUCCESS;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device_ = VK_NULL_HANDLE;
};

inline const std::vector<const char*> kGraphExtensions = {
    VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};

// A device of the layer on a driver, with so many queues. Destroys what it made.
class TestDevice {
 public:
  static constexpr uint32_t kMaxQueues = 16;

  explicit TestDevice(const TestInstance& instance, const std::vector<const char*>& extensions = kGraphExtensions,
                      const void* chain = nullptr, const VkPhysicalDeviceFeatures* features = nullptr,
                      uint32_t queues = 1);
  ~TestDevice();
  TestDevice(const TestDevice&) = delete;
  TestDevice& operator=(const TestDevice&) = delete;

  template <typename Function>
  [[nodiscard]] Function Get(const char* name) const {
    return reinterpret_cast<Function>(negotiated_.pfnGetDeviceProcAddr(device_, name));
  }

  [[nodiscard]] VkResult result() const { return result_; }
  [[nodiscard]] VkDevice handle() const { return device_; }

  // A command buffer in recording state, of a pool that the device's end takes with it.
  [[nodiscard]] VkCommandBuffer Begin() const;

 private:
  VkNegotiateLayerInterface negotiated_;
  VkResult result_ = VK_SUCCESS;
  VkDevice device_ = VK_NULL_HANDLE;
};

// `TRELLIS_CALL(device, CmdDispatch)(...)`: a command of a TestInstance or TestDevice with its type.
#define TRELLIS_CALL(object, command) (object).Get<PFN_vk##command>("vk" #command)

}  // namespace trellis::test
