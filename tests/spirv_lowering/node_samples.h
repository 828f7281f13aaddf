// SPDX-License-Identifier: Apache-2.0
// Whole node modules for tests that do not look at the details.
#pragma once

#include <string>
#include <vector>

#include "spirv_lowering/reflect/node_info.h"

namespace trellis::spirv {

struct NodeSample {
  std::string name;
  std::string text;
  std::string entry_point = "node";
  ExecutionModel execution_model = ExecutionModel::kGLCompute;
};

[[nodiscard]] const std::vector<NodeSample>& NodeSamples();

}  // namespace trellis::spirv
