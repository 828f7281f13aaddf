#include "layer/graph/memory_plan.h"

#include <algorithm>

#include "layer/graph/saturating.h"

namespace trellis {
namespace {

constexpr uint64_t kRegionAlignment = 16;
constexpr uint64_t kHalfAlignment = 256;

uint32_t NoteWords(const Graph& graph, Launch launch) { return graph.NodeOf(launch.slot).info.NoteWords(); }

// One region that a level appends to.
struct Need {
  uint32_t slot = 0;
  uint32_t stride = 0;
  uint32_t note_words = 0;  // a record, over all launches that read the region
  uint64_t bound = 0;       // records
  uint64_t bytes = 0;       // for `bound`, alignment included
  uint64_t arrivals = 0;    // records, before the half was shared
};

uint64_t BytesFor(const Need& need, uint64_t records) { return RegionBytes(need.stride, need.note_words, records); }

// Most records for which BytesFor stays within `bytes`, give or take the alignment of the parts.
uint64_t RecordsIn(const Need& need, uint64_t bytes) {
  const uint64_t alignment_loss = kRegionAlignment * (1 + need.note_words);
  const uint64_t each = need.stride + need.note_words * sizeof(uint32_t);
  return bytes <= alignment_loss ? 0 : (bytes - alignment_loss) / each;
}

// Whatever a workgroup of the node computes.
bool LimitsHold(const spirv::NodeInfo& info) {
  return std::all_of(info.outputs.begin(), info.outputs.end(),
                     [](const spirv::NodeOutputInfo& output) { return output.limit_holds; });
}

class Planner {
 public:
  Planner(const Graph& graph, const LevelSchedule& schedule, const MemoryLimits& limits)
      : graph_(graph),
        schedule_(schedule),
        limits_(limits),
        half_limit_(limits.half_bytes / kHalfAlignment * kHalfAlignment) {
    workgroups_.resize(schedule.launches.size());
    need_of_slot_.resize(graph.slots.size());
    // One opening for each slot, and perhaps a heap, in each level; a level may have all slots.
    plan_.openings.reserve(schedule.slots.size() + schedule.level_begin.size());
    plan_.arrivals.reserve(plan_.openings.capacity());
    plan_.opening_begin.reserve(schedule.level_begin.size());
    needs_.reserve(graph.slots.size() + 1);
  }

  GraphPlan Plan(std::span<const RootCount> roots) {
    plan_.opening_begin.push_back(0);
    if (schedule_.level_count() == 0) return std::move(plan_);
    for (const RootCount& root : roots) {
      uint64_t& workgroups = workgroups_[PositionInLevelZero(root.launch)];
      workgroups = SaturatingAdd(workgroups, root.workgroups);
    }
    for (uint32_t level = 0; level + 1 < schedule_.level_count(); ++level) {
      CollectNeeds(level);
      ShareHalf(level);
      Place(level);
      BoundWorkgroups(level + 1);
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    plan_.cannot_lose = plan_.bounded && limits_hold_;
    MoveOddLevelsToHalfOne();
    return std::move(plan_);
  }

 private:
  size_t PositionInLevelZero(Launch launch) const {
    const std::span<const Launch> launches = schedule_.launches_of(0);
    const auto first = std::lower_bound(launches.begin(), launches.end(), launch.input,
                                        [](Launch known, uint32_t input) { return known.input < input; });
    return static_cast<size_t>(std::find(first, launches.end(), launch) - launches.begin());
  }

  void CollectNeeds(uint32_t level) {
    needs_.clear();
    for (uint32_t slot : schedule_.level(level + 1)) {
      need_of_slot_[slot] = static_cast<uint32_t>(needs_.size());
      needs_.push_back({slot, graph_.slots[slot].record_stride, 0, 0, 0, 0});
    }
    for (Launch launch : schedule_.launches_of(level + 1))
      needs_[need_of_slot_[launch.input]].note_words += NoteWords(graph_, launch);

    uint64_t heap_bytes = 0;
    bool heap = false;
    for (uint32_t i = schedule_.launch_begin[level]; i < schedule_.launch_begin[level + 1]; ++i) {
      const Slot& slot = graph_.slots[schedule_.launches[i].slot];
      for (const SlotEdge& edge : slot.edges) {
        uint64_t& bound = needs_[need_of_slot_[edge.slot]].bound;
        bound = SaturatingAdd(bound, SaturatingMultiply(workgroups_[i], edge.payloads));
      }
      heap |= slot.heap_bytes != 0;
      limits_hold_ &= LimitsHold(graph_.NodeOf(schedule_.launches[i].slot).info);
      heap_bytes = SaturatingAdd(heap_bytes, SaturatingMultiply(workgroups_[i], slot.heap_bytes));
    }
    if (heap) needs_.push_back({graph_.HeapSlot(), kHeapUnit, 0, heap_bytes / kHeapUnit, 0, 0});
    for (Need& need : needs_) {
      if (need.bound > kMostRegionRecords) {
        need.bound = kMostRegionRecords;
        plan_.bounded = plan_.fits_spread = false;
      }
      need.bytes = BytesFor(need, need.bound);
      need.arrivals = need.bound;
    }
  }

  // Most bytes that one workgroup sends, whichever nodes its outputs choose.
  [[nodiscard]] uint64_t MostSent(Launch launch) const {
    const Slot& slot = graph_.slots[launch.slot];
    const std::vector<spirv::NodeOutputInfo>& outputs = graph_.NodeOf(launch.slot).info.outputs;
    uint64_t sent = slot.heap_bytes;
    for (size_t i = 0; i < outputs.size(); ++i) {
      uint64_t largest = 0;
      for (const Target& target : slot.outputs[i]) {
        const Need& need = needs_[need_of_slot_[target.slot]];
        largest = std::max(largest, need.stride + need.note_words * uint64_t{sizeof(uint32_t)});
      }
      sent = SaturatingAdd(sent, SaturatingMultiply(outputs[i].max_payloads, largest));
    }
    return sent;
  }
  [[nodiscard]] uint64_t MostSentBy(uint32_t level) const {
    uint64_t sent = 0;
    for (uint32_t i = schedule_.launch_begin[level]; i < schedule_.launch_begin[level + 1]; ++i)
      sent = SaturatingAdd(sent, SaturatingMultiply(workgroups_[i], MostSent(schedule_.launches[i])));
    return sent;
  }

  // Lowers the bounds of the largest needs until all of them fit into one half.
  void ShareHalf(uint32_t level) {
    uint64_t total = 0;
    for (const Need& need : needs_) total = SaturatingAdd(total, need.bytes);
    if (total <= half_limit_) return;
    plan_.bounded = false;
    plan_.fits_spread &= MostSentBy(level) <= half_limit_;

    by_bytes_.clear();
    for (Need& need : needs_)
      if (need.bytes != 0) by_bytes_.push_back(&need);
    std::sort(by_bytes_.begin(), by_bytes_.end(), [](const Need* a, const Need* b) { return a->bytes < b->bytes; });
    uint64_t left = half_limit_;
    for (size_t i = 0; i < by_bytes_.size(); ++i) {
      Need& need = *by_bytes_[i];
      const uint64_t share = left / (by_bytes_.size() - i);
      if (need.bytes > share) {
        need.bound = std::min(need.bound, RecordsIn(need, share));
        need.bytes = BytesFor(need, need.bound);
      }
      left -= need.bytes;
    }
  }

  // Half 1 begins where half 0 ends, which is known only after the last level: until then offsets count from the half.
  void Place(uint32_t level) {
    uint64_t used = 0;
    for (const Need& need : needs_) {
      plan_.openings.push_back(
          {used, need.slot, need.stride, static_cast<uint32_t>(need.bound), level + 1, 0, 0, 0, 0, 0, 0, 0, 0});
      plan_.arrivals.push_back(static_cast<uint32_t>(need.arrivals));
      used += need.bytes;
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    uint64_t& half_bytes = plan_.half_bytes[level & 1];
    half_bytes = std::max(half_bytes, SaturatingRoundUp(used, kHalfAlignment));
  }

  void MoveOddLevelsToHalfOne() {
    for (uint32_t level = 1; level + 1 < schedule_.level_count(); level += 2) {
      for (uint32_t i = plan_.opening_begin[level]; i < plan_.opening_begin[level + 1]; ++i)
        plan_.openings[i].offset += plan_.half_bytes[0];
    }
  }

  // Of the level that consumes what was just placed.
  void BoundWorkgroups(uint32_t level) {
    for (uint32_t i = schedule_.launch_begin[level]; i < schedule_.launch_begin[level + 1]; ++i) {
      const Launch launch = schedule_.launches[i];
      const uint64_t records = needs_[need_of_slot_[launch.input]].bound;
      const spirv::NodeInfo& info = graph_.NodeOf(launch.slot).info;
      workgroups_[i] = std::min(MostWorkgroups(info, records, limits_.max_grid_workgroups),
                                SaturatingMultiply(limits_.max_workgroups, info.packed));
    }
  }

  const Graph& graph_;
  const LevelSchedule& schedule_;
  const MemoryLimits& limits_;
  const uint64_t half_limit_;
  GraphPlan plan_;
  bool limits_hold_ = true;             // of all producers so far
  std::vector<uint64_t> workgroups_;    // by launch, like LevelSchedule::launches: at most
  std::vector<Need> needs_;             // of the level that is being planned: its openings
  std::vector<uint32_t> need_of_slot_;  // position in needs_
  std::vector<Need*> by_bytes_;
};

}  // namespace

shared::RegionPlan& GraphPlan::opening_of(uint32_t level, uint32_t slot) {
  const auto first = openings.begin() + opening_begin[level - 1];
  // Sorted by slot; the heap has the last one.
  return *std::lower_bound(first, openings.begin() + opening_begin[level], slot,
                           [](const shared::RegionPlan& opening, uint32_t wanted) { return opening.slot < wanted; });
}

uint64_t RegionBytes(uint32_t stride, uint32_t note_words, uint64_t records) {
  const auto padded = [records](uint64_t each) {
    return SaturatingRoundUp(SaturatingMultiply(records, each), kRegionAlignment);
  };
  return SaturatingAdd(padded(stride), SaturatingMultiply(padded(sizeof(uint32_t)), note_words));
}

uint64_t MostWorkgroups(const spirv::NodeInfo& info, uint64_t records, uint64_t max_grid_workgroups) {
  if (info.kind == spirv::LaunchKind::kCoalescing) return CeilDivide(records, std::max(info.coalesce, 1u));
  const bool dynamic = info.kind == spirv::LaunchKind::kDynamicGrid;
  uint64_t grid = 1;
  for (uint32_t side : info.grid) grid = SaturatingMultiply(grid, dynamic && side == 0 ? kUnbounded : side);
  return SaturatingMultiply(records, dynamic ? std::min(grid, max_grid_workgroups) : grid);
}

GraphPlan PlanMemory(const Graph& graph, const LevelSchedule& schedule, std::span<const RootCount> roots,
                     const MemoryLimits& limits) {
  return Planner(graph, schedule, limits).Plan(roots);
}

}  // namespace trellis
