// SPDX-License-Identifier: Apache-2.0
// Where exceptions of any kind end.
#pragma once

#include <string_view>

#include "layer/diagnostics/diagnostics.h"

namespace trellis {

// For catch blocks: returns the result that stands for the exception being handled. That is
// VK_ERROR_OUT_OF_HOST_MEMORY for std::bad_alloc. Any other exception is reported, as a defect of the layer unless
// foreign code threw it, and the result is VK_ERROR_UNKNOWN, which every command may return (specification, "Return
// Codes"). `where` names the command, or what the layer was doing.
[[nodiscard]] VkResult HandleException(Diagnostics& diagnostics, std::string_view where) noexcept;

}  // namespace trellis
