// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "layer/dispatch/vulkan.h"
#include "meta_shaders/kernels.h"

namespace trellis {

// The internal kernels that one graph may dispatch. Ownership: none; the handles live as long as the device's
// attachments (InternalKernels).
struct KernelPipelines {
  VkPipelineLayout layout = VK_NULL_HANDLE;             // no sets; one range: {COMPUTE, 0, 8}
  std::array<VkPipeline, kKernelCount> by_kernel = {};  // null for kernels that the graph cannot need

  [[nodiscard]] VkPipeline of(Kernel kernel) const { return by_kernel[static_cast<size_t>(kernel)]; }
};

}  // namespace trellis
