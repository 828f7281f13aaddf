// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pipeline_layout.h"

#include <algorithm>

#include "layer/objects/device.h"

namespace trellis {

namespace {

constexpr uint32_t kAddressBytes = 8;

VkResult MakeOwnLayout(const Device& device, const VkPipelineLayoutCreateInfo& info, VkShaderStageFlags stages,
                       uint32_t push_constant_size, VkPipelineLayout& layout) {
  const VkPushConstantRange range = {stages, 0, push_constant_size};
  VkPipelineLayoutCreateInfo own = info;
  own.pushConstantRangeCount = 1;
  own.pPushConstantRanges = &range;
  return device.dispatch.CreatePipelineLayout(device.handle, &own, nullptr, &layout);
}

}  // namespace

NodePushConstants PlanNodePushConstants(uint32_t range_count, const VkPushConstantRange* ranges,
                                        VkShaderStageFlags stages, uint32_t max_push_constants_size) {
  NodePushConstants plan;
  for (uint32_t i = 0; i < range_count; ++i)
    if (ranges[i].stageFlags & stages)
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
  for (const VkPipelineLayout own : {node_layout, draw_layout})
    if (own) device.dispatch.DestroyPipelineLayout(device.handle, own, nullptr);
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
  made->sets = SetLayoutsOf(device, info);
  const auto plan = [&](VkShaderStageFlags stages) {
    return PlanNodePushConstants(info.pushConstantRangeCount, info.pPushConstantRanges, stages,
                                 device.traits.limits.maxPushConstantsSize);
  };
  static_cast<NodePushConstants&>(*made) = plan(VK_SHADER_STAGE_COMPUTE_BIT);
  VkResult result =
      MakeOwnLayout(device, info, VK_SHADER_STAGE_COMPUTE_BIT, made->node_push_constant_size, made->node_layout);
  if (result != VK_SUCCESS) return result;
  if (device.shader_mesh_enqueue_enabled) {
    made->draw = plan(kDrawStages);
    if (!made->draw.copy_offset)
      result = MakeOwnLayout(device, info, kDrawStages, made->draw.node_push_constant_size, made->draw_layout);
    if (result != VK_SUCCESS) return result;
  }
  layout = std::move(made);
  return VK_SUCCESS;
}

}  // namespace trellis
