#include "layer/memory/scratch_layout.h"

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

uint64_t ScratchLayout::block(uint32_t launch) const { return blocks + uint64_t{launch} * sizeof(shared::LaunchBlock); }
uint64_t ScratchLayout::argument(uint32_t launch) const {
  return arguments + uint64_t{launch} * sizeof(shared::DispatchArguments);
}

ScratchLayout LayOutScratch(uint32_t slot_count, uint32_t launch_count, uint32_t largest_record) {
  const uint64_t region_bytes = (uint64_t{slot_count} + 1) * sizeof(shared::Region);
  ScratchLayout layout;
  uint64_t cursor = 0;
  layout.control = Place(cursor, sizeof(shared::ControlBlock));
  for (uint64_t& regions : layout.regions) regions = Place(cursor, region_bytes);
  layout.blocks = Place(cursor, uint64_t{launch_count} * sizeof(shared::LaunchBlock));
  layout.arguments = Place(cursor, uint64_t{launch_count} * sizeof(shared::DispatchArguments));
  layout.entry = Place(cursor, sizeof(shared::EntryState));
  layout.dump = Place(cursor, largest_record + kDumpSlack);
  layout.size = cursor;
  return layout;
}

}  // namespace trellis
