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

std::shared_ptr<const RingUse> MemoryPlans::Find(const Key& key) const {
  std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : found->use;
}

void MemoryPlans::Keep(Key key, std::shared_ptr<const RingUse> use) {
  std::lock_guard lock(mutex_);
  if (entries_.size() == kMostPlans) entries_.erase(entries_.begin());
  entries_.push_back({std::move(key), std::move(use)});
}

}  // namespace trellis
