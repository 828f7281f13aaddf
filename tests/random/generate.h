// SPDX-License-Identifier: Apache-2.0
// Graphs from seeds. A seed is the number of a topology times kInputsPerTopology plus the number of an input for it:
// neighbours share a pipeline.
#pragma once

#include <cstdint>

#include "tests/random/program.h"
#include "tests/random/reference.h"

namespace trellis::test::random_graphs {

constexpr uint32_t kInputsPerTopology = 16;

// Depends on the device: what it lacks is not used.
struct Abilities {
  bool int8 = true;
  bool int16 = true;
  bool vulkan_memory_model = true;
  bool mesh_nodes = true;
};

[[nodiscard]] Topology MakeTopology(uint32_t number, const Abilities& abilities);

struct Case {
  RandomGraph graph;
  Outcome expected;
};

// The same seed and topology give the same graph. It is within the reference's limits.
[[nodiscard]] Case MakeCase(uint32_t seed, const Topology& topology);

}  // namespace trellis::test::random_graphs
