// The internal kernels as pipelines of a device.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "layer/dispatch/vulkan.h"
#include "meta_shaders/kernels.h"
#include "spirv_lowering/support/expected.h"

namespace trellis {

struct Device;

// One per device, immutable once they are made, when the first graph is recorded. Ownership: dies with the device's
// attachments. Threading: any thread.
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
  // Makes them if nobody has; threads that come meanwhile wait. Nothing is left behind where it fails, and the next one
  // tries again.
  [[nodiscard]] Expected<void> MakeOnce();
  [[nodiscard]] Expected<void> Create();
  void Destroy();
  [[nodiscard]] Expected<void> CreatePipeline(Kernel kernel);

  const Device& device_;
  std::mutex mutex_;  // held while they are made
  bool made_ = false;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::array<VkPipeline, kKernelCount> pipelines_ = {};
};

}  // namespace trellis
