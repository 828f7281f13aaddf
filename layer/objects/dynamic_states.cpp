// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/dynamic_states.h"

#include <algorithm>

#include "layer/dispatch/command_aliases.h"
#include "layer/objects/command_buffer.h"
#include "layer/objects/device.h"
#include "layer/objects/dynamic_state_table.h"

namespace trellis {
namespace {

// States that overlap have one group.
VkDynamicState GroupOf(uint32_t row) {
  const uint32_t elements = ElementsOf(row);
  return kStateOfRow[elements == kNoRow ? row : elements];
}

}  // namespace

std::vector<uint32_t> DynamicStates::InOrder() const {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < entries_.size(); ++row)
    if (entries_[row].kept) rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [this](uint32_t a, uint32_t b) { return entries_[a].call < entries_[b].call; });
  return rows;
}

std::vector<PFN_vkVoidFunction> LoadDynamicStateCommands(VkDevice device, PFN_vkGetDeviceProcAddr next,
                                                         std::span<const char* const> extensions) {
  const auto ask = [device, next](const char* name) { return next(device, name); };
  return {
#define DYNAMIC_STATE(command, ...) LoadByAnyName("vk" #command, extensions, ask),
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
  };
}

void SetDynamicStatesAgain(const CommandBuffer& command_buffer, DynamicStatePart part,
                           const std::function<bool(VkDynamicState)>& is_wanted) {
  const DynamicStates& states = command_buffer.dynamic_states;
  std::vector<VkDynamicState> set_again;
  for (const uint32_t row : states.InOrder()) {
    const bool is_behind = states.FollowsPipeline(row);
    if (part != DynamicStatePart::kAll && is_behind != (part == DynamicStatePart::kBehindPipeline)) continue;
    const VkDynamicState group = GroupOf(row);
    const bool overlaps = std::find(set_again.begin(), set_again.end(), group) != set_again.end();
    if (!overlaps && !is_wanted(kStateOfRow[row])) continue;
    states.Find(row)->Say(command_buffer.device.dynamic_state_commands[row], command_buffer.handle);
    if (!overlaps) set_again.push_back(group);
  }
}

}  // namespace trellis
