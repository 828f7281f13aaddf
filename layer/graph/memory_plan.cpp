// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/memory_plan.h"

#include <algorithm>
#include <utility>

#include "layer/graph/region_layout.h"
#include "layer/graph/ring_parts.h"
#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"

namespace trellis {
namespace {

uint64_t ToBytes(double bytes) {
  constexpr double kMax = 1.8e19;
  // Loads are rounded, and what they bound is whole.
  return bytes < kMax ? static_cast<uint64_t>(bytes * (1 + 1e-12)) : kUnbounded;
}

class Planner {
 public:
  Planner(const Graph& graph, const LoadBounds& loads, const LevelSchedule& schedule, const MemoryLimits& limits,
          const RingParts& parts)
      : graph_(graph),
        loads_(loads),
        schedule_(schedule),
        limits_(limits),
        parts_(parts),
        part_bytes_(parts.room.size()),
        part_needs_(parts.room.size()) {
    workgroups_.resize(schedule.launches.size());
    need_of_slot_.resize(graph.slots.size());
    // One opening for each slot, and perhaps a heap, in each level; a level may have all slots.
    plan_.openings.reserve(schedule.slots.size() + schedule.level_begin.size());
    plan_.arrivals.reserve(plan_.openings.capacity());
    plan_.opening_begin.reserve(schedule.level_begin.size());
    needs_.reserve(graph.slots.size() + 1);
    for (const Node& node : graph.nodes) max_launches_ = std::max(max_launches_, node.sharers.size() + 1);
  }

  // Where a part is as large as the ring, what it takes is what it wants.
  [[nodiscard]] std::vector<PartNeed> PartNeeds() const {
    std::vector<PartNeed> needs = part_needs_;
    for (size_t part = 0; part < needs.size(); ++part)
      needs[part].wanted = std::max(part_bytes_[part], needs[part].least);
    return needs;
  }

  GraphPlan Plan(std::span<const RootCount> roots) {
    plan_.opening_begin.push_back(0);
    if (schedule_.level_count() == 0) return std::move(plan_);
    for (const RootCount& root : roots) {
      uint64_t& workgroups = workgroups_[PositionInLevelZero(root.launch)];
      workgroups = SaturatingAdd(workgroups, root.workgroups);
    }
    AddRoots();
    for (uint32_t level = 0; level + 1 < schedule_.level_count(); ++level) {
      AddLastWorkgroups(level);
      CollectNeeds(level);
      room_ = parts_.room[parts_.of_level[level]];
      NoteLeast(level);
      PlanRegions(level);
      Place(level);
      BoundWorkgroups(level + 1);
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    plan_.cannot_lose = plan_.bounded && limits_hold_ && !any_grows_;
    MoveParts();
    return std::move(plan_);
  }

 private:
  size_t PositionInLevelZero(Launch launch) const {
    const std::span<const Launch> launches = schedule_.launches_of(0);
    const auto first = std::ranges::lower_bound(launches, launch.input, {}, &Launch::input);
    return static_cast<size_t>(std::find(first, launches.end(), launch) - launches.begin());
  }

  // What level 0 causes in all later ones.
  void AddRoots() {
    joint_.assign(schedule_.level_count(), {});
    for (uint32_t later = 1; later < schedule_.level_count(); ++later)
      for (uint32_t i = 0; i < schedule_.launch_begin[1]; ++i)
        joint_[later].Add(static_cast<double>(workgroups_[i]), loads_.Of(schedule_.launches[i].slot, later));
  }

  // And beyond that the launches of a later level that coalesce: the last workgroup of each may have fewer records than
  // the others, and one at the end of each segment runs once more.
  void AddLastWorkgroups(uint32_t level) {
    if (level == 0) return;
    for (uint32_t later = level + 1; later < schedule_.level_count(); ++later) {
      Load largest = {};
      double workgroups = 0;
      for (const Launch launch : schedule_.launches_of(level)) {
        if (graph_.NodeOf(launch.slot).info.kind != spirv::LaunchKind::kCoalescing) continue;
        const Load each = loads_.Of(launch.slot, later - level);
        if (each.records == 0) continue;
        largest.RaiseTo(each);
        workgroups += 1 + static_cast<double>(SegmentsOf(needs_[need_of_slot_[launch.input]]));
      }
      // Launches without records have none.
      joint_[later].Add(std::min(workgroups, joint_[level].records * max_launches_), largest);
    }
  }

  void CollectNeeds(uint32_t level) {
    needs_.clear();
    for (uint32_t slot : schedule_.level(level + 1)) {
      need_of_slot_[slot] = static_cast<uint32_t>(needs_.size());
      needs_.push_back(
          {.slot = slot, .stride = graph_.slots[slot].record_stride, .state_words = graph_.StateWords(slot)});
    }

    heap_bytes_ = 0;
    has_heap_ = false;
    for (uint32_t i = schedule_.launch_begin[level]; i < schedule_.launch_begin[level + 1]; ++i) {
      const Slot& slot = graph_.slots[schedule_.launches[i].slot];
      for (const SlotEdge& edge : slot.edges) {
        uint64_t& bound = needs_[need_of_slot_[edge.slot]].bound;
        bound = SaturatingAdd(bound, SaturatingMultiply(workgroups_[i], edge.payloads));
      }
      has_heap_ |= slot.heap_bytes != 0;
      limits_hold_ &= LimitsHold(graph_.NodeOf(schedule_.launches[i].slot).info);
      heap_bytes_ = SaturatingAdd(heap_bytes_, SaturatingMultiply(workgroups_[i], slot.heap_bytes));
    }
    const uint64_t all = ToBytes(joint_[level + 1].records);
    for (RegionNeed& need : needs_) {
      need.bound = std::min(need.bound, all);
      if (need.bound > kMaxRegionRecords) {
        need.bound = kMaxRegionRecords;
        plan_.bounded = false;
      }
      need.arrivals = need.dense = need.bound;
      need.bytes = RegionBytes(need.stride, need.state_words, need.bound);
    }
    heap_bytes_ = std::min(heap_bytes_, ToBytes(joint_[level + 1].bytes));
  }

  [[nodiscard]] uint64_t DenseBytes() const {
    uint64_t total = heap_bytes_;
    for (const RegionNeed& need : needs_) total = SaturatingAdd(total, need.bytes);
    return total;
  }

  // Bytes of the pool of a level whose regions grow, so that all that may be enqueued fits.
  struct Pool {
    uint64_t segments = 0;
    uint64_t record_state = 0;
    // No region begins where the pool does.
    [[nodiscard]] uint64_t all() const {
      return SaturatingAdd(SaturatingAdd(segments, record_state), kRegionAlignment);
    }
  };
  [[nodiscard]] Pool PoolOf(uint32_t level) const {
    const Load& joint = joint_[level + 1];
    uint64_t record_state = ToBytes(joint.state_bytes);
    for (const RegionNeed& need : needs_)
      record_state = SaturatingAdd(record_state, kRegionAlignment * need.state_words);
    return {SaturatingRoundUp(ToBytes(joint.bytes * kSegmentWaste), kRegionAlignment),
            SaturatingRoundUp(record_state, kRegionAlignment)};
  }

  // What the level needs of its part to keep all that may be sent.
  void NoteLeast(uint32_t level) {
    if (!schedule_.has_mesh_nodes) return;
    std::vector<RegionNeed> needs = needs_;
    const uint64_t growing = SaturatingAdd(PoolOf(level).all(), ShareDense(needs, 0).bytes);
    uint64_t& least = part_needs_[parts_.of_level[level]].least;
    least = std::max(least, std::min(DenseBytes(), growing));
  }

  // Dense ones if they fit into the part.
  void PlanRegions(uint32_t level) {
    const bool fits = DenseBytes() <= room_ && heap_bytes_ / kHeapUnit <= kMaxRegionRecords;
    level_grows_ = !fits && (heap_bytes_ != 0 || !GiveOneLargeTheRest());
    any_grows_ |= level_grows_;
    state_units_ = 0;
    segments_take_state_ = false;
    const uint64_t wanted = level_grows_ ? Grow(level) : heap_bytes_ / kHeapUnit;
    plan_.bounded &= std::max(wanted, state_units_) <= kMaxRegionRecords;
    const uint64_t units = std::min(wanted, kMaxRegionRecords);
    state_units_ = std::min(state_units_, kMaxRegionRecords);
    if (!has_heap_ && !level_grows_) return;
    RegionNeed& heap = needs_.emplace_back();
    heap.slot = graph_.HeapSlot();
    heap.stride = kHeapUnit;
    heap.bound = heap.arrivals = heap.dense = units;
    heap.bytes = (units + state_units_) * kHeapUnit;
    heap.state_words = 1;  // a mark, where segments take them
    heap.state_from_pool = segments_take_state_;
  }

  // Returns the size of the pool's part for segments and the heap, in kHeapUnit.
  uint64_t Grow(uint32_t level) {
    room_ = std::min(room_, kReachOfSegments);
    for (RegionNeed& need : needs_)
      if (need.stride != 0) need.bound = std::min(need.bound, room_ / need.stride);
    const Pool pool = PoolOf(level);
    if (pool.all() < room_) {
      // So much that what is spread evenly does not grow: powers of two are at least half of a share.
      const uint64_t left = room_ - pool.all();
      if (DivideRoom(std::min(left, ToBytes(joint_[level + 1].bytes * 3))) <= left) {
        state_units_ = pool.record_state / kHeapUnit;
        return pool.segments / kHeapUnit;
      }
    }
    plan_.bounded = false;
    return GrowIntoWhatThereIs();
  }

  // Where one region alone is too large it needs no segments: it gets all that the others leave. False where several
  // are.
  bool GiveOneLargeTheRest() {
    const auto largest = std::ranges::max_element(needs_, {}, &RegionNeed::bytes);
    uint64_t others = 0;
    for (const RegionNeed& need : needs_)
      if (&need != &*largest) others = SaturatingAdd(others, need.bytes);
    if (others > room_ / kDensePart) return false;
    const uint64_t left = room_ - others;
    const uint64_t padding = kRegionAlignment * (1 + uint64_t{largest->state_words});
    const uint64_t each = std::max<uint64_t>(largest->stride + sizeof(uint32_t) * largest->state_words, 1);
    largest->bound = largest->dense = std::min(largest->bound, (left - std::min(left, padding)) / each);
    largest->bytes = RegionBytes(largest->stride, largest->state_words, largest->bound);
    plan_.bounded = false;
    return true;
  }

  uint64_t GrowIntoWhatThereIs() {
    uint64_t dense_bytes = DivideRoom(room_ / kDensePart);
    if (dense_bytes + kRegionAlignment > room_) dense_bytes = DropWhatHasNoRoom();
    const uint64_t left = room_ - std::min(room_, dense_bytes + kRegionAlignment);
    // For what lies dense; segments take the rest, so that heap and segments leave one another what they do not need.
    uint64_t record_state = 0;
    for (const RegionNeed& need : needs_)
      if (need.state_from_pool) record_state += need.state_words * RegionBytes(sizeof(uint32_t), 0, need.dense + 4);
    state_units_ = std::min(record_state, left) / kHeapUnit;
    segments_take_state_ = true;
    const uint64_t units = left / kHeapUnit - state_units_;
    for (RegionNeed& need : needs_)
      if (need.dense < need.bound) need.bound = std::min(need.bound, need.dense + units * kHeapUnit / need.stride);
    return units;
  }

  // Returns the bytes of the regions that are left.
  uint64_t DropWhatHasNoRoom() {
    uint64_t used = 0;
    for (RegionNeed& need : needs_) {
      if (used + need.bytes + kRegionAlignment > room_) need.bound = need.dense = need.bytes = 0;
      used += need.bytes;
    }
    return used;
  }

  // Returns what all regions take: ShareDense.
  uint64_t DivideRoom(uint64_t bytes) {
    const DenseParts parts = ShareDense(needs_, bytes);
    plan_.bounded &= !parts.cut;
    return parts.bytes;
  }

  // Where parts begin is known only after the last level: until then offsets count from the part.
  void Place(uint32_t level) {
    uint64_t used = 0;
    for (const RegionNeed& need : needs_) {
      if (need.slot == graph_.HeapSlot() && level_grows_ && need.bytes != 0) used += kRegionAlignment;
      shared::RegionPlan& opening = plan_.openings.emplace_back(OpeningOf(need, used, level + 1));
      if (need.slot == graph_.HeapSlot()) opening.state_units = static_cast<uint32_t>(state_units_);
      plan_.arrivals.push_back(static_cast<uint32_t>(need.arrivals));
      used += need.bytes;
    }
    plan_.opening_begin.push_back(static_cast<uint32_t>(plan_.openings.size()));
    uint64_t& part_bytes = part_bytes_[parts_.of_level[level]];
    part_bytes = std::max(part_bytes, SaturatingRoundUp(used, kPartAlignment));
  }

  // One behind the other.
  void MoveParts() {
    std::vector<uint64_t> begins;
    uint64_t end = 0;
    for (const uint64_t bytes : part_bytes_) begins.push_back(std::exchange(end, end + bytes));
    for (uint32_t level = 0; level + 1 < schedule_.level_count(); ++level)
      for (uint32_t i = plan_.opening_begin[level]; i < plan_.opening_begin[level + 1]; ++i)
        plan_.openings[i].offset += begins[parts_.of_level[level]];
    plan_.half_bytes[0] = schedule_.has_mesh_nodes ? end : part_bytes_[0];
    plan_.half_bytes[1] = end - plan_.half_bytes[0];
  }

  // Bounds the workgroups of the level that consumes what was just placed.
  void BoundWorkgroups(uint32_t level) {
    for (uint32_t i = schedule_.launch_begin[level]; i < schedule_.launch_begin[level + 1]; ++i) {
      const Launch launch = schedule_.launches[i];
      const uint64_t records = needs_[need_of_slot_[launch.input]].bound;
      const spirv::NodeInfo& info = graph_.NodeOf(launch.slot).info;
      workgroups_[i] = MaxWorkgroupsOfRecords(info, records, limits_.max_grid_workgroups);
      if (info.kind == spirv::LaunchKind::kCoalescing)
        workgroups_[i] = SaturatingAdd(workgroups_[i], SegmentsOf(needs_[need_of_slot_[launch.input]]));
    }
  }

  const Graph& graph_;
  const LoadBounds& loads_;
  const LevelSchedule& schedule_;
  const MemoryLimits& limits_;
  const RingParts& parts_;
  std::vector<uint64_t> part_bytes_;  // by part, of the levels so far
  std::vector<PartNeed> part_needs_;
  GraphPlan plan_;
  bool limits_hold_ = true;           // of all producers so far
  bool any_grows_ = false;            // regions of any level so far
  size_t max_launches_ = 1;           // of one slot
  std::vector<Load> joint_;           // by level: all that can arrive there
  std::vector<uint64_t> workgroups_;  // by launch, like LevelSchedule::launches: at most
  // Of the level that is being planned, the regions that it appends to, and the heap.
  std::vector<RegionNeed> needs_;
  uint64_t room_ = 0;  // of its part
  uint64_t heap_bytes_ = 0;
  uint64_t state_units_ = 0;  // of the pool, for record state
  bool segments_take_state_ = false;
  bool has_heap_ = false;
  bool level_grows_ = false;
  std::vector<uint32_t> need_of_slot_;  // position in needs_
};

}  // namespace

shared::RegionPlan& GraphPlan::opening_of(uint32_t level, uint32_t slot) {
  const auto first = openings.begin() + opening_begin[level - 1];
  // Sorted by slot; the heap has the last one.
  return *std::ranges::lower_bound(first, openings.begin() + opening_begin[level], slot, {}, &shared::RegionPlan::slot);
}

bool LimitsHold(const spirv::NodeInfo& info) {
  return std::all_of(info.outputs.begin(), info.outputs.end(),
                     [](const spirv::NodeOutputInfo& output) { return output.limit_holds; });
}

uint64_t MaxWorkgroupsOfRecords(const spirv::NodeInfo& info, uint64_t records, uint64_t max_grid_workgroups) {
  if (info.kind == spirv::LaunchKind::kCoalescing) return CeilDivide(records, std::max(info.coalesce, 1u));
  const bool dynamic = info.kind == spirv::LaunchKind::kDynamicGrid;
  uint64_t grid = 1;
  for (uint32_t side : info.grid) grid = SaturatingMultiply(grid, dynamic && side == 0 ? kUnbounded : side);
  return SaturatingMultiply(records, dynamic ? std::min(grid, max_grid_workgroups) : grid);
}

GraphPlan PlanMemory(const Graph& graph, const LoadBounds& loads, const LevelSchedule& schedule,
                     std::span<const RootCount> roots, const MemoryLimits& limits) {
  if (!schedule.has_mesh_nodes)
    return Planner(graph, loads, schedule, limits, HalvesOf(schedule, limits.half_bytes)).Plan(roots);
  RingParts parts = PartsToKeep(graph, schedule, limits.kept_ring_bytes);
  Planner first(graph, loads, schedule, limits, parts);
  static_cast<void>(first.Plan(roots));
  parts.room = DivideRing(first.PartNeeds(), limits.kept_ring_bytes);
  return Planner(graph, loads, schedule, limits, parts).Plan(roots);
}

}  // namespace trellis
