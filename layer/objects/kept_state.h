// SPDX-License-Identifier: Apache-2.0
// How the arguments of the commands that set dynamic state are kept. Included by dynamic_state_table.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "layer/dispatch/struct_chain.h"
#include "layer/objects/dynamic_states.h"

namespace trellis {

// Lengths of arguments. Others are those of arrays, or of pointers to one object, which may be null.
inline constexpr uint32_t kValue = 0;
inline constexpr uint32_t kCounted = UINT32_MAX;        // as the argument before says
inline constexpr uint32_t kMaskWords = UINT32_MAX - 1;  // the argument before counts bits

// An element with all that it points to.
template <typename T>
class Owned {
 public:
  explicit Owned(const T& value) : value_(value) {}
  [[nodiscard]] T View() const { return value_; }

 private:
  static_assert(std::is_trivially_copyable_v<T>);
  T value_;
};

// One with an array.
template <typename T, auto kCount, auto kArray>
class OwnedArray {
 public:
  explicit OwnedArray(const T& value) : value_(value) {
    if (value.*kArray) elements_.assign(value.*kArray, value.*kArray + value.*kCount);
  }
  [[nodiscard]] T View() const {
    T view = value_;
    view.*kArray = elements_.data();
    if constexpr (requires { view.pNext; }) view.pNext = nullptr;
    return view;
  }

 private:
  T value_;
  std::vector<std::remove_cvref_t<decltype(*(std::declval<T>().*kArray))>> elements_;
};

template <>
class Owned<VkSampleLocationsInfoEXT>
    : public OwnedArray<VkSampleLocationsInfoEXT, &VkSampleLocationsInfoEXT::sampleLocationsCount,
                        &VkSampleLocationsInfoEXT::pSampleLocations> {
  using OwnedArray::OwnedArray;
};
template <>
class Owned<VkShadingRatePaletteNV>
    : public OwnedArray<VkShadingRatePaletteNV, &VkShadingRatePaletteNV::shadingRatePaletteEntryCount,
                        &VkShadingRatePaletteNV::pShadingRatePaletteEntries> {
  using OwnedArray::OwnedArray;
};
template <>
class Owned<VkCoarseSampleOrderCustomNV>
    : public OwnedArray<VkCoarseSampleOrderCustomNV, &VkCoarseSampleOrderCustomNV::sampleLocationCount,
                        &VkCoarseSampleOrderCustomNV::pSampleLocations> {
  using OwnedArray::OwnedArray;
};

template <>
class Owned<VkDepthBiasInfoEXT> {
 public:
  explicit Owned(const VkDepthBiasInfoEXT& value) : value_(value) {
    const auto* found = FindStruct<VkDepthBiasRepresentationInfoEXT>(value.pNext);
    if (!found) return;
    representation_ = *found;
    representation_->pNext = nullptr;
  }
  [[nodiscard]] VkDepthBiasInfoEXT View() const {
    VkDepthBiasInfoEXT view = value_;
    view.pNext = representation_ ? &*representation_ : nullptr;
    return view;
  }

 private:
  VkDepthBiasInfoEXT value_;
  std::optional<VkDepthBiasRepresentationInfoEXT> representation_;
};

template <typename T>
class KeptArgument {
 public:
  void Keep(T given, uint32_t /*length*/) { given_ = given; }
  [[nodiscard]] T View() const { return given_; }

 private:
  T given_ = {};
};

template <typename T>
class KeptArgument<const T*> {
 public:
  // Views of the elements, which convert to the argument.
  class ElementViews {
   public:
    ElementViews(const std::vector<Owned<T>>& elements, bool is_null) : is_null_(is_null) {
      for (const Owned<T>& element : elements) views_.push_back(element.View());
    }
    operator const T*() const { return is_null_ ? nullptr : views_.data(); }  // NOLINT: implicit

   private:
    bool is_null_;
    std::vector<T> views_;
  };

  void Keep(const T* given, uint32_t length) {
    is_null_ = !given;
    elements_ = given ? std::vector<Owned<T>>(given, given + length) : std::vector<Owned<T>>();
  }
  [[nodiscard]] ElementViews View() const { return ElementViews(elements_, is_null_); }

 private:
  bool is_null_ = true;
  std::vector<Owned<T>> elements_;
};

// By value, arrays included. `kLengths`: of each argument.
template <typename Command, uint32_t... kLengths>
class KeptArguments;

template <typename... Arguments, uint32_t... kLengths>
class KeptArguments<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...), kLengths...> final : public KeptState {
 public:
  void Keep(Arguments... arguments) {
    KeepAll(std::make_index_sequence<sizeof...(Arguments)>(), std::tuple<Arguments...>(arguments...));
  }

  void Say(PFN_vkVoidFunction command, VkCommandBuffer command_buffer) const override {
    const auto function = reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer, Arguments...)>(command);
    std::apply([&](const auto&... kept) { function(command_buffer, kept.View()...); }, kept_);
  }

 private:
  template <size_t... kIndices>
  void KeepAll(std::index_sequence<kIndices...>, const std::tuple<Arguments...>& arguments) {
    (std::get<kIndices>(kept_).Keep(std::get<kIndices>(arguments), Length<kIndices, kLengths>(arguments)), ...);
  }

  template <size_t kIndex, uint32_t kLength>
  static uint32_t Length(const std::tuple<Arguments...>& arguments) {
    if constexpr (kLength == kCounted)
      return static_cast<uint32_t>(std::get<kIndex - 1>(arguments));
    else if constexpr (kLength == kMaskWords)
      return (static_cast<uint32_t>(std::get<kIndex - 1>(arguments)) + 31) / 32;
    else
      return kLength;
  }

  std::tuple<KeptArgument<Arguments>...> kept_;
};

// By face of stencil tests.
template <typename Command>
class KeptFaces;

template <typename... Arguments>
class KeptFaces<void(VKAPI_PTR*)(VkCommandBuffer, VkStencilFaceFlags, Arguments...)> final : public KeptState {
 public:
  void Keep(VkStencilFaceFlags faces, Arguments... arguments) {
    if (faces & VK_STENCIL_FACE_FRONT_BIT) front_.emplace(arguments...);
    if (faces & VK_STENCIL_FACE_BACK_BIT) back_.emplace(arguments...);
  }

  void Say(PFN_vkVoidFunction command, VkCommandBuffer command_buffer) const override {
    const auto say = [&](VkStencilFaceFlags faces, const std::optional<std::tuple<Arguments...>>& kept) {
      const auto function =
          reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer, VkStencilFaceFlags, Arguments...)>(command);
      if (kept) std::apply([&](auto... arguments) { function(command_buffer, faces, arguments...); }, *kept);
    };
    if (front_ == back_) return say(VK_STENCIL_FACE_FRONT_AND_BACK, front_);
    say(VK_STENCIL_FACE_FRONT_BIT, front_);
    say(VK_STENCIL_FACE_BACK_BIT, back_);
  }

 private:
  std::optional<std::tuple<Arguments...>> front_;
  std::optional<std::tuple<Arguments...>> back_;
};

// By index.
template <typename Command>
class KeptRange;

template <typename T>
class KeptRange<void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, uint32_t, const T*)> final : public KeptState {
 public:
  void Keep(uint32_t first, uint32_t count, const T* elements) {
    if (first + count > elements_.size()) elements_.resize(first + count);
    for (uint32_t i = 0; i < count; ++i) elements_[first + i].emplace(elements[i]);
  }

  // One call for each run of neighbours.
  void Say(PFN_vkVoidFunction command, VkCommandBuffer command_buffer) const override {
    const auto function = reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer, uint32_t, uint32_t, const T*)>(command);
    std::vector<T> run;
    for (uint32_t i = 0; i <= elements_.size(); ++i) {
      if (i < elements_.size() && elements_[i]) {
        run.push_back(elements_[i]->View());
      } else if (!run.empty()) {
        const auto count = static_cast<uint32_t>(run.size());
        function(command_buffer, i - count, count, run.data());
        run.clear();
      }
    }
  }

  void ForgetBelow(uint32_t index) override {
    for (uint32_t i = 0; i < index && i < elements_.size(); ++i) elements_[i].reset();
  }

 private:
  std::vector<std::optional<Owned<T>>> elements_;
};

}  // namespace trellis
