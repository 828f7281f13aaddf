// SPDX-License-Identifier: Apache-2.0
// Graphs and mismatches for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/random/program.h"

namespace trellis::test::random_graphs {

[[nodiscard]] std::string NodeName(uint32_t number);

// Nodes, wiring and roots.
[[nodiscard]] std::string Describe(const RandomGraph& graph);

// What the results hold before a run. Words that the graph counts in must be this plus what the reference gives, all
// others must stay.
[[nodiscard]] uint32_t InitialWord(uint32_t word);

// The first words that differ, with their meaning; empty if none does.
[[nodiscard]] std::string Differences(const RandomGraph& graph, std::span<const uint32_t> words,
                                      const std::vector<uint32_t>& expected);

// The command line that runs seeds again.
[[nodiscard]] std::string ReplayCommand(uint32_t first, uint32_t count);

}  // namespace trellis::test::random_graphs
