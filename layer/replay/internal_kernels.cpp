#include "layer/replay/internal_kernels.h"

#include <string>
#include <utility>

#include "layer/diagnostics/label.h"
#include "layer/objects/device.h"
#include "layer/objects/scoped_shader_module.h"

namespace trellis {

InternalKernels::~InternalKernels() { Destroy(); }

void InternalKernels::Destroy() {
  for (VkPipeline& pipeline : pipelines_)
    if (pipeline) device_.dispatch.DestroyPipeline(device_.handle, std::exchange(pipeline, VK_NULL_HANDLE), nullptr);
  if (layout_) device_.dispatch.DestroyPipelineLayout(device_.handle, std::exchange(layout_, VK_NULL_HANDLE), nullptr);
}

Expected<void> InternalKernels::Create() {
  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(VkDeviceAddress)};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  if (device_.dispatch.CreatePipelineLayout(device_.handle, &info, nullptr, &layout_) != VK_SUCCESS) {
    layout_ = VK_NULL_HANDLE;
    return Error{"the pipeline layout of the internal kernels could not be made"};
  }
  for (uint32_t kernel = 0; kernel < kKernelCount; ++kernel)
    if (Expected<void> made = CreatePipeline(static_cast<Kernel>(kernel)); !made) return made;
  return {};
}

Expected<void> InternalKernels::CreatePipeline(Kernel kernel) {
  ScopedShaderModule module(device_);
  const VkResult module_result = module.Create(KernelWords(kernel));
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.handle();
  info.stage.pName = "main";
  const VkBool32 validate = device_.settings.validate ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry = {0, 0, sizeof(validate)};  // kValidate in meta_shaders/shared/kernel.glsl
  const VkSpecializationInfo specialization = {1, &entry, sizeof(validate), &validate};
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout_;
  VkPipeline& pipeline = pipelines_[static_cast<size_t>(kernel)];
  if (module_result != VK_SUCCESS || device_.dispatch.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info,
                                                                             nullptr, &pipeline) != VK_SUCCESS) {
    pipeline = VK_NULL_HANDLE;
    return Error{std::string("the driver could not compile the internal kernel '") + KernelName(kernel) + "'"};
  }
  NameObject(device_, VK_OBJECT_TYPE_PIPELINE, HandleToU64(pipeline), KernelName(kernel));
  return {};
}

Expected<void> InternalKernels::MakeOnce() {
  std::lock_guard lock(mutex_);
  if (made_) return {};
  Destroy();  // what an attempt left that failed, or that an exception ended
  Expected<void> created = Create();
  made_ = static_cast<bool>(created);
  return created;
}

Expected<std::shared_ptr<const InternalKernels>> InternalKernels::Of(Device& device) {
  // The attachments' lock must not be held while calling down.
  const auto kernels =
      device.attachments.GetOrCreate<InternalKernels>([&device] { return std::make_shared<InternalKernels>(device); });
  if (Expected<void> made = kernels->MakeOnce(); !made) return made.error();
  return std::shared_ptr<const InternalKernels>(kernels);
}

}  // namespace trellis
