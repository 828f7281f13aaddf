#include "layer/objects/pipeline_layout.h"

#include <algorithm>

#include "layer/objects/device.h"

namespace trellis {

namespace {

constexpr uint32_t kAddressBytes = 8;

}  // namespace

NodePushConstants PlanNodePushConstants(uint32_t range_count, const VkPushConstantRange* ranges,
                                        uint32_t max_push_constants_size) {
  NodePushConstants plan;
  for (uint32_t i = 0; i < range_count; ++i)
    if (ranges[i].stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
      plan.push_constant_end = std::max(plan.push_constant_end, ranges[i].offset + ranges[i].size);
  plan.application_size = (plan.push_constant_end + kAddressBytes - 1) / kAddressBytes * kAddressBytes;
  plan.launch_offset = plan.application_size;
  plan.node_push_constant_size = plan.launch_offset + kAddressBytes;
  if (plan.node_push_constant_size <= max_push_constants_size) return plan;
  plan.launch_offset = 0;
  plan.copy_offset = kAddressBytes;
  plan.node_push_constant_size = 2 * kAddressBytes;
  return plan;
}

PipelineLayout::~PipelineLayout() {
  if (node_layout) device.dispatch.DestroyPipelineLayout(device.handle, node_layout, nullptr);
}

SetLayouts SetLayoutsOf(const Device& device, const VkPipelineLayoutCreateInfo& info) {
  SetLayouts sets;
  for (uint32_t i = 0; i < info.setLayoutCount; ++i)
    sets.push_back(device.descriptor_set_layouts.Find(info.pSetLayouts[i]));
  return sets;
}

VkResult MakePipelineLayout(const Device& device, const VkPipelineLayoutCreateInfo& info, VkPipelineLayout handle,
                            std::shared_ptr<PipelineLayout>& layout) {
  auto made = std::make_shared<PipelineLayout>(device);
  made->handle = handle;
  static_cast<NodePushConstants&>(*made) = PlanNodePushConstants(info.pushConstantRangeCount, info.pPushConstantRanges,
                                                                 device.traits.limits.maxPushConstantsSize);
  made->sets = SetLayoutsOf(device, info);

  const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, made->node_push_constant_size};
  VkPipelineLayoutCreateInfo node_info = info;
  node_info.pushConstantRangeCount = 1;
  node_info.pPushConstantRanges = &range;
  const VkResult result = device.dispatch.CreatePipelineLayout(device.handle, &node_info, nullptr, &made->node_layout);
  if (result != VK_SUCCESS) return result;
  layout = std::move(made);
  return VK_SUCCESS;
}

}  // namespace trellis
