// SPDX-License-Identifier: Apache-2.0
// Running the graphs of samples/nodes_glsl.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/samples/sample_graphs.h"
#include "tests/support/run.h"

namespace trellis::test {

// Runs the sample as a graph of lowered nodes; the words of the result buffer. A failure fails the test and gives none.
[[nodiscard]] std::vector<uint32_t> LoweredResults(Context& context, const Sample& sample);
[[nodiscard]] GraphNode ToGraphNode(const SampleNode& node);

// SwiftShader crashes on variables that hold buffer references, unless its optimiser takes them away.
[[nodiscard]] bool CrashesOnPointerVariables(const Context& context);

}  // namespace trellis::test
