// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/launch_batches.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "layer/objects/device.h"
#include "layer/pipeline/batching.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

// Dispatches of more workgroups hide what the next ones take to begin, and workgroups of a batch need 2 ns each to find
// their launch (measured on an H200, 128 launches).
constexpr uint64_t kMaxWorthwhileWorkgroups = 64;  // of each member on average

// Each workgroup looks through the counts of all members: of 1,023 that takes longer than a kernel that adds them up
// once (measured on an H200, 4 k records: 87 us and 43 us; of 128 it is 19.6 us and 20.7 us).
constexpr size_t kMaxCountedMembers = 128;

uint64_t MaxWorthwhileWorkgroups(const Settings& settings) {
  return settings.launch_batches == LaunchBatches::kAlways ? UINT32_MAX : kMaxWorthwhileWorkgroups;
}

class Former {
 public:
  Former(const ExecutionGraphPipeline& pipeline, const LaunchLimits& limits, RelocatableLevel& level)
      : pipeline_(pipeline),
        fewest_members_(FewestLaunches(pipeline.device.settings)),
        max_worthwhile_(MaxWorthwhileWorkgroups(pipeline.device.settings)),
        max_workgroups_(MaxWorkgroupsOfDispatch(limits)),
        max_batches_(limits.max_workgroups_x),
        level_(level) {}

  void Run() {
    for (uint32_t i = 0; i < level_.launches.size(); ++i) Add(i);
    for (const Members& group : groups_) Split(group);
    Reorder();
  }

 private:
  using Members = std::vector<uint32_t>;  // positions in level_.launches

  void Add(uint32_t position) {
    const RelocatableLaunch& launch = level_.launches[position];
    const uint32_t slot = launch.launch.slot;
    const spirv::NodeInfo& info = pipeline_.graph.NodeOf(slot).info;
    // Nodes with grids from records do not look for their launch.
    if (!launch.from_region || info.kind == spirv::LaunchKind::kDynamicGrid || !info.in_batches) return;
    // One pipeline has one way to enter and one grid. Outputs of modules that are lowered to the same words may differ
    // in what is never used.
    const VkPipeline handle = pipeline_.nodes[pipeline_.graph.slots[slot].node].pipeline->handle();
    const auto [found, is_new] = group_of_.try_emplace({handle, pipeline_.outputs[slot].size()}, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].push_back(position);
  }

  // Into parts that one dispatch can have, whatever arrives.
  void Split(const Members& members) {
    Members batch;
    uint64_t workgroups = 0;
    for (const uint32_t member : members) {
      const uint64_t more = level_.launches[member].max_workgroups;
      if (workgroups + more > max_workgroups_) {
        Keep(std::exchange(batch, {}));
        workgroups = 0;
      }
      batch.push_back(member);
      workgroups += more;
    }
    Keep(std::move(batch));
  }

  // What arrives for an array is spread over its nodes, or is for one of them: the most that can arrive for one is
  // about what arrives for all.
  [[nodiscard]] bool IsWorthwhile(const Members& batch) const {
    if (batch.size() < fewest_members_) return false;
    uint64_t workgroups = 0;
    for (const uint32_t member : batch) workgroups = std::max(workgroups, level_.launches[member].arriving_workgroups);
    return workgroups <= batch.size() * max_worthwhile_;
  }

  void Keep(Members batch) {
    // The kernel that counts for them has one row of workgroups.
    if (IsWorthwhile(batch) && batches_.size() < max_batches_) batches_.push_back(std::move(batch));
  }

  void Reorder() {
    if (batches_.empty()) return;
    std::vector<bool> is_member(level_.launches.size());
    for (const Members& batch : batches_)
      for (const uint32_t member : batch) is_member[member] = true;
    std::vector<RelocatableLaunch> reordered;
    reordered.reserve(level_.launches.size());
    for (size_t i = 0; i < is_member.size(); ++i)
      if (!is_member[i]) reordered.push_back(std::move(level_.launches[i]));
    for (const Members& batch : batches_) {
      RelocatableBatch& formed = level_.batches.emplace_back();
      formed.launch_begin = static_cast<uint32_t>(reordered.size());
      for (const uint32_t member : batch) reordered.push_back(std::move(level_.launches[member]));
      formed.launch_end = static_cast<uint32_t>(reordered.size());
    }
    level_.launches = std::move(reordered);
  }

  const ExecutionGraphPipeline& pipeline_;
  const size_t fewest_members_;
  const uint64_t max_worthwhile_;
  const uint64_t max_workgroups_;
  const uint32_t max_batches_;
  RelocatableLevel& level_;
  std::map<std::pair<VkPipeline, size_t>, size_t> group_of_;
  std::vector<Members> groups_;  // in the order of their first launches, so that recordings do not depend on handles
  std::vector<Members> batches_;
};

}  // namespace

void FormBatches(const ExecutionGraphPipeline& pipeline, const LaunchLimits& limits, RelocatableLevel& level) {
  Former(pipeline, limits, level).Run();
}

void CountBatches(const ScratchLayout& scratch, const LaunchLimits& limits, uint32_t number, GraphPlan& memory,
                  RelocatableLevel& level) {
  for (RelocatableBatch& batch : level.batches) {
    const std::span<const RelocatableLaunch> members =
        std::span(level.launches).subspan(batch.launch_begin, batch.launch_end - batch.launch_begin);
    if (members.front().described.kind != shared::kLaunchCoalescing || members.size() > kMaxCountedMembers) continue;
    uint64_t max_workgroups = 0;
    for (const RelocatableLaunch& member : members) max_workgroups += member.max_workgroups;
    const uint64_t place = scratch.workgroup_count(number, batch.launch_begin);
    const uint64_t from_regions = place - scratch.regions;
    if (max_workgroups > limits.max_workgroups_x || from_regions + members.size() * sizeof(uint32_t) > UINT32_MAX)
      continue;
    batch.counts = place;
    const uint32_t first = scratch.region(number, members.front().launch.input);
    for (size_t i = 0; i < members.size(); ++i) {
      shared::RegionPlan& opening = memory.opening_of(number, members[i].launch.input);
      opening.batch_region = first;
      opening.batch_count = static_cast<uint32_t>(from_regions + i * sizeof(uint32_t));
    }
  }
}

}  // namespace trellis
