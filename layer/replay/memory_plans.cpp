#include "layer/replay/memory_plans.h"

#include <algorithm>
#include <utility>

namespace trellis {
namespace {

// Counts that change in every frame make plans that nobody asks for again: not many of those are kept.
constexpr size_t kMostPlans = 8;

}  // namespace

std::shared_ptr<MemoryPlans> MemoryPlans::Of(const ExecutionGraphPipeline& pipeline) {
  return pipeline.attachments.GetOrCreate<MemoryPlans>([] { return std::make_shared<MemoryPlans>(); });
}

std::shared_ptr<const GraphPlan> MemoryPlans::Find(const std::shared_ptr<const LevelSchedule>& schedule,
                                                   std::span<const RootCount> counts) const {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.schedule == schedule &&
           std::equal(entry.counts.begin(), entry.counts.end(), counts.begin(), counts.end());
  });
  return found == entries_.end() ? nullptr : found->plan;
}

void MemoryPlans::Keep(std::shared_ptr<const LevelSchedule> schedule, std::span<const RootCount> counts,
                       std::shared_ptr<const GraphPlan> plan) {
  std::lock_guard lock(mutex_);
  if (entries_.size() == kMostPlans) entries_.erase(entries_.begin());
  entries_.push_back({std::move(schedule), {counts.begin(), counts.end()}, std::move(plan)});
}

}  // namespace trellis
