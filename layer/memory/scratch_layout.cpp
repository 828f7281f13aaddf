// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/scratch_layout.h"

#include <algorithm>

#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"

namespace trellis {
namespace {

// A whole-record copy into the dump may be wider than the record where a node's own type is padded.
constexpr uint64_t kDumpSlack = 64;

// About as many workgroups as a large GPU runs at a time.
constexpr uint32_t kMaxPartsOfLevel = 2048;
// Parts of a launch at least, however many launches there are: all records of a level may be one launch's.
constexpr uint32_t kFewestParts = 32;

// Draws of one launch, and bytes for those of all launches together, beyond one draw for each.
constexpr uint64_t kMaxDraws = 64;
constexpr uint64_t kMaxDrawBytes = 4 << 20;

static_assert(shared::kMaxParts % shared::kLevelsWorkgroup == 0);  // each invocation of a kernel adds up as many

// For any number of launches up to this one.
uint64_t MaxSums(uint64_t launches) {
  return std::min(launches * shared::kMaxParts, std::max<uint64_t>(launches * kFewestParts, kMaxPartsOfLevel));
}

uint32_t MaxDraws(uint64_t launches) {
  constexpr uint64_t kEach = sizeof(shared::LaunchInput) + sizeof(shared::DispatchArguments);
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(kMaxDrawBytes / (kEach * std::max<uint64_t>(launches, 1)), 1, kMaxDraws));
}

uint64_t Place(uint64_t& cursor, uint64_t bytes) {
  const uint64_t offset = cursor;
  cursor += AlignScratchAddress(bytes);
  return offset;
}

}  // namespace

ScratchLayout ScratchLayout::ForSteps() const {
  ScratchLayout layout = *this;
  layout.opens_all_levels = true;
  layout.region_levels = step_levels;
  return layout;
}

ScratchLayout ScratchLayout::ForLongestPaths() const {
  ScratchLayout layout = *this;
  layout.region_levels = 1;
  return layout;
}

uint64_t ScratchLayout::region_offset(uint32_t level, uint32_t slot) const {
  return regions + uint64_t{region(level, slot)} * sizeof(shared::Region);
}
uint64_t ScratchLayout::input(uint32_t launch) const { return inputs + uint64_t{launch} * sizeof(shared::LaunchInput); }
uint64_t ScratchLayout::argument(uint32_t launch) const {
  return arguments + uint64_t{launch} * sizeof(shared::DispatchArguments);
}

uint64_t ScratchLayout::workgroup_count(uint32_t level, uint32_t launch) const {
  return workgroup_counts + (uint64_t{level} * launch_count + launch) * sizeof(uint32_t);
}

uint32_t MaxParts(uint32_t launches) {
  return std::clamp(kMaxPartsOfLevel / std::max(launches, 1u), kFewestParts, shared::kMaxParts);
}

ScratchLayout LayOutScratch(const ScratchNeeds& needs) {
  const uint64_t level_bytes = (uint64_t{needs.slot_count} + 1) * sizeof(shared::Region);
  ScratchLayout layout;
  layout.slot_count = needs.slot_count;
  layout.launch_count = needs.launch_count;
  layout.dynamic_launch_count = needs.dynamic_launch_count;
  const bool has_steps = level_bytes * needs.level_count <= kMaxRegionBytes;
  layout.step_levels = has_steps ? std::max(needs.level_count, 2u) : 0;
  const bool has_draws = needs.draw_launch_count != 0;
  layout.opens_all_levels = has_draws || (!needs.size_every_level && has_steps);
  layout.region_levels = layout.opens_all_levels ? std::max(needs.level_count, 2u) : 2;
  const uint64_t levels = std::max(layout.step_levels, 1u);
  layout.first_draw = static_cast<uint32_t>(needs.launch_count * levels);
  layout.draw_launch_count = needs.draw_launch_count;
  const uint64_t drawn = uint64_t{needs.draw_launch_count} * layout.region_levels;
  layout.max_draws = has_draws ? MaxDraws(drawn) : 0;
  const uint64_t launches = layout.first_draw + drawn * layout.max_draws;
  uint64_t cursor = 0;
  layout.control = Place(cursor, sizeof(shared::ControlBlock));
  layout.regions = Place(cursor, level_bytes * std::max(layout.region_levels, layout.step_levels));
  layout.inputs = Place(cursor, launches * sizeof(shared::LaunchInput));
  layout.arguments = Place(cursor, launches * sizeof(shared::DispatchArguments));
  const uint64_t counted_levels = has_draws ? layout.region_levels : levels;
  layout.workgroup_counts = Place(cursor, needs.launch_count * std::max(levels, counted_levels) * sizeof(uint32_t));
  layout.steps = Place(cursor, sizeof(shared::StepState));
  const uint64_t sums = MaxSums(needs.dynamic_launch_count) * sizeof(uint32_t);
  layout.sums_of_level = has_draws ? AlignScratchAddress(sums) : 0;
  layout.sums = Place(cursor, has_draws ? layout.sums_of_level * layout.region_levels : sums);
  layout.search_index =
      Place(cursor, MaxSums(needs.search_index_count) * shared::kSearchEntriesOfPart * sizeof(uint32_t));
  constexpr uint64_t kSliceTableBytes = (shared::kMaxSlices + 1) * sizeof(shared::Slice);
  layout.slices = Place(cursor, needs.dynamic_launch_count * levels * kSliceTableBytes);
  // Level 1 may have each batch twice.
  const uint64_t batch_sums = 2 * (uint64_t{needs.launch_count} + needs.launch_count / 2);
  layout.batch_sums = Place(cursor, batch_sums * sizeof(uint32_t));
  layout.entry = Place(cursor, sizeof(shared::EntryState));
  layout.dump = Place(cursor, needs.largest_record + kDumpSlack);
  layout.size = cursor + kScratchAlignment;
  return layout;
}

}  // namespace trellis
