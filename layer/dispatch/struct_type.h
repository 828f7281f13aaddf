// SPDX-License-Identifier: Apache-2.0
// Derives sType from a structure's type. The list comes from the registry: it has every structure that the Vulkan
// headers declare in this build, provisional ones included.
//
// A program that calls Vulkan's prototypes includes <vulkan/vulkan.h> first, with VK_ENABLE_BETA_EXTENSIONS: otherwise
// layer/dispatch/vulkan.h leaves the prototypes out.
#pragma once

#include "layer/dispatch/vulkan.h"

namespace trellis {

// The sType of T; VK_STRUCTURE_TYPE_MAX_ENUM if T has none.
template <typename T>
inline constexpr VkStructureType kStructureType = VK_STRUCTURE_TYPE_MAX_ENUM;

#define STRUCT(value, name) \
  template <>               \
  inline constexpr VkStructureType kStructureType<name> = value;
#include "layer/dispatch/struct_sizes.inc"
// The loader's own, which are not in the registry.
STRUCT(VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VkLayerInstanceCreateInfo)
STRUCT(VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VkLayerDeviceCreateInfo)
#undef STRUCT

template <typename T>
concept ChainableStruct = (kStructureType<T> != VK_STRUCTURE_TYPE_MAX_ENUM);

// Returns a T with its sType and `next` as pNext. The other members are zero.
template <ChainableStruct T>
[[nodiscard]] constexpr T MakeStruct(const void* next = nullptr) {
  T structure = {};
  structure.sType = kStructureType<T>;
  structure.pNext = const_cast<void*>(next);  // pNext of output structures is not const
  return structure;
}

}  // namespace trellis
