// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "layer/dispatch/struct_type.h"
#include "layer/objects/device.h"

namespace trellis {

// A shader module of the driver that is needed only while pipelines are made of it. One thread.
class ScopedShaderModule {
 public:
  // `allocator` makes and destroys the module.
  explicit ScopedShaderModule(const Device& device, const VkAllocationCallbacks* allocator = nullptr)
      : device_(device), allocator_(allocator) {}
  ~ScopedShaderModule() {
    if (handle_) device_.dispatch.DestroyShaderModule(device_.handle, handle_, allocator_);
  }
  ScopedShaderModule(const ScopedShaderModule&) = delete;
  ScopedShaderModule& operator=(const ScopedShaderModule&) = delete;

  // The driver's result. Once.
  [[nodiscard]] VkResult Create(std::span<const uint32_t> words) {
    auto info = MakeStruct<VkShaderModuleCreateInfo>();
    info.codeSize = words.size_bytes();
    info.pCode = words.data();
    const VkResult result = device_.dispatch.CreateShaderModule(device_.handle, &info, allocator_, &handle_);
    // Drivers may write something even if they fail.
    if (result != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
    return result;
  }
  // Null unless Create succeeded.
  [[nodiscard]] VkShaderModule handle() const { return handle_; }

 private:
  const Device& device_;
  const VkAllocationCallbacks* const allocator_;
  VkShaderModule handle_ = VK_NULL_HANDLE;
};

}  // namespace trellis
