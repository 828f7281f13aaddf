// SPDX-License-Identifier: Apache-2.0
// Which nodes may have launches in batches (shared::LaunchBatch). Internal to layer; replay forms the batches.
#pragma once

#include <cstddef>
#include <span>

#include "layer/graph/graph.h"
#include "layer/pipeline/node_sources.h"
#include "layer/settings/settings.h"

namespace trellis {

// Launches of a level that become a batch: this many at least. SIZE_MAX: none do.
[[nodiscard]] size_t FewestLaunches(const Settings& settings);

// Takes NodeInfo::in_batches from the nodes that cannot be in one, whatever arrives: too few launches of the graph run
// code of their module (nodes of several modules never share a pipeline), or a kernel sizes theirs. `stages`: the first
// nodes of `graph`. Others, which are compiled already, stay as they are.
void LeaveOutOfBatches(const Settings& settings, std::span<StageNode> stages, Graph& graph);

}  // namespace trellis
