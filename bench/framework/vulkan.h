// SPDX-License-Identifier: Apache-2.0
// Vulkan with the provisional extensions, and what the program does when a call fails: it says so and ends.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>

namespace trellis::bench {

// A zero-initialised structure of that type.
template <typename T>
T Struct(VkStructureType type, void* next = nullptr) {
  T structure = {};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

[[noreturn]] void Fail(const std::string& what);
void Check(VkResult result, const char* what);

}  // namespace trellis::bench
