// SPDX-License-Identifier: Apache-2.0
// Vulkan with the provisional extensions, for tests.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

namespace trellis::test {

// A zero-initialised structure of that type.
template <typename T>
T Struct(VkStructureType type, const void* next = nullptr) {
  T structure = {};
  structure.sType = type;
  structure.pNext = const_cast<void*>(next);
  return structure;
}

}  // namespace trellis::test
