#include <span>

#include "layer/replay/level_planner.h"

namespace trellis {

Expected<void> LevelPlanner::PlanBatches(uint32_t level) {
  const RelocatableLevel& counted = counted_->levels[level];
  if (counted.batches.empty()) return {};
  Expected<PlanSpan> plans = arena_.Allocate(counted.batches.size() * sizeof(shared::LaunchBatch));
  if (!plans) return plans.error();
  KernelCall& call = plan_.levels.back().batches.emplace();
  call.plan = plans->address;
  call.x = static_cast<uint32_t>(counted.batches.size());
  // Behind those of the close kernel.
  auto position = static_cast<uint32_t>(counted.closed.size());
  uint64_t sums = scratch().batch_sums;
  for (size_t i = 0; i < counted.batches.size(); ++i) {
    const RelocatableBatch& batch = counted.batches[i];
    const RelocatableLaunch& first = counted.launches[batch.launch_begin];
    shared::LaunchBatch described = {};
    described.sums = environment_.scratch + sums;
    described.arguments = environment_.scratch + scratch().argument(position);
    described.form = shared::kFormBatch;
    described.member_count = batch.launch_end - batch.launch_begin;
    described.member_bytes = BlockBytes(first.launch.slot);
    described.kind = first.described.kind;
    described.max_workgroups_x = environment_.limits.max_workgroups_x;
    if (Expected<void> done = UploadMembers(level, batch, described.members); !done) return done;
    plans->Store(i * sizeof(described), described);

    NodeLaunch& node = AddLaunch(first);
    node.label = &batch.label;
    node.block = plans->address + i * sizeof(described);
    node.arguments = scratch().argument(position);
    sums += (uint64_t{described.member_count} + 1) * sizeof(uint32_t);
    ++position;
  }
  return {};
}

Expected<void> LevelPlanner::UploadMembers(uint32_t level, const RelocatableBatch& batch, VkDeviceAddress& address) {
  const std::span<const RelocatableLaunch> members =
      level_launches(level).subspan(batch.launch_begin, batch.launch_end - batch.launch_begin);
  const uint32_t member_bytes = BlockBytes(members.front().launch.slot);
  Expected<PlanSpan> span = arena_.Allocate(uint64_t{member_bytes} * members.size());
  if (!span) return span.error();
  address = span->address;
  for (size_t i = 0; i < members.size(); ++i) {
    const VkDeviceAddress region = environment_.scratch + scratch().region_offset(level, members[i].launch.input);
    StoreBlock(level, members[i].described, region, true, *span, i * member_bytes);
  }
  return {};
}

}  // namespace trellis
