#include "layer/replay/dispatch_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/saturating.h"
#include "layer/graph/tables.h"
#include "layer/memory/ring_pool.h"
#include "layer/replay/dispatch_planner.h"
#include "layer/replay/host_roots.h"
#include "meta_shaders/shared/input_copy.h"

namespace trellis {
namespace {

// A copy kernel with more workgroups than this for one input gains nothing: each then copies several batches.
constexpr uint32_t kMostCopyWorkgroups = 1024;

// Of inputs in the ring that are copied there.
constexpr uint64_t kCopyAlignment = 256;

// So that a ring exists even if nothing in the graph has a size: without one every region is closed.
constexpr uint64_t kSmallestRing = 256;

class HostPlanner : DispatchPlanner {
 public:
  HostPlanner(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs, const DispatchEnvironment& environment,
              PlanArena& arena)
      : DispatchPlanner(pipeline, environment, arena), inputs_(inputs) {}

  Expected<DispatchPlan> Run() {
    Expected<std::vector<Root>> roots = PrepareRoots(graph_, inputs_, environment_.limits, arena_, plan_.complaints);
    if (!roots) return roots.error();
    roots_ = *std::move(roots);
    if (roots_.empty()) return std::move(plan_);
    if (Expected<void> done = CopyPushConstants(); !done) return done.error();
    PlanRootLevels();
    // Roots read what their graph has; steps read what their dispatch's roots have.
    if (!steps())
      if (Expected<void> done = PlaceLaterLevels(); !done) return done.error();
    if (Expected<void> done = PlaceRoots(); !done) return done.error();
    if (steps())
      if (Expected<void> done = PlaceLaterLevels(); !done) return done.error();
    return std::move(plan_);
  }

 private:
  void PlanRootLevels();
  [[nodiscard]] Expected<void> PlaceRoots();
  [[nodiscard]] Expected<void> PlaceLaterLevels();
  [[nodiscard]] Expected<void> PlaceRoot(const Root& root, uint64_t copy_offset,
                                         std::vector<shared::InputCopy>& copies);
  // Adds to `copies`; `launch_input` is that of the template, and gets that of the copy.
  void AddCopy(const Root& root, const RootLaunch& prepared, uint64_t copy_offset,
               std::vector<shared::InputCopy>& copies, VkDeviceAddress& launch_input);
  [[nodiscard]] uint32_t PositionOf(Launch launch) const {
    const std::span<const Launch> launches = schedule().launches_of(0);
    return static_cast<uint32_t>(std::find(launches.begin(), launches.end(), launch) - launches.begin());
  }
  [[nodiscard]] Expected<void> PlanCopies(const std::vector<shared::InputCopy>& copies);

  const EntryInputs& inputs_;
  std::vector<Root> roots_;
  uint64_t copied_bytes_ = 0;                 // of the ring, for roots that are copied
  std::vector<VkDeviceAddress> root_inputs_;  // of bounded mode
};

void HostPlanner::PlanRootLevels() {
  std::vector<RootCount> counts;
  for (const Root& root : roots_) {
    for (const RootLaunch& launch : root.launches) {
      const spirv::NodeInfo& info = InfoOf(launch.launch);
      const bool counted = info.kind == spirv::LaunchKind::kDynamicGrid;
      counts.push_back({launch.launch, counted
                                           ? launch.size.all_workgroups
                                           : MostWorkgroups(info, launch.size.records, kMaxExecutionGraphWorkgroups)});
    }
  }
  for (const Root& root : roots_)
    if (root.copied) copied_bytes_ += SaturatingRoundUp(root.records.size, kCopyAlignment);
  PlanLevels({std::move(counts), copied_bytes_});
}

Expected<void> HostPlanner::PlaceRoots() {
  if (steps()) root_inputs_.resize(schedule().launches_of(0).size());
  std::vector<shared::InputCopy> copies;
  // Level 0 appends to the first half; the second one is free until level 1 appends to it. There is none in bounded
  // mode: what is copied lies behind all queues.
  uint64_t copy_end = memory().half_bytes[0];
  for (const Root& root : roots_) {
    if (Expected<void> done = PlaceRoot(root, copy_end, copies); !done) return done;
    if (root.copied) copy_end += SaturatingRoundUp(root.records.size, kCopyAlignment);
  }
  return copies.empty() ? Expected<void>() : PlanCopies(copies);
}

Expected<void> HostPlanner::PlaceLaterLevels() {
  Placement placement;
  if (schedule().level_count() > 1 || copied_bytes_ != 0)
    placement.ring_bytes = std::max({memory().ring_bytes(), memory().half_bytes[0] + copied_bytes_, kSmallestRing});
  placement.brings_roots = true;
  if (environment_.rings != nullptr && counted_->can_prepare)
    placement.ring = environment_.rings->RingWith(placement.ring_bytes);
  placement.root_inputs = root_inputs_;
  return Place(placement);
}

// What launches read is described in plan memory, or in scratch where the copy kernel completes it.
Expected<void> HostPlanner::PlaceRoot(const Root& root, uint64_t copy_offset, std::vector<shared::InputCopy>& copies) {
  for (const RootLaunch& prepared : root.launches) {
    VkDeviceAddress launch_input = 0;
    if (Expected<void> done = Upload(prepared.input, launch_input); !done) return done;
    if (root.copied) AddCopy(root, prepared, copy_offset, copies, launch_input);
    const uint32_t position = PositionOf(prepared.launch);
    if (steps()) {
      root_inputs_[position] = launch_input;
      continue;
    }
    NodeLaunch& launch = plan_.roots.emplace_back(LaunchOf(level_launches(0)[position]));
    launch.size = SplitIntoRows(DispatchedWorkgroups(prepared.described, prepared.size.workgroups),
                                environment_.limits.max_workgroups_x, prepared.size.slices);
    if (Expected<void> done = UploadBlock(0, prepared.described, launch_input, false, launch.block); !done) return done;
  }
  return {};
}

void HostPlanner::AddCopy(const Root& root, const RootLaunch& prepared, uint64_t copy_offset,
                          std::vector<shared::InputCopy>& copies, VkDeviceAddress& launch_input) {
  shared::InputCopy& copy = copies.emplace_back();
  copy.source = root.records.address;
  copy.ring_offset = copy_offset;
  copy.notes_offset = copy_offset + prepared.notes_offset;
  copy.input_template = launch_input;
  copy.target = launch_input = environment_.scratch + scratch().input(PositionOf(prepared.launch));
  const bool first = &prepared == &root.launches.front();
  copy.pieces = first ? static_cast<uint32_t>(root.records.size / 16) : 0;
  copy.slot = prepared.launch.slot;
}

Expected<void> HostPlanner::PlanCopies(const std::vector<shared::InputCopy>& copies) {
  shared::CopyPlan copy = {};
  copy.control = ControlAddress();
  copy.reports = environment_.loss_reports;
  copy.origin = Origin();
  if (Expected<void> done = Upload(std::span<const shared::InputCopy>(copies), copy.copies); !done) return done;
  uint32_t most_pieces = 1;
  for (const shared::InputCopy& one : copies) most_pieces = std::max(most_pieces, one.pieces);
  KernelCall& call = plan_.copy.emplace();
  call.x = std::min((most_pieces - 1) / shared::kCopyWorkgroup + 1, kMostCopyWorkgroups);
  call.y = static_cast<uint32_t>(copies.size());
  return Upload(copy, call.plan);
}

}  // namespace

Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                    const DispatchEnvironment& environment, PlanArena& arena) {
  return HostPlanner(pipeline, inputs, environment, arena).Run();
}

}  // namespace trellis
