// SPDX-License-Identifier: Apache-2.0
// What shaders read about one input.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/random/program.h"

namespace trellis::test::random_graphs {

// Words of the tables; see TableWord.
[[nodiscard]] std::vector<uint32_t> EncodeTables(const RandomGraph& graph);

// Payload words of a root, padding included.
[[nodiscard]] std::vector<uint32_t> EncodeRecords(const RandomGraph& graph, const Root& root);
[[nodiscard]] uint32_t RecordStride(const RandomGraph& graph, const Root& root);  // words

// NodeMaxPayloadsAMDX of an output.
[[nodiscard]] uint32_t MaxPayloads(const Node& node, uint32_t output);

}  // namespace trellis::test::random_graphs
