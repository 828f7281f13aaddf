// The internal kernels as pipelines of a device.
#pragma once

#include <array>
#include <memory>

#include "layer/dispatch/vulkan.h"
#include "meta_shaders/kernels.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;

// Immutable; one per device, made when the first graph is recorded. Ownership: dies with the device's attachments.
class InternalKernels {
 public:
  // Fails when the driver refuses to make the pipelines.
  [[nodiscard]] static Expected<std::shared_ptr<const InternalKernels>> Of(Device& device);

  explicit InternalKernels(const Device& device) : device_(device) {}
  InternalKernels(const InternalKernels&) = delete;
  InternalKernels& operator=(const InternalKernels&) = delete;
  ~InternalKernels();

  [[nodiscard]] VkPipeline pipeline(Kernel kernel) const { return pipelines_[static_cast<size_t>(kernel)]; }
  // No sets; one range: {COMPUTE, 0, 8}.
  [[nodiscard]] VkPipelineLayout layout() const { return layout_; }

 private:
  [[nodiscard]] Expected<void> Create();
  [[nodiscard]] Expected<void> CreatePipeline(Kernel kernel);

  const Device& device_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::array<VkPipeline, kKernelCount> pipelines_ = {};
};

}  // namespace trellis
