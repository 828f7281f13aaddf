// SPDX-License-Identifier: Apache-2.0
#include "samples/hello_graph/failure.h"

#include <cstdio>
#include <cstdlib>

namespace hello {

std::string ResultName(VkResult result) {
  switch (result) {
#define HELLO_NAME(name) \
  case name:             \
    return #name;
    HELLO_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    HELLO_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    HELLO_NAME(VK_ERROR_INITIALIZATION_FAILED)
    HELLO_NAME(VK_ERROR_DEVICE_LOST)
    HELLO_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    HELLO_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    HELLO_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    HELLO_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    HELLO_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    HELLO_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    HELLO_NAME(VK_ERROR_FRAGMENTED_POOL)
    HELLO_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    HELLO_NAME(VK_ERROR_FRAGMENTATION)
    HELLO_NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    HELLO_NAME(VK_ERROR_VALIDATION_FAILED_EXT)
    HELLO_NAME(VK_ERROR_UNKNOWN)
    HELLO_NAME(VK_ERROR_SURFACE_LOST_KHR)
    HELLO_NAME(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR)
#undef HELLO_NAME
    default:
      return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

std::string HowToGetADriver() {
  std::string hint =
      "install a Vulkan driver (the package mesa-vulkan-drivers has lavapipe, which needs no GPU), or name the "
      "manifest "
      "of one in VK_DRIVER_FILES";
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) hint += std::string("; ") + name + " is '" + value + "'";
  }
  return hint;
}

std::string HintFor(VkResult result) {
  switch (result) {
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "the Vulkan loader found no driver: " + HowToGetADriver();
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_LOADER_DEBUG=layer shows which layers the Vulkan loader found";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INITIALIZATION_FAILED:
      return "TRELLIS_LOG_LEVEL=info and VK_LOADER_DEBUG=all say more";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "TRELLIS_RING_BUDGET=64 limits the memory for payloads to 64 MiB";
    case VK_ERROR_DEVICE_LOST:
      return "the GPU stopped: the kernel's log may say why, and --validate what led to it";
    default:
      return {};
  }
}

void Fail(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", kProgram, what.c_str());
  std::exit(1);
}

void Check(VkResult result, const char* command) {
  if (result >= 0) return;
  const std::string hint = HintFor(result);
  Fail(command + (" failed with " + ResultName(result)) + (hint.empty() ? "" : ": " + hint));
}

}  // namespace hello
