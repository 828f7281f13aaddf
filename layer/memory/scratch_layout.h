// SPDX-License-Identifier: Apache-2.0
// How a graph uses the application's scratch buffer. Pure.
#pragma once

#include <cstdint>

namespace trellis {

// Offsets are bytes from the scratch address, rounded up to a multiple of kScratchAlignment, and multiples of that too.
struct ScratchLayout {
  uint64_t control = 0;           // ControlBlock
  uint64_t regions = 0;           // Region[region_levels][slot_count + 1]
  uint64_t inputs = 0;            // LaunchInput[launches], and behind them those of draws
  uint64_t arguments = 0;         // DispatchArguments[launches], likewise
  uint64_t workgroup_counts = 0;  // uint[launches]: StepPlan::totals; else the workgroups of members of counted batches
  uint64_t steps = 0;             // StepState
  uint64_t sums = 0;              // uint[]: SizingPlan::sums of a level, or of each level if there are draws
  uint64_t search_index = 0;      // uint[]: SizingPlan::search_index of a level
  uint64_t slices = 0;            // Slice[][kMaxSlices + 1]: SizingPlan::slices
  uint64_t batch_sums = 0;  // uint[]: LaunchBatch::sums of a level's batches, which have two launches at least, twice
  uint64_t entry = 0;       // EntryState: dispatches whose infos the device reads
  uint64_t dump = 0;        // where writes to lost records go
  uint64_t size = 0;        // of everything, and to round the address up: the extension's minSize

  uint32_t slot_count = 0;
  uint32_t launch_count = 0;          // no level has more
  uint32_t dynamic_launch_count = 0;  // the same for dynamic grids
  uint32_t draw_launch_count = 0;     // the same for draws
  uint32_t max_draws = 0;             // that one launch may be split into
  uint32_t first_draw = 0;            // position of its LaunchInput and arguments: draw_position
  uint64_t sums_of_level = 0;         // bytes from one level's to the next level's
  uint32_t region_levels = 0;
  // Every level has regions of its own, which can be opened before the first one runs. Otherwise levels take turns with
  // two sets, and a sizing kernel stands before each. Never if there are draws, which read regions after all levels.
  bool opens_all_levels = false;
  // Levels that a dispatch in steps may have, whose regions and launches are all there at once. 0: too many.
  uint32_t step_levels = 0;

  // Where the parts lie for a dispatch in steps; step_levels must not be 0.
  [[nodiscard]] ScratchLayout ForSteps() const;
  // The same where each slot has one region, whichever level sends to it; opens_all_levels must be true.
  [[nodiscard]] ScratchLayout ForLongestPaths() const;
  // Index of a slot's Region among all; `level` consumes it.
  [[nodiscard]] uint32_t region(uint32_t level, uint32_t slot) const {
    return level % region_levels * (slot_count + 1) + slot;
  }
  [[nodiscard]] uint64_t region_offset(uint32_t level, uint32_t slot) const;
  [[nodiscard]] uint64_t input(uint32_t launch) const;
  [[nodiscard]] uint64_t argument(uint32_t launch) const;
  // Returns the position of the first of the max_draws draws of the `launch`th launch of `level` that is drawn.
  [[nodiscard]] uint32_t draw_position(uint32_t level, uint32_t launch) const {
    return first_draw + (level * draw_launch_count + launch) * max_draws;
  }
  [[nodiscard]] uint64_t level_sums(uint32_t level) const { return sums + level * sums_of_level; }
  // Returns the offset of the count of workgroups of a launch of `level`. Not in steps; opens_all_levels must be true.
  [[nodiscard]] uint64_t workgroup_count(uint32_t level, uint32_t launch) const;
};

// What the extension asks of every scratch address (VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144), and what
// the layout needs; also our sizeGranularity. ScratchLayout::size has room to round an address up that is aligned less.
inline constexpr uint64_t kScratchAlignment = 64;

// VkMemoryRequirements::alignment of scratch buffers, at least: applications bind buffers where the requirements allow,
// and use the address as it comes.
inline constexpr uint64_t kScratchBufferAlignment = 256;

[[nodiscard]] constexpr uint64_t AlignScratchAddress(uint64_t address) {
  return (address + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

// Regions of all levels may take this much; larger graphs make do with two sets.
inline constexpr uint64_t kMaxRegionBytes = 16 << 20;

// Most workgroups that each of so many launches of a level may have its records parted among (SizingPlan::parts). CPU
// drivers get fewer.
[[nodiscard]] uint32_t MaxParts(uint32_t launches);

struct ScratchNeeds {
  uint32_t slot_count = 0;            // slots of the graph
  uint32_t level_count = 0;           // no dispatch has more levels
  uint32_t launch_count = 0;          // no level has more launches
  uint32_t dynamic_launch_count = 0;  // the same for dynamic grids
  uint32_t search_index_count = 0;    // of these, the same for LaunchPlan::has_search_index
  uint32_t largest_record = 0;        // bytes, of all that any node writes or reads
  bool size_every_level = false;
  uint32_t draw_launch_count = 0;  // no level has more launches that are drawn
};

[[nodiscard]] ScratchLayout LayOutScratch(const ScratchNeeds& needs);

}  // namespace trellis
