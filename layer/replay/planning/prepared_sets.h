// SPDX-License-Identifier: Apache-2.0
// The two sets of level 1's regions that executions prepare for one another: docs/architecture/recording.md, "Prepared
// regions". Pure.
#pragma once

#include <cstdint>
#include <span>

#include "layer/memory/scratch_layout.h"
#include "layer/replay/planning/relocatable_plan.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {

// Whether executions with such a plan, whose levels are planned, can prepare the regions of level 1 for one another.
[[nodiscard]] bool CanPrepareRegions(const RelocatablePlan& plan);

// Bytes of a set: its regions, then the workgroups that producers count for batches of level 1.
[[nodiscard]] uint64_t PreparedSetBytes(const ScratchLayout& scratch);
[[nodiscard]] uint64_t PreparedRegionsBytes(const ScratchLayout& scratch);

// Units of the ring between the first region of a set and its pool, the last opening: LossPlan::dense_units. 0 where
// the regions stay as they were planned: all are dense, record state is planned with them, or a DensePart cannot say
// where they lie.
[[nodiscard]] uint32_t AdaptableUnits(std::span<const shared::RegionPlan> openings);

}  // namespace trellis
