#include "layer/objects/pipeline_layout.h"

#include <algorithm>

#include "layer/objects/bound_state.h"
#include "layer/objects/device.h"

namespace trellis {

NodePushConstants PlanNodePushConstants(uint32_t range_count, const VkPushConstantRange* ranges,
                                        uint32_t max_push_constants_size) {
  NodePushConstants plan;
  for (uint32_t i = 0; i < range_count; ++i)
    if (ranges[i].stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
      plan.push_constant_end = std::max(plan.push_constant_end, ranges[i].offset + ranges[i].size);
  plan.launch_offset = (plan.push_constant_end + 7) & ~7u;
  plan.node_push_constant_size = plan.launch_offset + kLaunchPushConstantBytes;
  // Some devices have kilobytes of push constants; what the application pushed is kept for the first ones only.
  const uint32_t most = std::min(max_push_constants_size, PushConstantState::kShadowBytes + kLaunchPushConstantBytes);
  plan.push_constants_full = plan.node_push_constant_size > most;
  if (plan.push_constants_full) plan.node_push_constant_size = max_push_constants_size;
  return plan;
}

PipelineLayout::~PipelineLayout() {
  if (node_layout) device.dispatch.DestroyPipelineLayout(device.handle, node_layout, nullptr);
}

VkResult MakePipelineLayout(const Device& device, const VkPipelineLayoutCreateInfo& info, VkPipelineLayout handle,
                            std::shared_ptr<PipelineLayout>& layout) {
  auto made = std::make_shared<PipelineLayout>(device);
  made->handle = handle;
  static_cast<NodePushConstants&>(*made) = PlanNodePushConstants(info.pushConstantRangeCount, info.pPushConstantRanges,
                                                                 device.traits.limits.maxPushConstantsSize);
  for (uint32_t i = 0; i < info.setLayoutCount; ++i) {
    const auto set_layout = device.descriptor_set_layouts.Find(info.pSetLayouts[i]);
    made->dynamic_offset_counts.push_back(set_layout ? set_layout->dynamic_offset_count : 0);
  }

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
