// SPDX-License-Identifier: Apache-2.0
// The table of dynamic states, from the registry: command, state, how its arguments are kept. Internal to the layer's
// .cpp files: the file with the rows is generated.
#pragma once

#include <array>
#include <cstdint>

#include "layer/dispatch/vulkan.h"
#include "layer/objects/kept_state.h"

namespace trellis {

// Numbers of rows.
struct DynamicStateRow {
  enum : uint32_t {
#define DYNAMIC_STATE(command, state, ...) command,
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
    kCount
  };
};

// By row.
inline constexpr std::array<VkDynamicState, DynamicStateRow::kCount> kStateOfRow = {
#define DYNAMIC_STATE(command, state, ...) state,
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
};

template <uint32_t kRow>
struct DynamicStateTraits;
#define DYNAMIC_STATE(command, state, Keeper, ...)                   \
  template <>                                                        \
  struct DynamicStateTraits<DynamicStateRow::command> {              \
    using Command = PFN_vk##command;                                 \
    using Kept = Keeper<PFN_vk##command __VA_OPT__(, ) __VA_ARGS__>; \
  };
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE

inline constexpr uint32_t kNoRow = UINT32_MAX;

// The other row of the same state, which the latest call of either sets as a whole.
constexpr uint32_t TwinOf(uint32_t row) {
  for (uint32_t other = 0; other < DynamicStateRow::kCount; ++other)
    if (other != row && kStateOfRow[other] == kStateOfRow[row]) return other;
  return kNoRow;
}

// The row that sets the first elements of what this one sets as a whole.
constexpr uint32_t ElementsOf(uint32_t row) {
  if (kStateOfRow[row] == VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT) return DynamicStateRow::CmdSetViewport;
  if (kStateOfRow[row] == VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT) return DynamicStateRow::CmdSetScissor;
  return kNoRow;
}

// Remembers a call of the row's command.
template <uint32_t kRow, typename First, typename... Rest>
void KeepDynamicState(DynamicStates& states, First first, Rest... rest) {
  if constexpr (TwinOf(kRow) != kNoRow) states.Forget(TwinOf(kRow));
  if constexpr (ElementsOf(kRow) != kNoRow)
    if (KeptState* elements = states.Find(ElementsOf(kRow))) elements->ForgetBelow(first);
  states.ForCall<typename DynamicStateTraits<kRow>::Kept>(kRow).Keep(first, rest...);
}

}  // namespace trellis
