// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/bind_layout.h"

#include <algorithm>

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/objects/pipeline_layout.h"

namespace trellis {

// A pipeline layout made from a create info that came with a bind.
struct ChainedLayout {
  explicit ChainedLayout(const Device& owner) : device(owner) {}
  ~ChainedLayout() {
    if (handle) device.dispatch.DestroyPipelineLayout(device.handle, handle, nullptr);
  }
  ChainedLayout(const ChainedLayout&) = delete;
  ChainedLayout& operator=(const ChainedLayout&) = delete;

  // Set layouts are compared as objects: their handles may be used again for others.
  [[nodiscard]] bool WasMadeFrom(const VkPipelineLayoutCreateInfo& info, const SetLayouts& info_sets) const {
    return flags == info.flags && sets == info_sets &&
           std::equal(ranges.begin(), ranges.end(), info.pPushConstantRanges,
                      info.pPushConstantRanges + info.pushConstantRangeCount,
                      [](const VkPushConstantRange& a, const VkPushConstantRange& b) {
                        return a.stageFlags == b.stageFlags && a.offset == b.offset && a.size == b.size;
                      });
  }

  const Device& device;
  VkPipelineLayout handle = VK_NULL_HANDLE;
  VkPipelineLayoutCreateFlags flags = 0;
  SetLayouts sets;
  std::vector<VkPushConstantRange> ranges;
};

namespace {

BindLayout Describe(const std::shared_ptr<const ChainedLayout>& layout) {
  return {layout->handle, std::shared_ptr<const SetLayouts>(layout, &layout->sets)};
}

// The recording's layout for a create info; an application that binds in a loop gets the same one again.
BindLayout FindChainedLayout(CommandBuffer& command_buffer, const VkPipelineLayoutCreateInfo& info) {
  const Device& device = command_buffer.device;
  const SetLayouts sets = SetLayoutsOf(device, info);
  for (const auto& known : command_buffer.chained_layouts)
    if (known->WasMadeFrom(info, sets)) return Describe(known);
  auto made = std::make_shared<ChainedLayout>(device);
  const VkResult result = device.dispatch.CreatePipelineLayout(device.handle, &info, nullptr, &made->handle);
  if (result != VK_SUCCESS) {
    made->handle = VK_NULL_HANDLE;
    command_buffer.RememberError(result);
    return {};
  }
  made->flags = info.flags;
  made->sets = sets;
  made->ranges.assign(info.pPushConstantRanges, info.pPushConstantRanges + info.pushConstantRangeCount);
  command_buffer.chained_layouts.push_back(made);
  return Describe(made);
}

}  // namespace

BindLayout FindBindLayout(CommandBuffer& command_buffer, VkPipelineLayout layout, const void* chain) {
  if (!layout) {
    const auto* info = FindStruct<VkPipelineLayoutCreateInfo>(chain);
    return info ? FindChainedLayout(command_buffer, *info) : BindLayout{};
  }
  const std::shared_ptr<const PipelineLayout> known = command_buffer.device.pipeline_layouts.Find(layout);
  return {layout, known ? std::shared_ptr<const SetLayouts>(known, &known->sets) : nullptr};
}

}  // namespace trellis
