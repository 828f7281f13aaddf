// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/sample_graphs.h"
#include "tools/trellis/files.h"

namespace trellis::test {

std::vector<uint32_t> CompiledNode(const SampleNode& node) {
  const std::string path =
      std::string(TRELLIS_COMPILED_SAMPLES) + (node.scalar ? "/scalar/" : "/") + node.file + ".spv";
  Expected<std::vector<uint32_t>> words = tool::ReadWords(path);
  return words ? *std::move(words) : std::vector<uint32_t>();
}

}  // namespace trellis::test
