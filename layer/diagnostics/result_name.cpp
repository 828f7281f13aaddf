// SPDX-License-Identifier: Apache-2.0
#include "layer/diagnostics/result_name.h"

namespace trellis {

std::string ResultName(VkResult result) {
  switch (result) {
#define RESULT(name) \
  case name:         \
    return #name;
#include "layer/dispatch/registry_names.inc"
#undef RESULT
    default:
      return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

}  // namespace trellis
