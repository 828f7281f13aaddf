// SPDX-License-Identifier: Apache-2.0
// Vulkan with the extension, and errors as exceptions.
#pragma once

#include <stdexcept>
#include <string>

#ifndef VK_ENABLE_BETA_EXTENSIONS
#define VK_ENABLE_BETA_EXTENSIONS
#endif
#include "trellis/vulkan_shader_enqueue.h"

#include "layer/dispatch/struct_type.h"  // behind the Vulkan headers

namespace trellis::self_test {

// What a step of the doctor ends with if it cannot go on. Its text becomes part of the report.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void Check(VkResult result, const char* command) {
  if (result < 0)
    throw Failure(std::string(command) + " returned VkResult " + std::to_string(static_cast<int>(result)));
}

}  // namespace trellis::self_test
