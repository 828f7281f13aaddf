// SPDX-License-Identifier: Apache-2.0
// Which part of the ring each level appends to. Two halves take turns, unless draws read what was appended: draws come
// after all levels, so that their records have to stay where they are. Sizes are bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layer/graph/graph.h"
#include "layer/graph/levels.h"

namespace trellis {

inline constexpr uint64_t kPartAlignment = 256;

struct RingParts {
  std::vector<uint32_t> of_level;  // by level, except the last
  std::vector<uint64_t> room;      // of each part, at most
};

// What the regions of one part take.
struct PartNeed {
  uint64_t least = 0;   // to keep all that may be sent
  uint64_t wanted = 0;  // so that regions need not grow where little does; at least `least`
};

// Whether draws read records that `level` consumes, which is not 0.
[[nodiscard]] bool IsKept(const Graph& graph, const LevelSchedule& schedule, uint32_t level);

[[nodiscard]] RingParts HalvesOf(const LevelSchedule& schedule, uint64_t half_bytes);

// A part of its own for each level whose records are kept; the others take turns. Each part has room for `ring_bytes`.
[[nodiscard]] RingParts PartsToKeep(const Graph& graph, const LevelSchedule& schedule, uint64_t ring_bytes);

// Divides `ring_bytes` among all parts: first what they need, then what they want, small ones first. A part gets less
// than it needs only if that is more than its equal share.
[[nodiscard]] std::vector<uint64_t> DivideRing(std::span<const PartNeed> needs, uint64_t ring_bytes);

}  // namespace trellis
