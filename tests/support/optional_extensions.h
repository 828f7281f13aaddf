// Extensions that only single tests need: enabled on the test device where it has them.
#pragma once

#include <vector>

#include "tests/support/vulkan.h"

namespace trellis::test {

class OptionalExtensions {
 public:
  explicit OptionalExtensions(VkPhysicalDevice device);
  OptionalExtensions(const OptionalExtensions&) = delete;
  OptionalExtensions& operator=(const OptionalExtensions&) = delete;

  [[nodiscard]] const std::vector<const char*>& names() const { return names_; }
  // The structures of their features, in front of `next`; they live here.
  [[nodiscard]] void* FeatureChain(void* next);

  // Stages may ask for ROBUST_BUFFER_ACCESS_2.
  bool robust_buffer_access2 = false;
  // Compute shaders may have derivative groups.
  bool derivative_quads = false;
  bool derivative_linear = false;
  // Workgroup variables may be blocks.
  bool workgroup_memory_explicit_layout = false;

 private:
  std::vector<const char*> names_;
  VkPhysicalDevicePipelineRobustnessFeaturesEXT pipeline_robustness_;
  VkPhysicalDeviceComputeShaderDerivativesFeaturesKHR derivatives_;
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicit_layout_;
};

}  // namespace trellis::test
