// Whole node modules for tests that do not look at the details.
#pragma once

#include <string>
#include <vector>

namespace trellis::spirv {

struct NodeSample {
  std::string name;
  std::string text;
  std::string entry_point = "node";
};

[[nodiscard]] const std::vector<NodeSample>& NodeSamples();

}  // namespace trellis::spirv
