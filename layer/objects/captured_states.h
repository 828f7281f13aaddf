// SPDX-License-Identifier: Apache-2.0
// The dynamic states that a graph dispatch captures of the command buffer: those that mesh nodes may have
// (specification, execution graphs, Mesh Nodes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "layer/dispatch/vulkan.h"

namespace trellis {

inline constexpr VkDynamicState kCapturedStates[] = {VK_DYNAMIC_STATE_VIEWPORT,
                                                     VK_DYNAMIC_STATE_SCISSOR,
                                                     VK_DYNAMIC_STATE_LINE_WIDTH,
                                                     VK_DYNAMIC_STATE_DEPTH_BIAS,
                                                     VK_DYNAMIC_STATE_BLEND_CONSTANTS,
                                                     VK_DYNAMIC_STATE_DEPTH_BOUNDS,
                                                     VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                                                     VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                                                     VK_DYNAMIC_STATE_SAMPLE_LOCATIONS_EXT,
                                                     VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR};

// A set of them.
class CapturedStates {
 public:
  CapturedStates() = default;

  [[nodiscard]] static constexpr bool IsCaptured(VkDynamicState state) { return Bit(state) != 0; }
  [[nodiscard]] static CapturedStates All() { return CapturedStates((1u << std::size(kCapturedStates)) - 1); }
  // The dynamic states of a pipeline. Where the number of viewports is dynamic, so are the viewports; scissors
  // likewise.
  [[nodiscard]] static CapturedStates Of(const VkPipelineDynamicStateCreateInfo* info) {
    CapturedStates states;
    for (uint32_t i = 0; info && i < info->dynamicStateCount; ++i) states.bits_ |= Bit(info->pDynamicStates[i]);
    if (states.Has(VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT)) states.bits_ |= Bit(VK_DYNAMIC_STATE_VIEWPORT);
    if (states.Has(VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT)) states.bits_ |= Bit(VK_DYNAMIC_STATE_SCISSOR);
    return states;
  }

  [[nodiscard]] bool Has(VkDynamicState state) const { return (bits_ & Bit(state)) != 0; }
  [[nodiscard]] bool IsEmpty() const { return bits_ == 0; }
  [[nodiscard]] bool operator==(const CapturedStates& other) const = default;
  [[nodiscard]] CapturedStates operator|(CapturedStates other) const { return CapturedStates(bits_ | other.bits_); }
  [[nodiscard]] CapturedStates operator&(CapturedStates other) const { return CapturedStates(bits_ & other.bits_); }
  // Without those of the other set.
  [[nodiscard]] CapturedStates operator-(CapturedStates other) const { return CapturedStates(bits_ & ~other.bits_); }

 private:
  explicit CapturedStates(uint32_t bits) : bits_(bits) {}

  static constexpr uint32_t Bit(VkDynamicState state) {
    for (size_t i = 0; i < std::size(kCapturedStates); ++i)
      if (kCapturedStates[i] == state) return 1u << i;
    return 0;
  }

  uint32_t bits_ = 0;
};

}  // namespace trellis
