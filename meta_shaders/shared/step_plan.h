// SPDX-License-Identifier: Apache-2.0
// Bounded mode (layer/graph/step_schedule.h): what the kernel step_graph gets. Two languages, as graph_data.h.
#ifndef TRELLIS_META_SHADERS_SHARED_STEP_PLAN_H
#define TRELLIS_META_SHADERS_SHARED_STEP_PLAN_H

#include "kernel_plans.h"

#ifdef __cplusplus
namespace trellis::shared {
#endif

// One launch of all that a graph has, in all levels. Its position among them is that of its LaunchInput, its arguments
// and its total.
struct StepLaunch {
  LaunchPlan launch;
  TRELLIS_ADDRESS root;  // level 0: its LaunchInput, with all of its workgroups; it may be that of the launch itself.
                         // 0: nothing but what arrives in the region
  TRELLIS_UINT level;
  TRELLIS_UINT region;  // that it reads, among those of all levels
  TRELLIS_UINT pool;    // that this one grows out of, likewise
  TRELLIS_UINT load;    // of the next level's queue, what LaunchPlan::packed workgroups can fill; 0: it sends nothing
};
// StepLaunch::load of all that has room in a queue.
TRELLIS_CONSTANT kWholeQueue = 0x80000000u;

// The launches of one level, and the regions that they append to.
struct StepLevel {
  TRELLIS_UINT launch_begin;
  TRELLIS_UINT launch_end;
  TRELLIS_UINT opening_begin;  // among the step's openings
  TRELLIS_UINT opening_end;
};

// What a step leaves to the next one, in scratch.
struct StepState {
  TRELLIS_UINT level;  // that ran in the last step; kNoSlot if none did
  TRELLIS_UINT steps;  // that had something to run
};

// StepPlan::phase. The first step starts the roots; what comes after the last one runs nothing, and reports.
TRELLIS_CONSTANT kFirstStep = 0u;
TRELLIS_CONSTANT kLaterStep = 1u;
TRELLIS_CONSTANT kAfterSteps = 2u;

// Sizes the launches that read what the last step sent, then chooses the launches of this one.
struct StepPlan {
  TRELLIS_ADDRESS sizing;    // SizingPlan: what sizing launches takes, and their inputs and arguments
  TRELLIS_ADDRESS launches;  // StepLaunch[launch_count]; those of a level stand together
  TRELLIS_ADDRESS levels;    // StepLevel[level_count]; a later one goes first
  TRELLIS_ADDRESS openings;  // RegionPlan[]
  TRELLIS_ADDRESS totals;    // uint[launch_count], in scratch: workgroups of the launch's queue
  TRELLIS_ADDRESS state;     // StepState
  TRELLIS_UINT launch_count;
  TRELLIS_UINT phase;
  TRELLIS_UINT reported_steps;  // recorded; 0: it is not asked how many of them had something to run
  TRELLIS_UINT entry_launches;  // of the first launches, that read regions which infos on the device have filled
  TRELLIS_UINT level_count;
  TRELLIS_UINT unused;
};

#ifdef __cplusplus
static_assert(sizeof(StepLaunch) == 96);
static_assert(offsetof(StepLaunch, root) == 72);
static_assert(sizeof(StepLevel) == 16);
static_assert(sizeof(StepState) == 8);
static_assert(sizeof(StepPlan) == 72);
}  // namespace trellis::shared
#endif

#endif  // TRELLIS_META_SHADERS_SHARED_STEP_PLAN_H
