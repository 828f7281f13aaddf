// SPDX-License-Identifier: Apache-2.0
// Names of results, for messages.
#pragma once

#include <string>

#include "layer/dispatch/vulkan.h"

namespace trellis {

// Returns the name of `result`, such as "VK_ERROR_DEVICE_LOST", or "VkResult " and the number if the registry that the
// layer was built with does not have it.
[[nodiscard]] std::string ResultName(VkResult result);

}  // namespace trellis
