// SPDX-License-Identifier: Apache-2.0
// What the sample says when something fails, and then ends.
#pragma once

#include <string>

#include "samples/hello_graph/vulkan.h"

namespace hello {

// The name of the sample, which defines it.
extern const char* const kProgram;

// Returns "VK_ERROR_DEVICE_LOST", or "VkResult -7" for a result that is not known.
[[nodiscard]] std::string ResultName(VkResult result);
// Returns what to do about it, or an empty text.
[[nodiscard]] std::string HintFor(VkResult result);
// Returns how to get a driver, for a loader that finds no driver or no device.
[[nodiscard]] std::string HowToGetADriver();

// Prints one line to standard error and exits with 1.
[[noreturn]] void Fail(const std::string& what);
// Calls Fail if `result` is an error.
void Check(VkResult result, const char* command);

}  // namespace hello
