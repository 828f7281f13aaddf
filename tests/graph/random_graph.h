// SPDX-License-Identifier: Apache-2.0
// Random graphs that the rules allow, and a run of one on the CPU that knows nothing of slots, edges or plans.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "layer/graph/graph.h"

namespace trellis::test {

using Random = std::mt19937;

[[nodiscard]] inline uint32_t Below(Random& random, uint32_t end) {
  return end == 0 ? 0 : static_cast<uint32_t>(random() % end);
}

// Nodes of some twenty names: arrays with holes, recursion, missing targets, outputs with constant and dynamic indices,
// every launch kind, shared inputs.
[[nodiscard]] std::vector<NodeSource> MakeRandomNodes(Random& random);

// A node with so many recursion levels left: what the extension knows instead of slots.
struct Activation {
  uint32_t node = 0;
  uint32_t remaining = 0;
  auto operator<=>(const Activation&) const = default;
};

// What arrives at one level.
struct Arrivals {
  std::map<Activation, uint64_t> records;
  uint64_t heap_bytes = 0;  // taken by the producers, each allocation with one record
};

// Resolves an enqueue by the words of the extension. Nothing: no such node, or no level left.
[[nodiscard]] bool ResolveEnqueue(const std::vector<NodeSource>& nodes, Activation from, const std::string& name,
                                  uint32_t index, Activation& to);

// Runs workgroups that each send as much as their outputs allow, or less, to random indices that their shader may use.
// Returns what arrives at levels 1, 2…; `keep(level, activation, records)` says how many records of those that arrive
// find room.
template <typename Keep>
std::vector<Arrivals> Simulate(Random& random, const std::vector<NodeSource>& nodes,
                               const std::map<Activation, uint64_t>& root_workgroups, const Keep& keep);

// What runs when records arrive at an activation: itself, and nodes that share its input.
[[nodiscard]] std::vector<Activation> RunsOnInputOf(const std::vector<NodeSource>& nodes, Activation target);
// Indices that an allocation of this output may use: the constants, or any, missing ones included.
[[nodiscard]] uint32_t PickIndex(Random& random, const std::vector<NodeSource>& nodes, const NodeSource& from,
                                 const spirv::NodeOutputInfo& output);
// Workgroups that a launch of so many records makes.
[[nodiscard]] uint64_t PickWorkgroups(Random& random, const spirv::NodeInfo& info, uint64_t records);
// Sends what `workgroups` workgroups of a node send.
void SendAll(Random& random, const std::vector<NodeSource>& nodes, Activation from, uint64_t workgroups,
             Arrivals& arrivals);

template <typename Keep>
std::vector<Arrivals> Simulate(Random& random, const std::vector<NodeSource>& nodes,
                               const std::map<Activation, uint64_t>& root_workgroups, const Keep& keep) {
  std::vector<Arrivals> levels;
  std::map<Activation, uint64_t> workgroups = root_workgroups;
  while (!workgroups.empty()) {
    Arrivals arrivals;
    for (const auto& [activation, count] : workgroups) SendAll(random, nodes, activation, count, arrivals);
    if (arrivals.records.empty()) break;
    levels.push_back(arrivals);
    workgroups.clear();
    for (const auto& [activation, records] : arrivals.records) {
      const uint64_t kept = keep(static_cast<uint32_t>(levels.size()), activation, records);
      if (kept == 0) continue;
      for (const Activation& runs : RunsOnInputOf(nodes, activation))
        workgroups[runs] += PickWorkgroups(random, nodes[runs.node].info, kept);
    }
  }
  return levels;
}

}  // namespace trellis::test
