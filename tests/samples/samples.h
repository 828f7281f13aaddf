// The graphs of samples/nodes_glsl: their nodes, what goes in, and what must come out.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/run.h"

namespace trellis::test {

struct SampleNode {
  std::string file;  // "ticks/work": the source below samples/nodes_glsl without .comp
  std::string name;
  std::optional<uint32_t> spec0 = {};  // value of specialisation constant 0
  bool scalar = false;                 // compiled with -DSCALAR
};

struct SampleInput {
  std::string node;
  uint32_t index = 0;
  uint32_t count = 1;
  std::vector<uint32_t> payloads = {};  // words
  uint32_t stride = 0;                  // bytes
};

struct Sample {
  std::string name;
  std::vector<SampleNode> nodes;
  SampleInput input;
  std::vector<uint32_t> expected;  // words of the result buffer, the rest 0; computed on the CPU
};

// All but those that need more than a buffer of results.
[[nodiscard]] std::vector<Sample> AllSamples();
// Those whose nodes have no counterpart in plain compute shaders.
[[nodiscard]] std::vector<Sample> SamplesForNodesOnly();
void PrintTo(const Sample& sample, std::ostream* stream);

// Runs the sample as a graph of lowered nodes; the words of the result buffer. A failure fails the test and gives none.
[[nodiscard]] std::vector<uint32_t> LoweredResults(Context& context, const Sample& sample);
[[nodiscard]] GraphNode ToGraphNode(const SampleNode& node);

// SwiftShader crashes on variables that hold buffer references, unless its optimiser takes them away.
[[nodiscard]] bool CrashesOnPointerVariables(const Context& context);

// Words of the node, compiled at build time by trellis_add_nodes. Empty if the file cannot be read.
[[nodiscard]] std::vector<uint32_t> CompiledNode(const SampleNode& node);

}  // namespace trellis::test
