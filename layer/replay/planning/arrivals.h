// SPDX-License-Identifier: Apache-2.0
// How many records will arrive in a level, where only bounds are certain.
#pragma once

#include <span>
#include <vector>

#include "layer/graph/load_bounds.h"
#include "layer/replay/planning/relocatable_plan.h"

namespace trellis {

// By level, more or less. Bounds count each workgroup that a grid from a record may have, and so they grow from level
// to level. Mostly one of them sends.
[[nodiscard]] std::vector<double> EstimateArrivals(const Graph& graph, const LoadBounds& loads,
                                                   const RelocatablePlan& plan, std::span<const RootCount> roots);

}  // namespace trellis
