// SPDX-License-Identifier: Apache-2.0
// Dispatches whose infos the device reads. What they start is not known here: any node that the application may launch
// is a root, and the kernels of meta_shaders/entry/ place and fill level 0's regions when it is known.
#include <algorithm>
#include <utility>
#include <vector>

#include "layer/device/advertised_properties.h"
#include "layer/graph/saturating.h"
#include "layer/replay/placing/dispatch_planner.h"
#include "meta_shaders/shared/entry_plan.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// More workgroups gain nothing; each then takes several batches of infos.
constexpr uint32_t kMaxInfoWorkgroups = 1024;
// Where the number of infos is not known either.
constexpr uint32_t kUnknownInfoWorkgroups = 64;
constexpr uint32_t kChunkCapacity = 16384;
constexpr uint64_t kUnit = 16;
constexpr uint64_t kMaxUnits = 0xfffffffeu;  // below what a sum saturates at, so that such a sum never fits

class DevicePlanner : DispatchPlanner {
 public:
  DevicePlanner(const ExecutionGraphPipeline& pipeline, const DeviceInputs& inputs,
                const DispatchEnvironment& environment, PlanArena& arena)
      : DispatchPlanner(pipeline, environment, arena), inputs_(inputs) {}

  Expected<DispatchPlan> Run() {
    const bool nothing = inputs_.count_info == 0 && inputs_.info_count == 0;
    FindRoots();
    if (nothing || roots_.empty()) return std::move(plan_);
    if (Expected<void> done = CopyPushConstants(); !done) return done.error();
    PlanRootLevels();
    if (Expected<void> done = PlanEntry(); !done) return done.error();
    if (Expected<void> done = PlaceWithClosedRegions(); !done) return done.error();
    return std::move(plan_);
  }

 private:
  // Sharers run with their target, and are no entries of their own.
  void FindRoots() {
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      const Node& candidate = graph_.nodes[node];
      const bool is_entry = candidate.info.is_api_entry && !candidate.info.shares_input;
      const uint32_t slot = is_entry ? graph_.EntrySlot(node) : shared::kNoSlot;
      entries_.push_back({slot, candidate.input_bytes});
      if (is_entry) roots_.push_back(slot);
    }
    std::sort(roots_.begin(), roots_.end());
  }

  void PlanRootLevels() {
    std::vector<Launch> launches;
    for (uint32_t slot : roots_) graph_.AppendLaunches(slot, launches);
    std::vector<RootCount> counts;
    for (Launch launch : launches) counts.push_back({launch, kUnbounded});
    PlanLevels({std::move(counts), environment_.ring_budget / 2});
    chunks_offset_ = memory().half_bytes[0] + counted_->entry_bytes;
  }

  // count_infos gives them room.
  [[nodiscard]] Expected<void> PlaceWithClosedRegions() {
    std::vector<shared::RegionPlan> openings;
    for (uint32_t slot : roots_) {
      openings.push_back(DenseRegion(memory().half_bytes[0], slot, graph_.slots[slot].record_stride, 0, 0));
      openings.back().region = scratch().region(0, slot);
    }
    for (const RelocatableLaunch& launch : level_launches(0)) {
      if (!launch.from_region) continue;
      const auto root = std::lower_bound(roots_.begin(), roots_.end(), launch.launch.input) - roots_.begin();
      openings[root].capacity = MaxInfoRecords(graph_, *counted_, launch.launch.input);
      static_cast<void>(LaunchFromRegion(launch.described, environment_.limits, openings[root]));
      openings[root].capacity = 0;  // until count_infos knows it
    }
    Placement placement;
    placement.ring_bytes = chunks_offset_ + kChunkCapacity * sizeof(shared::EntryChunk);
    placement.entry_openings = openings;
    return Place(placement);
  }

  Expected<void> PlanEntry() {
    shared::EntryPlan entry = {};
    entry.control = environment_.scratch + scratch().control;
    entry.count_info = inputs_.count_info;
    entry.infos = inputs_.infos;
    entry.info_stride = inputs_.info_stride;
    entry.regions = RegionsConsumedBy(0);
    entry.half_offset = memory().half_bytes[0];
    entry.chunks_offset = chunks_offset_;
    entry.state = environment_.scratch + scratch().entry;
    entry.reports = environment_.device_reports;
    entry.info_count = inputs_.info_count;
    entry.node_count = static_cast<uint32_t>(entries_.size());
    entry.root_count = static_cast<uint32_t>(roots_.size());
    entry.half_units = static_cast<uint32_t>(std::min(counted_->entry_bytes / kUnit, kMaxUnits));
    entry.chunk_capacity = kChunkCapacity;
    entry.origin = Origin();
    entry.address_alignment = kExecutionGraphDispatchAddressAlignment;
    entry.max_payload_count = kMaxExecutionGraphShaderPayloadCount;
    if (Expected<void> done = Upload(std::span<const shared::EntryNode>(entries_), entry.nodes); !done) return done;
    if (Expected<void> done = Upload(std::span<const shared::EntryRoot>(RootsWithState()), entry.roots); !done)
      return done;
    VkDeviceAddress plan = 0;
    if (Expected<void> done = Upload(entry, plan); !done) return done;
    const uint32_t workgroups = InfoWorkgroups();
    plan_.entry = EntryPasses{{plan, workgroups, 1}, {plan, workgroups, 1}, plan, scratch().entry};
    return {};
  }

  [[nodiscard]] std::vector<shared::EntryRoot> RootsWithState() const {
    std::vector<shared::EntryRoot> roots;
    for (const uint32_t slot : schedule().level(0)) roots.push_back({slot, graph_.StateWords(slot)});
    return roots;
  }

  [[nodiscard]] uint32_t InfoWorkgroups() const {
    if (inputs_.count_info != 0) return kUnknownInfoWorkgroups;
    return std::min((inputs_.info_count - 1) / shared::kEntryWorkgroup + 1, kMaxInfoWorkgroups);
  }

  const DeviceInputs& inputs_;
  std::vector<shared::EntryNode> entries_;  // by node
  std::vector<uint32_t> roots_;             // slots
  uint64_t chunks_offset_ = 0;
};

}  // namespace

Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const DeviceInputs& inputs,
                                    const DispatchEnvironment& environment, PlanArena& arena) {
  return DevicePlanner(pipeline, inputs, environment, arena).Run();
}

}  // namespace trellis
