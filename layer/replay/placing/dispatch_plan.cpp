// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/placing/dispatch_plan.h"

#include <algorithm>
#include <utility>

#include "layer/device/advertised_properties.h"
#include "layer/graph/describe.h"
#include "layer/graph/saturating.h"
#include "layer/graph/tables.h"
#include "layer/memory/ring_pool.h"
#include "layer/replay/placing/dispatch_planner.h"
#include "layer/replay/placing/host_draws.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// A copy kernel with more workgroups than this for one input gains nothing: each then copies several batches.
constexpr uint32_t kMaxCopyWorkgroups = 1024;

// Alignment of inputs that are copied into the ring.
constexpr uint64_t kCopyAlignment = 256;

// So that a ring exists even if nothing in the graph has a size: without one every region is closed.
constexpr uint64_t kSmallestRing = 256;

class HostPlanner : DispatchPlanner {
 public:
  HostPlanner(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs, const DispatchEnvironment& environment,
              PlanArena& arena)
      : DispatchPlanner(pipeline, environment, arena), inputs_(inputs), largest_draw_(environment.draw_limits) {}

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
  void PlanRootLevels() {
    std::vector<RootCount> counts;
    for (const Root& root : roots_) {
      for (const RootLaunch& launch : root.launches) {
        const spirv::NodeInfo& info = InfoOf(launch.launch);
        const bool counted = info.kind == spirv::LaunchKind::kDynamicGrid;
        counts.push_back(
            {launch.launch, counted ? launch.size.all_workgroups
                                    : MaxWorkgroupsOfRecords(info, launch.size.records, kMaxExecutionGraphWorkgroups)});
      }
      copied_bytes_ += CopiedBytes(root);
    }
    PlanLevels({std::move(counts), copied_bytes_});
  }

  // Returns the bytes of the ring that a copy takes.
  [[nodiscard]] static uint64_t CopiedBytes(const Root& root) {
    return root.copied ? SaturatingRoundUp(root.records.size, kCopyAlignment) : 0;
  }

  [[nodiscard]] Expected<void> PlaceRoots() {
    if (steps()) root_inputs_.resize(schedule().launches_of(0).size());
    // Level 0 appends to the first half; the second one is free until level 1 appends to it. There is none in bounded
    // mode, with draws, and where each slot is launched once: what is copied lies behind everything else.
    copy_offset_ = memory().half_bytes[0];
    for (const Root& root : roots_) {
      for (const RootLaunch& prepared : root.launches) {
        const bool is_drawn = InfoOf(prepared.launch).IsMesh();
        if (Expected<void> done = is_drawn ? PlaceDraws(root, prepared) : PlaceLaunch(root, prepared); !done)
          return done;
      }
      copy_offset_ += CopiedBytes(root);
    }
    return copies_.empty() ? Expected<void>() : PlanCopies();
  }

  [[nodiscard]] Expected<void> PlaceLaterLevels() {
    Placement placement;
    if (schedule().level_count() > 1 || copied_bytes_ != 0)
      placement.ring_bytes = std::max({memory().ring_bytes(), memory().half_bytes[0] + copied_bytes_, kSmallestRing});
    placement.brings_roots = true;
    if (environment_.rings != nullptr && counted_->can_prepare)
      placement.ring = environment_.rings->RingWith(placement.ring_bytes);
    placement.root_inputs = root_inputs_;
    return Place(placement);
  }

  [[nodiscard]] Expected<void> PlaceLaunch(const Root& root, const RootLaunch& prepared) {
    const RelocatableLaunch& counted = CountedOf(prepared.launch);
    const uint32_t position = counted.described.position;
    VkDeviceAddress launch_input = 0;
    if (Expected<void> done = PlaceInput(root, prepared, prepared.input, position, launch_input); !done) return done;
    if (steps()) {
      root_inputs_[position] = launch_input;
      return {};
    }
    NodeLaunch& launch = plan_.roots.emplace_back(LaunchOf(counted));
    launch.size = SplitIntoRows(DispatchedWorkgroups(prepared.described, prepared.size.workgroups),
                                environment_.limits.max_workgroups_x, prepared.size.slices);
    return UploadBlock(0, prepared.described, launch_input, false, launch.block);
  }

  [[nodiscard]] Expected<void> PlaceDraws(const Root& root, const RootLaunch& prepared) {
    const RelocatableLaunch& counted = CountedOf(prepared.launch);
    uint32_t draw = 0;
    DrawSplit split(prepared, largest_draw_);
    while (const shared::LaunchInput* const next = split.Next()) {
      const shared::LaunchInput& input = *next;
      if (root.copied && draw == scratch().max_draws) {
        plan_.complaints.push_back(
            std::to_string(prepared.size.workgroups - input.first_workgroup) + " workgroups of node " +
            LaunchLabel(graph_, prepared.launch) +
            " are not drawn: a node that shares its input writes it, and then they are too many");
        break;
      }
      VkDeviceAddress launch_input = 0;
      const uint32_t position = counted.described.first_draw + draw++;
      if (Expected<void> done = PlaceInput(root, prepared, input, position, launch_input); !done) return done;
      NodeLaunch& launch = plan_.root_draws.emplace_back(LaunchOf(counted));
      launch.size = SizeOfDraw(input, largest_draw_);
      if (Expected<void> done = UploadBlock(0, prepared.described, launch_input, false, launch.block); !done)
        return done;
    }
    return {};
  }

  // Where `input` lies for the launch: in plan memory, or at `position` in scratch, where the copy kernel completes it.
  [[nodiscard]] Expected<void> PlaceInput(const Root& root, const RootLaunch& prepared,
                                          const shared::LaunchInput& input, uint32_t position,
                                          VkDeviceAddress& address) {
    if (Expected<void> done = Upload(input, address); !done || !root.copied) return done;
    shared::InputCopy& copy = copies_.emplace_back();
    copy.source = root.records.address;
    copy.ring_offset = copy_offset_;
    copy.record_state_offset = copy_offset_ + prepared.record_state_offset;
    copy.input_template = address;
    copy.target = address = environment_.scratch + scratch().input(position);
    const bool is_first = &prepared == &root.launches.front() && input.first_workgroup == 0;
    copy.pieces = is_first ? static_cast<uint32_t>(root.records.size / 16) : 0;
    copy.slot = prepared.launch.slot;
    return {};
  }

  [[nodiscard]] const RelocatableLaunch& CountedOf(Launch launch) const {
    const RelocatableLevel& level = counted_->levels[0];
    const std::vector<RelocatableLaunch>& launches = InfoOf(launch).IsMesh() ? level.draws : level.launches;
    return *std::find_if(launches.begin(), launches.end(),
                         [launch](const RelocatableLaunch& counted) { return counted.launch == launch; });
  }

  [[nodiscard]] Expected<void> PlanCopies() {
    shared::CopyPlan copy = {};
    copy.control = ControlAddress();
    copy.reports = environment_.device_reports;
    copy.origin = Origin();
    if (Expected<void> done = Upload(std::span<const shared::InputCopy>(copies_), copy.copies); !done) return done;
    uint32_t max_pieces = 1;
    for (const shared::InputCopy& one : copies_) max_pieces = std::max(max_pieces, one.pieces);
    KernelCall& call = plan_.copy.emplace();
    call.x = std::min((max_pieces - 1) / shared::kCopyWorkgroup + 1, kMaxCopyWorkgroups);
    call.y = static_cast<uint32_t>(copies_.size());
    return Upload(copy, call.plan);
  }

  const EntryInputs& inputs_;
  const LargestDraw largest_draw_;
  std::vector<Root> roots_;
  uint64_t copied_bytes_ = 0;  // of the ring, for roots that are copied
  uint64_t copy_offset_ = 0;   // in the ring, of the root in question
  std::vector<shared::InputCopy> copies_;
  std::vector<VkDeviceAddress> root_inputs_;  // of bounded mode
};

}  // namespace

Expected<DispatchPlan> PlanDispatch(const ExecutionGraphPipeline& pipeline, const EntryInputs& inputs,
                                    const DispatchEnvironment& environment, PlanArena& arena) {
  return HostPlanner(pipeline, inputs, environment, arena).Run();
}

}  // namespace trellis
