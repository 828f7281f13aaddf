// SPDX-License-Identifier: Apache-2.0
// Vulkan with the provisional extensions.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

namespace hello {

// A zero-initialised structure of that type.
template <typename T>
T Struct(VkStructureType type, void* next = nullptr) {
  T structure = {};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

}  // namespace hello
