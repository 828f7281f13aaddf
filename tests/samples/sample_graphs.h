// SPDX-License-Identifier: Apache-2.0
// The graphs of samples/nodes_glsl, with their nodes as the build compiled them.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/self_test/sample_graphs.h"

namespace trellis::test {

using self_test::AllSamples;
using self_test::kSampleResultWords;
using self_test::Sample;
using self_test::SampleInput;
using self_test::SampleNode;
using self_test::SamplesForNodesOnly;

// Words of the node, compiled at build time by trellis_add_nodes. Empty if the file cannot be read.
[[nodiscard]] std::vector<uint32_t> CompiledNode(const SampleNode& node);

}  // namespace trellis::test
