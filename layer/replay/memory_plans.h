// Memory plans that a graph has had: an application that dispatches the same counts again, as most do in every frame,
// plans only what depends on addresses.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "layer/graph/memory_plan.h"
#include "layer/pipeline/execution_graph.h"

namespace trellis {

// Of one graph. Limits are no part of the key: they are those of the graph's device. Threading: any thread.
class MemoryPlans {
 public:
  [[nodiscard]] static std::shared_ptr<MemoryPlans> Of(const ExecutionGraphPipeline& pipeline);

  // Null if there is none.
  [[nodiscard]] std::shared_ptr<const GraphPlan> Find(const std::shared_ptr<const LevelSchedule>& schedule,
                                                      std::span<const RootCount> counts) const;
  void Keep(std::shared_ptr<const LevelSchedule> schedule, std::span<const RootCount> counts,
            std::shared_ptr<const GraphPlan> plan);

 private:
  struct Entry {
    std::shared_ptr<const LevelSchedule> schedule;
    std::vector<RootCount> counts;
    std::shared_ptr<const GraphPlan> plan;
  };
  mutable std::mutex mutex_;    // guards entries_
  std::vector<Entry> entries_;  // most recently made last
};

}  // namespace trellis
