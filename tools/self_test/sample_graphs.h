// SPDX-License-Identifier: Apache-2.0
// The graphs of samples/nodes_glsl as data: their nodes, what goes in, and what must come out. `trellis doctor` and the
// tests run them.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace trellis::self_test {

constexpr size_t kSampleResultWords = 1024;  // of the result buffer

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

}  // namespace trellis::self_test
