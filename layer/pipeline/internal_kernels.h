// SPDX-License-Identifier: Apache-2.0
// The internal kernels as pipelines of the driver. Internal to layer/pipeline.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "layer/dispatch/vulkan.h"
#include "layer/pipeline/creation_context.h"
#include "layer/pipeline/kernel_pipelines.h"
#include "meta_shaders/kernels.h"

namespace trellis {

class CreationFeedback;
struct CompileTimes;
struct Device;

// Compiles each kernel of a device once, when the first graph that may need it is created. Ownership: dies with the
// device's attachments. Threading: any thread.
class InternalKernels {
 public:
  [[nodiscard]] static std::shared_ptr<InternalKernels> Of(Device& device);

  explicit InternalKernels(const Device& device) : device_(device) {}
  InternalKernels(const InternalKernels&) = delete;
  InternalKernels& operator=(const InternalKernels&) = delete;
  ~InternalKernels();

  // Compiles those of `kernels` that do not exist yet, on context.DriverThreads() threads at most and with
  // context.cache, and fills `made`. The application's allocator is not used, because the kernels outlive the graph.
  // A kernel that another thread is compiling is waited for. With FAIL_ON_PIPELINE_COMPILE_REQUIRED in context.flags
  // nothing is waited for, and the result is VK_PIPELINE_COMPILE_REQUIRED unless the driver needs no compile.
  //
  // Adds what this call compiled to `feedback` and `times`. On failure `made` is unspecified; kernels that were
  // compiled stay for the next call.
  CreationResult Make(const CreationContext& context, std::span<const Kernel> kernels, CreationFeedback& feedback,
                      CompileTimes& times, KernelPipelines& made);

 private:
  class Claim;
  struct Request;   // what the kernels of one call have in common
  struct Compiled;  // the outcome for one kernel of one call

  CreationResult MakeLayout(VkPipelineLayout& layout);
  // In the order in which they are to be compiled.
  [[nodiscard]] std::vector<Kernel> MissingOf(std::span<const Kernel> kernels);
  CreationResult MakeKernel(const Request& request, Kernel kernel, Compiled& compiled);
  CreationResult Compile(const Request& request, Kernel kernel, Compiled& compiled, VkPipeline& pipeline) const;

  const Device& device_;
  std::mutex mutex_;  // guards what follows; not held while the driver is called
  std::condition_variable compiled_;
  std::array<bool, kKernelCount> is_being_compiled_ = {};
  KernelPipelines pipelines_;
};

}  // namespace trellis
