// SPDX-License-Identifier: Apache-2.0
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
  uint32_t used_steps = 0;                   // maximum of the graphs
  uint32_t spent_rounds = 0;                 // max_rounds if that is all that `error` complains about, otherwise 0
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
