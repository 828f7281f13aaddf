// SPDX-License-Identifier: Apache-2.0
// The rows of the table of dynamic states, with sample calls of their commands.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "layer/dispatch/command_aliases.h"
#include "layer/objects/kept_state.h"

namespace trellis::test {

// Elements of an argument, different for each seed. The next call overwrites them.
template <typename T>
const T* SampleArray(uint32_t seed) {
  static T elements[4];
  for (uint32_t i = 0; i < 4; ++i) std::memset(static_cast<void*>(&elements[i]), static_cast<int>(seed + i), sizeof(T));
  if constexpr (std::is_same_v<T, VkSampleLocationsInfoEXT>)
    elements[0] = {VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT, nullptr, VK_SAMPLE_COUNT_2_BIT, {1, seed}, 2,
                   SampleArray<VkSampleLocationEXT>(seed + 1)};
  if constexpr (std::is_same_v<T, VkShadingRatePaletteNV>)
    for (T& palette : elements) palette = {3, SampleArray<VkShadingRatePaletteEntryNV>(seed + 1)};
  if constexpr (std::is_same_v<T, VkCoarseSampleOrderCustomNV>)
    for (T& order : elements)
      order = {VkShadingRatePaletteEntryNV(seed), 2, 2, SampleArray<VkCoarseSampleLocationNV>(seed + 1)};
  if constexpr (std::is_same_v<T, VkDepthBiasInfoEXT>) {
    static VkDepthBiasRepresentationInfoEXT chained = {};
    chained = {VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT, nullptr, VkDepthBiasRepresentationEXT(seed), 1};
    elements[0] = {VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &chained, float(seed), 2, 3};
  }
  return elements;
}

// Calls a command with arguments that depend on a seed.
template <typename Command, uint32_t... kLengths>
struct SampleCall;

template <typename... Arguments, uint32_t... kLengths>
struct SampleCall<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...), kLengths...> {
  static void Make(PFN_vkVoidFunction command, VkCommandBuffer command_buffer, uint32_t seed) {
    Make(std::make_index_sequence<sizeof...(Arguments)>(), command, command_buffer, seed);
  }

 private:
  template <size_t... kIndices>
  static void Make(std::index_sequence<kIndices...>, PFN_vkVoidFunction command, VkCommandBuffer command_buffer,
                   uint32_t seed) {
    reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)>(command)(
        command_buffer, Sample<kIndices, Arguments>(seed + kIndices)...);
    // The arguments are the application's only while the command runs.
    static_cast<void>(std::tuple(Sample<kIndices, Arguments>(seed + 50)...));
  }

  template <size_t kIndex, typename T>
  static T Sample(uint32_t seed) {
    constexpr uint32_t kAll[] = {kLengths..., 0, 0};
    if constexpr (std::is_pointer_v<T>)
      return SampleArray<std::remove_const_t<std::remove_pointer_t<T>>>(seed);
    else if constexpr (sizeof...(kLengths) == 0)
      return T(3);  // both faces, three elements from the third, any value
    else if constexpr (kAll[kIndex + 1] == kCounted)
      return T(2);
    else if constexpr (kAll[kIndex + 1] == kMaskWords)
      return T(64);
    else
      return T(seed);
  }
};

struct Row {
  std::string name;  // with "vk"
  VkDynamicState state;
  void (*call)(PFN_vkVoidFunction command, VkCommandBuffer command_buffer, uint32_t seed);
};

inline const std::vector<Row> kRows = {
#define DYNAMIC_STATE(command, state, Keeper, ...) \
  {"vk" #command, state, &SampleCall<PFN_vk##command __VA_OPT__(, ) __VA_ARGS__>::Make},
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
};

// Null if there is none.
inline const Row* FindRow(std::string_view command) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.name == command; });
  return found == kRows.end() ? nullptr : &*found;
}
inline const Row& RowOf(std::string_view command) { return *FindRow(command); }

inline const std::vector<CommandAlias> kAliases = [] {
  std::vector<CommandAlias> aliases;
  std::ranges::copy_if(CommandAliases(), std::back_inserter(aliases),
                       [](const CommandAlias& alias) { return FindRow(alias.command) != nullptr; });
  return aliases;
}();

}  // namespace trellis::test
