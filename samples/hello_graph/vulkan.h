// Vulkan with the provisional extensions, and what the sample does when a call fails.
#pragma once

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>

namespace hello {

// A zero-initialised structure of that type.
template <typename T>
T Struct(VkStructureType type, void* next = nullptr) {
  T structure = {};
  structure.sType = type;
  structure.pNext = next;
  return structure;
}

[[noreturn]] inline void Fail(const char* what) {
  std::fprintf(stderr, "hello_graph: %s\n", what);
  std::exit(1);
}

inline void Check(VkResult result, const char* what) {
  if (result >= 0) return;
  std::fprintf(stderr, "hello_graph: %s failed with VkResult %d\n", what, static_cast<int>(result));
  std::exit(1);
}

}  // namespace hello
