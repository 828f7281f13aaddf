// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "layer/dispatch/vulkan.h"

namespace trellis {

struct Device;

// A shader module of the driver that is needed only while pipelines are made of it. One thread.
class ScopedShaderModule {
 public:
  // `allocator` makes and destroys the module.
  explicit ScopedShaderModule(const Device& device, const VkAllocationCallbacks* allocator = nullptr)
      : device_(device), allocator_(allocator) {}
  ~ScopedShaderModule();
  ScopedShaderModule(const ScopedShaderModule&) = delete;
  ScopedShaderModule& operator=(const ScopedShaderModule&) = delete;

  // The driver's result. Once.
  [[nodiscard]] VkResult Create(std::span<const uint32_t> words);
  // Null unless Create succeeded.
  [[nodiscard]] VkShaderModule handle() const { return handle_; }

 private:
  const Device& device_;
  const VkAllocationCallbacks* const allocator_;
  VkShaderModule handle_ = VK_NULL_HANDLE;
};

}  // namespace trellis
