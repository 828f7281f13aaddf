// SPDX-License-Identifier: Apache-2.0
// Instead of what a driver may lose, attachments hold these values: those of DONT_CARE loads at the begin of a render
// pass instance, those of DONT_CARE stores after its end. CPU drivers lose nothing by themselves.
#pragma once

#include <vector>

#include "layer/dispatch/arena.h"
#include "layer/dispatch/vulkan.h"

namespace trellis::test {

// A colour that floating-point and integer formats can have; the nearest depth, so that nothing passes a test for less.
[[nodiscard]] VkClearValue PoisonColor();
inline constexpr VkClearDepthStencilValue kPoisonDepth = {0.0f, 0xFF};

// The instance with clears instead of DONT_CARE loads.
[[nodiscard]] const VkRenderingInfo* PoisonLoads(const VkRenderingInfo& info, Arena& arena);
// An instance that clears what is not stored; null if there is nothing. Owes nothing to `info`.
[[nodiscard]] const VkRenderingInfo* PoisonStores(const VkRenderingInfo& info, Arena& arena);

// The same for render passes with one subpass. `loads` has clears instead of DONT_CARE loads; `stores` clears what is
// not stored and keeps the rest. Both are compatible with the render pass.
struct PoisonedAttachment {
  bool is_color = true;
  bool loads = false, stencil_loads = false;  // clears of ours: their values are poison
  bool stores = false;                        // an aspect is cleared after the end
};
template <typename CreateInfo>
[[nodiscard]] std::vector<PoisonedAttachment> FindPoisoned(const CreateInfo& info);
template <typename CreateInfo>
[[nodiscard]] CreateInfo PoisonLoads(const CreateInfo& info, Arena& arena);
template <typename CreateInfo>
[[nodiscard]] CreateInfo PoisonStores(const CreateInfo& info, Arena& arena);

}  // namespace trellis::test
