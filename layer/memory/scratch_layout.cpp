#include "layer/memory/scratch_layout.h"

#include <algorithm>

#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/graph_data.h"

namespace trellis {
namespace {

// A whole-record copy into the dump may be wider than the record where a node's own type is padded.
constexpr uint64_t kDumpSlack = 64;

uint64_t Place(uint64_t& cursor, uint64_t bytes) {
  const uint64_t offset = cursor;
  cursor += (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return offset;
}

}  // namespace

uint64_t ScratchLayout::region_offset(uint32_t level, uint32_t slot) const {
  return regions + uint64_t{region(level, slot)} * sizeof(shared::Region);
}
uint64_t ScratchLayout::input(uint32_t launch) const { return inputs + uint64_t{launch} * sizeof(shared::LaunchInput); }
uint64_t ScratchLayout::argument(uint32_t launch) const {
  return arguments + uint64_t{launch} * sizeof(shared::DispatchArguments);
}

ScratchLayout LayOutScratch(const ScratchNeeds& needs) {
  const uint64_t level_bytes = (uint64_t{needs.slot_count} + 1) * sizeof(shared::Region);
  ScratchLayout layout;
  layout.slot_count = needs.slot_count;
  layout.opens_all_levels = !needs.close_every_level && level_bytes * needs.level_count <= kMostRegionBytes;
  layout.region_levels = layout.opens_all_levels ? std::max(needs.level_count, 2u) : 2;
  uint64_t cursor = 0;
  layout.control = Place(cursor, sizeof(shared::ControlBlock));
  layout.regions = Place(cursor, level_bytes * layout.region_levels);
  layout.inputs = Place(cursor, uint64_t{needs.launch_count} * sizeof(shared::LaunchInput));
  layout.arguments = Place(cursor, uint64_t{needs.launch_count} * sizeof(shared::DispatchArguments));
  layout.sums = Place(cursor, uint64_t{needs.dynamic_launch_count} * shared::kLevelsWorkgroup * sizeof(uint32_t));
  layout.entry = Place(cursor, sizeof(shared::EntryState));
  layout.dump = Place(cursor, needs.largest_record + kDumpSlack);
  layout.size = cursor;
  return layout;
}

}  // namespace trellis
