// Memory plans that a graph has had: an application that dispatches the same counts again, as most do in every frame,
// plans only what depends on addresses.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "layer/graph/memory_plan.h"
#include "layer/graph/step_schedule.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis {

// How a dispatch uses the ring.
struct RingUse {
  GraphPlan memory;
  std::optional<StepSchedule> steps;  // bounded mode
};

// Of one graph. What else decides (limits, ring budget, most steps) is that of the graph's device. Threading: any
// thread.
class MemoryPlans {
 public:
  struct Key {
    std::shared_ptr<const LevelSchedule> schedule;
    std::vector<RootCount> counts;
    uint64_t reserved = 0;  // bytes of the ring that are not for records
    bool operator==(const Key&) const = default;
  };

  [[nodiscard]] static std::shared_ptr<MemoryPlans> Of(const ExecutionGraphPipeline& pipeline);

  // Null if there is none.
  [[nodiscard]] std::shared_ptr<const RingUse> Find(const Key& key) const;
  void Keep(Key key, std::shared_ptr<const RingUse> use);

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const RingUse> use;
  };
  mutable std::mutex mutex_;    // guards entries_
  std::vector<Entry> entries_;  // most recently made last
};

}  // namespace trellis
