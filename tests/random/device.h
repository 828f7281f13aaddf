// Runs random graphs on the device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/random/generate.h"
#include "tests/random/node_shaders.h"

namespace trellis::test::random_graphs {

struct DeviceResults {
  std::string error;                         // not empty: nothing ran, or something complained
  std::vector<std::vector<uint32_t>> words;  // by graph; before the run InitialWord
  size_t stepped = 0;                        // graphs that ran in steps (bounded mode)
};

class Device {
 public:
  explicit Device(Context& context) : context_(context), shaders_(context) {}

  [[nodiscard]] Abilities abilities() const { return shaders_.abilities(); }

  // All graphs must have the same topology: one pipeline, one command buffer, one scratch buffer, no barriers between
  // the dispatches.
  [[nodiscard]] DeviceResults Run(std::span<const Case> cases);

 private:
  Context& context_;
  NodeShaders shaders_;
};

}  // namespace trellis::test::random_graphs
