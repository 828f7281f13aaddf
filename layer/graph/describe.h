// SPDX-License-Identifier: Apache-2.0
// The graph as text, for logs and messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "layer/graph/graph.h"

namespace trellis {

// "name[index]"; what pipelines, labels and messages call a node.
[[nodiscard]] std::string NodeLabel(const std::string& name, uint32_t index);
// Label of the slot's node, with " (r left)" for recursive nodes; "heap" for the heap's slot.
[[nodiscard]] std::string SlotLabel(const Graph& graph, uint32_t slot);
// Label of the launch's slot, and whose input it shares if it does.
[[nodiscard]] std::string LaunchLabel(const Graph& graph, Launch launch);
// Labels of the first of these slots, and how many more there are; each behind a space.
[[nodiscard]] std::string RootLabels(const Graph& graph, std::span<const uint32_t> slots);
// Returns the label of the dispatch or draw that runs these launches.
[[nodiscard]] std::string DispatchLabel(const std::string& launches, uint32_t level);
// One line a node: label, launch kind, payload; indented below it one line an output. Ends with a newline.
[[nodiscard]] std::string DescribeGraph(const Graph& graph);

}  // namespace trellis
