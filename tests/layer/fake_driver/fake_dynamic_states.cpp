// SPDX-License-Identifier: Apache-2.0
// The fake driver's commands that set dynamic state: those of the layer's table, from the registry. Their arguments are
// DriverCall::bytes, arrays and all.
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "layer/dispatch/command_aliases.h"
#include "layer/objects/kept_state.h"
#include "tests/layer/fake_driver/driver_function.h"
#include "tests/layer/fake_driver/fake_driver.h"

namespace trellis::test {

namespace {

class Written {
 public:
  explicit Written(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  template <typename T>
  void Add(const T& value) {
    const auto* first = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(value));
  }
  template <typename T>
  void AddArray(const T* elements, uint32_t count) {
    Add(elements != nullptr);
    for (uint32_t i = 0; elements && i < count; ++i) Add(elements[i]);
  }
  void Add(const VkSampleLocationsInfoEXT& info) {
    Add(info.sType);
    Add(info.sampleLocationsPerPixel);
    Add(info.sampleLocationGridSize);
    AddArray(info.pSampleLocations, info.sampleLocationsCount);
  }
  void Add(const VkShadingRatePaletteNV& palette) {
    AddArray(palette.pShadingRatePaletteEntries, palette.shadingRatePaletteEntryCount);
  }
  void Add(const VkCoarseSampleOrderCustomNV& order) {
    Add(order.shadingRate);
    Add(order.sampleCount);
    AddArray(order.pSampleLocations, order.sampleLocationCount);
  }
  void Add(const VkDepthBiasInfoEXT& info) {
    Add(info.sType);
    Add(info.depthBiasConstantFactor);
    Add(info.depthBiasClamp);
    Add(info.depthBiasSlopeFactor);
    const auto* chained = static_cast<const VkDepthBiasRepresentationInfoEXT*>(info.pNext);
    Add(chained != nullptr);
    if (!chained) return;
    Add(chained->depthBiasRepresentation);
    Add(chained->depthBiasExact);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

template <typename Name, typename Command, uint32_t... kLengths>
struct Fake;

template <typename Name, typename... Arguments, uint32_t... kLengths>
struct Fake<Name, void(VKAPI_PTR*)(VkCommandBuffer, Arguments...), kLengths...> {
  static VKAPI_ATTR void VKAPI_CALL Call(VkCommandBuffer command_buffer, Arguments... arguments) {
    DriverCall& call = DriverOf(command_buffer).Record(Name::kText);
    call.command_buffer = command_buffer;
    AddAll(std::make_index_sequence<sizeof...(Arguments)>(), Written(call.bytes), std::tuple(arguments...));
  }

 private:
  template <size_t... kIndices>
  static void AddAll(std::index_sequence<kIndices...>, Written written, const std::tuple<Arguments...>& arguments) {
    (AddOne<kIndices>(written, arguments), ...);
  }

  template <size_t kIndex>
  static void AddOne(Written& written, const std::tuple<Arguments...>& arguments) {
    if constexpr (!std::is_pointer_v<std::tuple_element_t<kIndex, std::tuple<Arguments...>>>) {
      written.Add(std::get<kIndex>(arguments));
    } else {
      constexpr uint32_t kAll[] = {kLengths..., 0};  // none: as the argument before says
      constexpr uint32_t kLength = sizeof...(kLengths) == 0 ? kCounted : kAll[kIndex % (sizeof...(kLengths) + 1)];
      uint32_t count = kLength;
      if constexpr (kLength == kCounted) count = std::get<kIndex - 1>(arguments);
      if constexpr (kLength == kMaskWords) count = (std::get<kIndex - 1>(arguments) + 31) / 32;
      written.AddArray(std::get<kIndex>(arguments), count);
    }
  }
};

#define DYNAMIC_STATE(command, state, Keeper, ...) \
  struct NameOf##command {                         \
    static constexpr char kText[] = #command;      \
  };
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE

}  // namespace

PFN_vkVoidFunction FakeDynamicStateFunction(const char* name) {
#define DYNAMIC_STATE(command, state, Keeper, ...) \
  using Fake##command = Fake<NameOf##command, PFN_vk##command __VA_OPT__(, ) __VA_ARGS__>;
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
  static const FunctionTable table = {
#define DYNAMIC_STATE(command, ...) {"vk" #command, DriverFunction<PFN_vk##command, &Fake##command::Call>()},
#include "layer/dispatch/dynamic_states.inc"
#undef DYNAMIC_STATE
  };
  const CommandAlias* alias = FindAlias(name);
  return FindFunction(table, alias ? alias->command.data() : name);
}

}  // namespace trellis::test
