// SPDX-License-Identifier: Apache-2.0
// Which slots have records in which level, and what is launched for them, for one set of roots.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/graph/graph.h"

namespace trellis {

// Immutable. A slot may appear in several levels (a diamond with arms of different length).
struct LevelSchedule {
  std::vector<uint32_t> slots;         // all levels, one after the other; sorted within a level
  std::vector<uint32_t> level_begin;   // level_count() + 1 positions in `slots`
  std::vector<Launch> launches;        // for each of `slots`: its own launch, then those that share its input
  std::vector<uint32_t> launch_begin;  // level_count() + 1 positions in `launches`
  bool has_mesh_nodes = false;         // among the launches
  // The same with each slot behind level 0 in the last of its levels alone: all that can send to it comes before. Null
  // if no slot is in two.
  std::shared_ptr<const LevelSchedule> longest_paths;

  [[nodiscard]] uint32_t level_count() const { return static_cast<uint32_t>(level_begin.size()) - 1; }
  [[nodiscard]] std::span<const uint32_t> level(uint32_t level) const {
    return std::span(slots).subspan(level_begin[level], level_begin[level + 1] - level_begin[level]);
  }
  [[nodiscard]] std::span<const Launch> launches_of(uint32_t level) const {
    return std::span(launches).subspan(launch_begin[level], launch_begin[level + 1] - launch_begin[level]);
  }
};

// Level 0 is `roots` (any order, duplicates allowed); level L+1 is everything that the launches of level L can send
// to. No roots: no levels.
[[nodiscard]] LevelSchedule AssignLevels(const Graph& graph, std::span<const uint32_t> roots);

}  // namespace trellis
