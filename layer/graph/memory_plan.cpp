#include "layer/graph/memory_plan.h"

#include <algorithm>

#include "layer/graph/saturating.h"

namespace trellis {
namespace {

constexpr uint64_t kMostRecords = (uint64_t{1} << 31) - 1;
constexpr uint64_t kRegionAlignment = 16;
constexpr uint64_t kHalfAlignment = 256;
constexpr uint64_t kHeapUnit = 16;
constexpr uint64_t kPrefixSumBytes = 4;

uint64_t CeilDivide(uint64_t a, uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

bool HasPrefixSums(const Graph& graph, uint32_t slot) {
  return slot != graph.HeapSlot() && graph.NodeOf(slot).info.kind == spirv::LaunchKind::kDynamicGrid;
}

// One region that a level appends to.
struct Need {
  uint32_t slot = 0;
  uint32_t stride = 0;
  bool prefix_sums = false;
  uint64_t bound = 0;  // records
  uint64_t bytes = 0;  // for `bound`, alignment included
};

uint64_t BytesFor(const Need& need, uint64_t records) {
  const uint64_t data = SaturatingRoundUp(SaturatingMultiply(records, need.stride), kRegionAlignment);
  const uint64_t sums =
      need.prefix_sums ? SaturatingRoundUp(SaturatingMultiply(records, kPrefixSumBytes), kRegionAlignment) : 0;
  return SaturatingAdd(data, sums);
}

// Most records for which BytesFor stays within `bytes`, give or take the alignment of the two parts.
uint64_t RecordsIn(const Need& need, uint64_t bytes) {
  const uint64_t alignment_loss = kRegionAlignment * (need.prefix_sums ? 2 : 1);
  const uint64_t each = need.stride + (need.prefix_sums ? kPrefixSumBytes : 0);
  return bytes <= alignment_loss ? 0 : (bytes - alignment_loss) / each;
}

class Planner {
 public:
  Planner(const Graph& graph, const LevelSchedule& schedule, const MemoryLimits& limits)
      : graph_(graph),
        schedule_(schedule),
        limits_(limits),
        half_limit_(limits.half_bytes / kHalfAlignment * kHalfAlignment) {
    workgroups_.resize(graph.slots.size());
    bounds_.resize(graph.slots.size());
  }

  GraphPlan Plan(std::span<const RootCount> roots) {
    plan_.opening_begin.push_back(0);
    if (schedule_.level_count() == 0) return std::move(plan_);
    for (const RootCount& root : roots) workgroups_[root.slot] = SaturatingAdd(workgroups_[root.slot], root.workgroups);
    for (uint32_t level = 0; level + 1 < schedule_.level_count(); ++level) {
      CollectNeeds(level);
      ShareHalf();
      Place(level);
      BoundWorkgroups();
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    MoveOddLevelsToHalfOne();
    return std::move(plan_);
  }

 private:
  void CollectNeeds(uint32_t level) {
    const std::span<const uint32_t> consumers = schedule_.level(level + 1);
    for (uint32_t slot : consumers) bounds_[slot] = 0;
    uint64_t heap_bytes = 0;
    bool heap = false;
    for (uint32_t slot : schedule_.level(level)) {
      for (const SlotEdge& edge : graph_.slots[slot].edges)
        bounds_[edge.slot] = SaturatingAdd(bounds_[edge.slot], SaturatingMultiply(workgroups_[slot], edge.payloads));
      heap |= graph_.slots[slot].heap_bytes != 0;
      heap_bytes = SaturatingAdd(heap_bytes, SaturatingMultiply(workgroups_[slot], graph_.slots[slot].heap_bytes));
    }

    needs_.clear();
    for (uint32_t slot : consumers)
      needs_.push_back({slot, graph_.slots[slot].record_stride, HasPrefixSums(graph_, slot), bounds_[slot], 0});
    if (heap) needs_.push_back({graph_.HeapSlot(), kHeapUnit, false, heap_bytes / kHeapUnit, 0});
    for (Need& need : needs_) {
      if (need.bound > kMostRecords) {
        need.bound = kMostRecords;
        plan_.bounded = false;
      }
      need.bytes = BytesFor(need, need.bound);
    }
  }

  // Lowers the bounds of the largest needs until all of them fit into one half.
  void ShareHalf() {
    uint64_t total = 0;
    for (const Need& need : needs_) total = SaturatingAdd(total, need.bytes);
    if (total <= half_limit_) return;
    plan_.bounded = false;

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
      const uint64_t records_bytes = SaturatingRoundUp(need.bound * need.stride, kRegionAlignment);
      plan_.openings.push_back({used, need.slot, need.stride, static_cast<uint32_t>(need.bound), 0});
      plan_.first_workgroup_offsets.push_back(need.prefix_sums ? used + records_bytes : 0);
      used += need.bytes;
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    uint64_t& half_bytes = plan_.half_bytes[level & 1];
    half_bytes = std::max(half_bytes, SaturatingRoundUp(used, kHalfAlignment));
  }

  void MoveOddLevelsToHalfOne() {
    for (uint32_t level = 1; level + 1 < schedule_.level_count(); level += 2) {
      for (uint32_t i = plan_.opening_begin[level]; i < plan_.opening_begin[level + 1]; ++i) {
        plan_.openings[i].offset += plan_.half_bytes[0];
        if (HasPrefixSums(graph_, plan_.openings[i].slot)) plan_.first_workgroup_offsets[i] += plan_.half_bytes[0];
      }
    }
  }

  // Of the level that consumes what was just placed.
  void BoundWorkgroups() {
    for (const Need& need : needs_) {
      if (need.slot == graph_.HeapSlot()) continue;
      workgroups_[need.slot] =
          std::min(WorkgroupsFor(graph_.NodeOf(need.slot).info, need.bound), limits_.max_workgroups);
    }
  }

  uint64_t WorkgroupsFor(const spirv::NodeInfo& info, uint64_t records) const {
    if (info.kind == spirv::LaunchKind::kCoalescing) return CeilDivide(records, std::max(info.coalesce, 1u));
    const bool dynamic = info.kind == spirv::LaunchKind::kDynamicGrid;
    uint64_t grid = 1;
    for (uint32_t side : info.grid) grid = SaturatingMultiply(grid, dynamic && side == 0 ? kUnbounded : side);
    return SaturatingMultiply(records, dynamic ? std::min(grid, limits_.max_grid_workgroups) : grid);
  }

  const Graph& graph_;
  const LevelSchedule& schedule_;
  const MemoryLimits& limits_;
  const uint64_t half_limit_;
  GraphPlan plan_;
  std::vector<uint64_t> workgroups_;  // by slot: of the level that is being planned
  std::vector<uint64_t> bounds_;      // by slot: records that the next level gets at most
  std::vector<Need> needs_;
  std::vector<Need*> by_bytes_;
};

}  // namespace

GraphPlan PlanMemory(const Graph& graph, const LevelSchedule& schedule, std::span<const RootCount> roots,
                     const MemoryLimits& limits) {
  return Planner(graph, schedule, limits).Plan(roots);
}

}  // namespace trellis
