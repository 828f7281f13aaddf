// SPDX-License-Identifier: Apache-2.0
#include "bench/framework/vulkan.h"

#include <cstdio>
#include <cstdlib>

namespace trellis::bench {

void Fail(const std::string& what) {
  std::fprintf(stderr, "trellis_bench: %s\n", what.c_str());
  std::exit(1);
}

void Check(VkResult result, const char* what) {
  if (result < 0) Fail(std::string(what) + " failed with VkResult " + std::to_string(result));
}

}  // namespace trellis::bench
