// SPDX-License-Identifier: Apache-2.0
#include "layer/pipeline/internal_kernels.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "layer/diagnostics/label.h"
#include "layer/diagnostics/result_name.h"
#include "layer/dispatch/struct_type.h"
#include "layer/objects/scoped_shader_module.h"
#include "layer/pipeline/compile_nodes.h"
#include "layer/pipeline/creation_feedback.h"
#include "layer/pipeline/parallel_for.h"

namespace trellis {
namespace {

constexpr VkPipelineCreateFlags2 kFailOnCompile = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;

}  // namespace

struct InternalKernels::Request {
  const CreationContext& context;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  bool wants_feedback = false;
};

struct InternalKernels::Compiled {
  bool by_this_call = false;
  CreationResult result;
  VkPipelineCreationFeedback feedback = {};
  uint64_t nanoseconds = 0;
};

// The right to compile one kernel. Publishes `pipeline` at the end of its life, null after a failure.
class [[nodiscard]] InternalKernels::Claim {
 public:
  Claim(InternalKernels& kernels, Kernel kernel) : kernels_(kernels), index_(static_cast<size_t>(kernel)) {}
  ~Claim() {
    {
      const std::lock_guard lock(kernels_.mutex_);
      kernels_.is_being_compiled_[index_] = false;
      kernels_.pipelines_.by_kernel[index_] = pipeline;
    }
    kernels_.compiled_.notify_all();
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  VkPipeline pipeline = VK_NULL_HANDLE;

 private:
  InternalKernels& kernels_;
  const size_t index_;
};

std::shared_ptr<InternalKernels> InternalKernels::Of(Device& device) {
  return device.components.GetOrCreate<InternalKernels>(
      [&device] { return std::make_shared<InternalKernels>(device); });
}

InternalKernels::~InternalKernels() {
  for (const VkPipeline pipeline : pipelines_.by_kernel)
    if (pipeline) device_.dispatch.DestroyPipeline(device_.handle, pipeline, nullptr);
  if (pipelines_.layout) device_.dispatch.DestroyPipelineLayout(device_.handle, pipelines_.layout, nullptr);
}

CreationResult InternalKernels::Make(const CreationContext& context, std::span<const Kernel> kernels,
                                     CreationFeedback& feedback, CompileTimes& times, KernelPipelines& made) {
  if (kernels.empty()) return {};
  CreationContext own_context = context;
  own_context.allocator = nullptr;
  Request request = {own_context, VK_NULL_HANDLE, feedback.Wanted()};
  if (CreationResult result = MakeLayout(request.layout); !result.Succeeded()) return result;
  const std::vector<Kernel> missing = MissingOf(kernels);
  std::vector<Compiled> compiled(missing.size());
  ParallelFor(missing.size(), own_context.DriverThreads(), [&](size_t i) {
    compiled[i].result = MakeKernel(request, missing[i], compiled[i]);
    return compiled[i].result.Succeeded();
  });
  for (Compiled& kernel : compiled) {
    if (!kernel.result.Succeeded()) return std::move(kernel.result);
    if (!kernel.by_this_call) continue;
    feedback.AddKernel(kernel.feedback);
    times.driver_nanoseconds += kernel.nanoseconds;
    ++times.pipelines;
  }
  const std::lock_guard lock(mutex_);
  made.layout = request.layout;
  for (const Kernel kernel : kernels) made.by_kernel[static_cast<size_t>(kernel)] = pipelines_.of(kernel);
  return {};
}

std::vector<Kernel> InternalKernels::MissingOf(std::span<const Kernel> kernels) {
  const std::lock_guard lock(mutex_);
  std::vector<Kernel> missing;
  for (const Kernel kernel : kernels)
    if (!pipelines_.of(kernel)) missing.push_back(kernel);
  // The largest first, so that no thread begins one when the others have nothing left to do.
  std::stable_sort(missing.begin(), missing.end(),
                   [](Kernel a, Kernel b) { return KernelWords(a).size() > KernelWords(b).size(); });
  return missing;
}

CreationResult InternalKernels::MakeLayout(VkPipelineLayout& layout) {
  {
    const std::lock_guard lock(mutex_);
    layout = pipelines_.layout;
  }
  if (layout) return {};
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(VkDeviceAddress)};
  auto info = MakeStruct<VkPipelineLayoutCreateInfo>();
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout own = VK_NULL_HANDLE;
  const VkResult result = device_.dispatch.CreatePipelineLayout(device_.handle, &info, nullptr, &own);
  if (result != VK_SUCCESS)
    return {result, "the internal kernels: vkCreatePipelineLayout failed with " + ResultName(result)};
  {
    const std::lock_guard lock(mutex_);
    if (!pipelines_.layout) pipelines_.layout = std::exchange(own, VK_NULL_HANDLE);
    layout = pipelines_.layout;
  }
  // Another thread was faster.
  if (own) device_.dispatch.DestroyPipelineLayout(device_.handle, own, nullptr);
  return {};
}

CreationResult InternalKernels::MakeKernel(const Request& request, Kernel kernel, Compiled& compiled) {
  const auto index = static_cast<size_t>(kernel);
  {
    std::unique_lock lock(mutex_);
    if (is_being_compiled_[index] && (request.context.flags & kFailOnCompile))
      return {VK_PIPELINE_COMPILE_REQUIRED, {}};
    compiled_.wait(lock, [&] { return !is_being_compiled_[index]; });
    if (pipelines_.by_kernel[index]) return {};
    is_being_compiled_[index] = true;
  }
  Claim claim(*this, kernel);
  return Compile(request, kernel, compiled, claim.pipeline);
}

CreationResult InternalKernels::Compile(const Request& request, Kernel kernel, Compiled& compiled,
                                        VkPipeline& pipeline) const {
  const auto begin = std::chrono::steady_clock::now();
  const auto failure = [kernel](VkResult result, const char* command) {
    return CreationResult{result, std::string("the internal kernel '") + KernelName(kernel) + "': " + command +
                                      " failed with " + ResultName(result)};
  };
  ScopedShaderModule module(device_);
  if (const VkResult result = module.Create(KernelWords(kernel)); result != VK_SUCCESS)
    return failure(result, "vkCreateShaderModule");
  const DriverFeedback feedback(compiled.feedback);
  auto info = MakeStruct<VkComputePipelineCreateInfo>(request.wants_feedback ? &feedback.info : nullptr);
  info.flags = static_cast<VkPipelineCreateFlags>(request.context.flags & kFailOnCompile);
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.handle();
  info.stage.pName = "main";
  const VkBool32 validate = device_.settings.validate ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry = {0, 0, sizeof(validate)};  // kValidate in meta_shaders/shared/kernel.glsl
  const VkSpecializationInfo specialization = {1, &entry, sizeof(validate), &validate};
  info.stage.pSpecializationInfo = &specialization;
  info.layout = request.layout;
  const VkResult result =
      device_.dispatch.CreateComputePipelines(device_.handle, request.context.cache, 1, &info, nullptr, &pipeline);
  // Drivers may write something even if they fail.
  if (result != VK_SUCCESS) pipeline = VK_NULL_HANDLE;
  // The application asked for it: there is nothing to tell.
  if (result == VK_PIPELINE_COMPILE_REQUIRED) return {result, {}};
  if (result != VK_SUCCESS) return failure(result, "vkCreateComputePipelines");
  compiled.by_this_call = true;
  compiled.nanoseconds = NanosecondsSince(begin);
  NameObject(device_, VK_OBJECT_TYPE_PIPELINE, HandleToU64(pipeline), KernelName(kernel));
  return {};
}

}  // namespace trellis
