// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "layer/replay/placing/level_planner.h"

namespace trellis {
namespace {

// Bytes from the region of a member to that of the next one; 0 if they do not lie so.
uint32_t SourceStep(const RelocatableBatch& batch, const std::vector<RelocatableLaunch>& launches) {
  const auto slot_of = [&](uint32_t member) { return launches[batch.launch_begin + member].launch.input; };
  const uint32_t step = slot_of(1) - slot_of(0);
  for (uint32_t member = 1; batch.launch_begin + member < batch.launch_end; ++member)
    if (slot_of(member) < slot_of(member - 1) || slot_of(member) - slot_of(member - 1) != step) return 0;
  return step * static_cast<uint32_t>(sizeof(shared::Region));
}

}  // namespace

Expected<void> LevelPlanner::PlanBatches(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  if (counted.batches.empty()) return {};
  const uint32_t sets = SetsOf(level);
  Expected<PlanSpan> plans = arena_.Allocate(counted.batches.size() * sets * sizeof(shared::LaunchBatch));
  if (!plans) return plans.error();
  // Those that the kernel numbers stand side by side, in front.
  const auto numbered =
      static_cast<uint32_t>(std::count_if(counted.batches.begin(), counted.batches.end(),
                                          [](const RelocatableBatch& batch) { return batch.counts == 0; })) *
      sets;
  if (numbered != 0) plan_.levels.back().batches = KernelCall{plans->address, numbered};
  uint64_t next_numbered = 0;
  uint64_t next_counted = numbered;
  // Behind those of the sizing kernel.
  auto position = static_cast<uint32_t>(counted.sized.size());
  uint64_t sums = scratch().batch_sums;
  for (const RelocatableBatch& batch : counted.batches) {
    for (uint32_t set = 0; set < sets; ++set) {
      const bool is_counted = batch.counts != 0;
      const RelocatableLaunch& first = counted.launches[batch.launch_begin];
      shared::LaunchBatch described = {};
      described.form = is_counted ? shared::kFormCountedBatch : shared::kFormBatch;
      described.member_count = batch.launch_end - batch.launch_begin;
      described.member_bytes = BlockBytes(first.launch.slot);
      described.kind = first.described.kind;
      described.max_workgroups_x = environment_.limits.max_workgroups_x;
      if (Expected<void> done = UploadMembers(level, set, batch, described.members); !done) return done;

      NodeLaunch& node = AddLaunch(first);
      node.label = &batch.label;
      if (is_counted) {
        described.sums = CountsAddress(level, set, batch.counts);
        described.source = RegionAddress(level, set, first.launch.input);
        described.source_step = SourceStep(batch, counted.launches);
        described.arguments = described.source + ArgumentsInRegion(first.described);
        TakeArguments(level, set, first, node);
      } else {
        described.sums = environment_.scratch + sums;
        sums += (uint64_t{described.member_count} + 1) * sizeof(uint32_t);
        node.arguments = scratch().argument(position++);
        described.arguments = environment_.scratch + *node.arguments;
      }
      const uint64_t place = (is_counted ? next_counted++ : next_numbered++) * sizeof(described);
      plans->Store(place, described);
      node.block = plans->address + place;
    }
  }
  return {};
}

Expected<void> LevelPlanner::UploadMembers(uint32_t level, uint32_t set, const RelocatableBatch& batch,
                                           VkDeviceAddress& address) {
  const std::span<const RelocatableLaunch> members =
      level_launches(level).subspan(batch.launch_begin, batch.launch_end - batch.launch_begin);
  const uint32_t member_bytes = BlockBytes(members.front().launch.slot);
  Expected<PlanSpan> span = arena_.Allocate(uint64_t{member_bytes} * members.size());
  if (!span) return span.error();
  address = span->address;
  for (size_t i = 0; i < members.size(); ++i) {
    const VkDeviceAddress region = RegionAddress(level, set, members[i].launch.input);
    StoreBlock(level, members[i].described, region, true, *span, i * member_bytes);
  }
  return {};
}

}  // namespace trellis
