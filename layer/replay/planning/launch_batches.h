// SPDX-License-Identifier: Apache-2.0
// Which launches of a level become one dispatch (shared::LaunchBatch).
#pragma once

#include "layer/replay/planning/relocatable_plan.h"

namespace trellis {

// Launches of one level whose regions count for them and whose nodes share a pipeline. They are moved to the end of
// `level`'s launches, batch by batch; the other ones keep their order.
void FormBatches(const ExecutionGraphPipeline& pipeline, const LaunchLimits& limits, RelocatableLevel& level);

// Then: producers count the workgroups of batches of a few coalescing launches, where one row can have them, which
// spares the kernel that numbers them. Completes the openings of level `number` in `memory`.
void CountBatches(const ScratchLayout& scratch, const LaunchLimits& limits, uint32_t number, GraphPlan& memory,
                  RelocatableLevel& level);

}  // namespace trellis
