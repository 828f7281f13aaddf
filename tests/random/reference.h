// SPDX-License-Identifier: Apache-2.0
// What a graph must give, computed on the CPU: an interpreter of records that knows the extension's rules and
// semantics.h, and nothing of the layer.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/random/program.h"

namespace trellis::test::random_graphs {

// Rules that an executor may get wrong: what the tests of comparison and shrinking inject.
enum class Fault {
  kNone,
  kLosesThirdRecord,  // of every allocation that has one
  kIgnoresSharing,
  kStopsRecursionEarly,  // one level before the last
  kIgnoresBase,          // of PayloadNodeBaseIndexAMDX
  kEnqueuesAlways,       // late outputs too
  kForgetsGridZ,         // of dynamic grids
};

struct Limits {
  uint32_t records = 3000;
  uint32_t invocations = 30000;
};

// Where a record arrives: level, node, its index, remaining recursion.
using ArrivalPlace = std::array<uint32_t, 4>;

struct Outcome {
  std::vector<uint32_t> words;  // kPlaces * kPlaceWords, added to what was there (kXor: xor)
  uint32_t records = 0;
  uint32_t invocations = 0;
  uint32_t depth = 0;
  std::map<ArrivalPlace, uint64_t> arrivals;  // records
  std::map<ArrivalPlace, std::vector<std::vector<uint32_t>>> payloads;
};

// Nothing if the graph is larger than the limits.
[[nodiscard]] std::optional<Outcome> Execute(const RandomGraph& graph, const Limits& limits = {},
                                             Fault fault = Fault::kNone);

// The words of a record for a node.
[[nodiscard]] std::vector<uint32_t> MakeRecord(const RecordRule& rule, uint32_t seed);

}  // namespace trellis::test::random_graphs
