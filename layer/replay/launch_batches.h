// Which launches of a level become one dispatch (shared::LaunchBatch).
#pragma once

#include "layer/replay/relocatable_plan.h"

namespace trellis {

// Launches of one level whose regions count for them and whose nodes share a pipeline. They are moved to the end of
// `level`'s launches, batch by batch; the other ones keep their order.
void FormBatches(const ExecutionGraphPipeline& pipeline, const LaunchLimits& limits, RelocatableLevel& level);

}  // namespace trellis
