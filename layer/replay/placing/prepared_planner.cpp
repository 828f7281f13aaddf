// SPDX-License-Identifier: Apache-2.0
// Where one queue runs all graphs, executions prepare for one another: docs/architecture/recording.md, "Prepared
// regions".
#include <cassert>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "layer/graph/region_layout.h"
#include "layer/memory/prepared_regions.h"
#include "layer/replay/placing/level_planner.h"
#include "layer/replay/planning/prepared_sets.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

constexpr uint32_t kSets = 2;

// Returns where in a set the counts lie that `place` names in scratch: RelocatableBatch::counts of level 1.
uint64_t CountsInSet(const ScratchLayout& scratch, uint64_t place) {
  return PreparedRegionsBytes(scratch) + place - scratch.workgroup_count(1, 0);
}

// As OpenRegion in meta_shaders/shared/kernel.glsl.
shared::Region OpenRegion(VkDeviceAddress regions, VkDeviceAddress ring, const shared::RegionPlan& plan) {
  shared::Region region = {};
  const VkDeviceAddress address = regions + plan.region * sizeof(region);
  region.records = {
      ring + plan.offset, address + offsetof(shared::Region, segments), plan.stride, plan.capacity, plan.dense, 0};
  region.capacity = plan.capacity;
  region.coalesce = plan.coalesce;
  region.max_workgroups = plan.max_workgroups;
  region.reciprocal = plan.coalesce != 0 ? UINT32_MAX / plan.coalesce : 0;
  if (plan.batch_count != 0) {
    region.batch_count = regions + plan.batch_count;
    region.batch_total = regions + plan.batch_region * sizeof(shared::Region) + offsetof(shared::Region, workgroups);
  }
  region.refused = UINT32_MAX;
  region.state_words = plan.state_words;
  region.state_units = plan.state_units;
  region.grid_x = plan.grid_x;
  region.grid_yz = plan.grid_yz;
  region.one_y = region.one_z = 1;
  return region;
}

}  // namespace

uint32_t LevelPlanner::SetsOf(uint32_t level) const { return level == 1 && plan_.prepared ? kSets : 1; }

VkDeviceAddress LevelPlanner::RegionAddress(uint32_t level, uint32_t set, uint32_t slot) const {
  if (SetsOf(level) != 1) return plan_.prepared->set_address(set) + uint64_t{slot} * sizeof(shared::Region);
  return environment_.scratch + scratch().region_offset(level, slot);
}

VkDeviceAddress LevelPlanner::CountsAddress(uint32_t level, uint32_t set, uint64_t counts) const {
  if (SetsOf(level) != 1) return plan_.prepared->set_address(set) + CountsInSet(scratch(), counts);
  return environment_.scratch + counts;
}

void LevelPlanner::TakeArguments(uint32_t level, uint32_t set, const RelocatableLaunch& launch,
                                 NodeLaunch& node) const {
  const uint64_t place = ArgumentsInRegion(launch.described);
  if (SetsOf(level) != 1) {
    node.arguments_buffer = plan_.prepared->buffer();
    node.arguments = plan_.prepared->set_offset(set) + uint64_t{launch.launch.input} * sizeof(shared::Region) + place;
  } else {
    node.arguments = scratch().region_offset(level, launch.launch.input) + place;
  }
}

void LevelPlanner::FindPreparedOpenings() {
  const std::span<const shared::RegionPlan> first = memory().openings_of(0);
  prepared_openings_.assign(first.begin(), first.end());
  const auto first_region = static_cast<uint32_t>(scratch().region(1, 0));
  for (shared::RegionPlan& opening : prepared_openings_) {
    opening.region = opening.slot;
    if (opening.batch_count == 0) continue;
    opening.batch_region -= first_region;
    opening.batch_count = static_cast<uint32_t>(CountsInSet(scratch(), scratch().regions + opening.batch_count));
  }
}

// Without a bound the pool has no room for what no longer lies dense.
uint32_t LevelPlanner::DenseUnits() const {
  if (!plan_.prepared || !memory().bounded || prepared_openings_.back().slot != graph_.HeapSlot()) return 0;
  return AdaptableUnits(prepared_openings_);
}

VkDeviceAddress LevelPlanner::DensePartsAddress() const {
  return DenseUnits() == 0 ? 0 : plan_.prepared->set_address(kSets);
}

Expected<void> LevelPlanner::PrepareRegions() {
  const auto set_bytes = static_cast<uint32_t>(PreparedSetBytes(scratch()));
  const std::shared_ptr<PreparedRegionPool> pool = PreparedRegionPool::Of(pipeline_.device);
  FindPreparedOpenings();
  const uint64_t parts_place = sizeof(shared::AlternatingRegions) + uint64_t{kSets} * set_bytes;
  std::vector<std::byte> contents(parts_place + prepared_openings_.size() * sizeof(shared::DensePart));
  Expected<DeviceBuffer> buffer = pool->Take(contents.size());
  if (!buffer) return {};
  const auto prepared = std::make_shared<const PreparedRegions>(pool, *std::move(buffer), set_bytes);

  // The first execution begins with the first set, and opens the second one for the next.
  shared::AlternatingRegions header = {};
  header.other = set_bytes;
  std::memcpy(contents.data(), &header, sizeof(header));
  for (size_t i = 0; i < prepared_openings_.size(); ++i) {
    const shared::RegionPlan& opening = prepared_openings_[i];
    const shared::Region region = OpenRegion(prepared->set_address(0), placement_.ring, opening);
    std::memcpy(contents.data() + sizeof(header) + opening.region * sizeof(region), &region, sizeof(region));
    const shared::DensePart part = {static_cast<uint32_t>(opening.offset / kRegionAlignment), opening.dense};
    std::memcpy(contents.data() + parts_place + i * sizeof(part), &part, sizeof(part));
  }
  if (!prepared->Write(contents)) return {};

  shared::ControlBlock control = {};
  control.ring = placement_.ring;
  control.dump = environment_.scratch + scratch().dump;
  control.ring_entry = shared::kNoSlot;
  control.heap_slot = graph_.HeapSlot();
  control.reports = environment_.device_reports;
  control.origin = Origin();
  if (Expected<void> done = Upload(control, plan_.control); !done) return done;
  plan_.prepared = prepared;
  UsePrepared(plan_);
  return {};
}

Expected<void> LevelPlanner::PlanPreparing() {
  const std::span<const shared::RegionPlan> later = std::span(memory().openings).subspan(prepared_openings_.size());
  if (Expected<void> done = UploadOpenings(prepared_openings_, later); !done) return done;
  shared::OpenPlan open = {};
  open.prepared = RegionsConsumedBy(1);
  assert((open.prepared & shared::kAlternating) != 0);
  open.dense_parts = DensePartsAddress();
  open.prepared_count = static_cast<uint32_t>(prepared_openings_.size());
  return PlanOpen(open);
}

}  // namespace trellis
