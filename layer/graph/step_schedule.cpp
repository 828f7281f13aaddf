#include "layer/graph/step_schedule.h"

#include <algorithm>
#include <cmath>

#include "layer/graph/saturating.h"

namespace trellis {
namespace {

constexpr uint64_t kQueueAlignment = 256;

// Launches of one level, as positions in LevelSchedule::launches.
struct LaunchRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class Scheduler {
 public:
  Scheduler(const Graph& graph, const LevelSchedule& schedule, const StepLimits& limits)
      : graph_(graph),
        schedule_(schedule),
        limits_(limits),
        ring_bytes_(limits.ring_bytes / kQueueAlignment * kQueueAlignment),
        workgroups_(schedule.launches.size()),
        need_of_slot_(graph.slots.size()) {
    result_.turn_of.resize(schedule.launches.size());
    result_.quotas.resize(schedule.launches.size());
  }

  std::optional<StepSchedule> Run(std::span<const RootCount> roots) {
    if (!WeighLevels(roots)) return std::nullopt;
    SetRootWorkgroups(roots);
    uint64_t fills = 1;  // times that the level gets a queue to work off
    for (uint32_t level = 0; level < schedule_.level_count(); ++level) {
      const uint64_t steps = PlanLevel(level);
      fills = SaturatingMultiply(fills, steps);
      result_.steps = SaturatingAdd(result_.steps, fills);
    }
    return std::move(result_);
  }

 private:
  // What arrives at one slot of the next level, or in the heap.
  struct Need {
    uint32_t slot = 0;
    uint32_t stride = 0;
    uint32_t note_words = 0;
    uint64_t records = 0;
  };

  [[nodiscard]] LaunchRange LaunchesOf(uint32_t level) const {
    return {schedule_.launch_begin[level], schedule_.launch_begin[level + 1]};
  }
  [[nodiscard]] bool IsLastLevel(uint32_t level) const { return level + 1 == schedule_.level_count(); }
  [[nodiscard]] const Slot& SlotOf(uint32_t launch) const { return graph_.slots[schedule_.launches[launch].slot]; }
  [[nodiscard]] const spirv::NodeInfo& InfoOf(uint32_t launch) const { return graph_.nodes[SlotOf(launch).node].info; }
  [[nodiscard]] bool SendsNothing(uint32_t launch) const {
    return SlotOf(launch).edges.empty() && SlotOf(launch).heap_bytes == 0;
  }

  void SetRootWorkgroups(std::span<const RootCount> roots) {
    const LaunchRange range = LaunchesOf(0);
    std::fill(workgroups_.begin(), workgroups_.end(), 0);
    for (const RootCount& root : roots) {
      const auto first = schedule_.launches.begin();
      const auto found = std::find(first + range.begin, first + range.end, root.launch);
      const auto launch = static_cast<uint32_t>(found - first);
      workgroups_[launch] = SaturatingAdd(workgroups_[launch], CeilDivide(root.workgroups, InfoOf(launch).packed));
    }
  }

  // Forgets what was sent, and looks at the level behind `level` from now on.
  void BeginNeeds(uint32_t level) {
    needs_.clear();
    for (uint32_t slot : schedule_.level(level + 1)) {
      need_of_slot_[slot] = static_cast<uint32_t>(needs_.size());
      needs_.push_back({slot, graph_.slots[slot].record_stride, graph_.NoteWords(slot), 0});
    }
    const LaunchRange range = LaunchesOf(level);
    for (uint32_t launch = range.begin; launch < range.end; ++launch) {
      if (SlotOf(launch).heap_bytes == 0) continue;
      needs_.push_back({graph_.HeapSlot(), kHeapUnit, 0, 0});
      break;
    }
  }
  void ClearNeeds() {
    for (Need& need : needs_) need.records = 0;
  }

  // What so many workgroups of the launch's dispatch can send.
  void Send(uint32_t launch, uint64_t workgroups) {
    const uint64_t own = SaturatingMultiply(workgroups, InfoOf(launch).packed);
    const auto add = [own](Need& need, uint64_t each) {
      need.records = SaturatingAdd(need.records, SaturatingMultiply(own, each));
    };
    for (const SlotEdge& edge : SlotOf(launch).edges) add(needs_[need_of_slot_[edge.slot]], edge.payloads);
    if (SlotOf(launch).heap_bytes != 0) add(needs_.back(), CeilDivide(SlotOf(launch).heap_bytes, kHeapUnit));
  }

  // Of a queue that has room for what was sent.
  [[nodiscard]] uint64_t QueueBytes() const {
    uint64_t bytes = 0;
    for (const Need& need : needs_) {
      if (need.records > kMostRegionRecords) return kUnbounded;
      bytes = SaturatingAdd(bytes, RegionBytes(need.stride, need.note_words, need.records));
    }
    return SaturatingRoundUp(bytes, kQueueAlignment);
  }

  // Workgroups that consume what was sent, at least as many as before.
  void RaiseConsumers(uint32_t level) {
    const LaunchRange range = LaunchesOf(level + 1);
    for (uint32_t launch = range.begin; launch < range.end; ++launch) {
      const uint64_t records = needs_[need_of_slot_[schedule_.launches[launch].input]].records;
      const uint64_t own = MostWorkgroups(InfoOf(launch), records, limits_.max_grid_workgroups);
      workgroups_[launch] = std::max(workgroups_[launch], CeilDivide(own, InfoOf(launch).packed));
    }
  }

  // The smallest queue of each level, and its part in what can be shared beyond that. False if even the smallest ones
  // do not fit.
  bool WeighLevels(std::span<const RootCount> roots) {
    SetRootWorkgroups(roots);
    for (uint32_t level = 0; level < schedule_.level_count(); ++level) {
      Weight& weight = weights_.emplace_back();
      if (IsLastLevel(level)) break;
      BeginNeeds(level);
      const LaunchRange range = LaunchesOf(level);
      for (uint32_t launch = range.begin; launch < range.end; ++launch) {
        ClearNeeds();
        Send(launch, 1);
        weight.smallest = std::max(weight.smallest, QueueBytes());
      }
      ClearNeeds();
      for (uint32_t launch = range.begin; launch < range.end; ++launch) Send(launch, workgroups_[launch]);
      double bytes = 0;
      for (const Need& need : needs_)
        bytes += static_cast<double>(RegionBytes(need.stride, need.note_words, need.records));
      weight.part = std::sqrt(bytes);
      RaiseConsumers(level);
      smallest_left_ = SaturatingAdd(smallest_left_, weight.smallest);
      parts_left_ += weight.part;
    }
    return smallest_left_ <= ring_bytes_;
  }

  // Bytes for what `level` sends.
  uint64_t TakeShare(uint32_t level) {
    const Weight& weight = weights_[level];
    const uint64_t free = ring_bytes_ - result_.ring_bytes - smallest_left_;
    const double part = parts_left_ > 0 ? std::min(weight.part / parts_left_, 1.0) : 0;
    smallest_left_ -= weight.smallest;
    parts_left_ -= weight.part;
    const auto shared = std::min(static_cast<uint64_t>(static_cast<double>(free) * part), free);
    return (weight.smallest + shared) / kQueueAlignment * kQueueAlignment;
  }

  [[nodiscard]] uint32_t Quota(uint32_t launch, uint64_t portions) const {
    const uint64_t workgroups = SendsNothing(launch) ? workgroups_[launch] : CeilDivide(workgroups_[launch], portions);
    return static_cast<uint32_t>(std::min(workgroups, limits_.max_workgroups));
  }

  void SendPortion(LaunchRange range, uint64_t portions) {
    ClearNeeds();
    for (uint32_t launch = range.begin; launch < range.end; ++launch) Send(launch, Quota(launch, portions));
  }
  [[nodiscard]] bool Fits(LaunchRange range, uint64_t portions, uint64_t bytes) {
    SendPortion(range, portions);
    return QueueBytes() <= bytes;
  }

  // The longest range from `begin` whose launches fit side by side with a workgroup each.
  LaunchRange LongestTurn(LaunchRange level, uint64_t bytes) {
    if (Fits(level, kUnbounded, bytes)) return level;
    LaunchRange range = {level.begin, level.begin + 1};
    SendPortion(range, kUnbounded);
    for (; range.end < level.end; ++range.end) {
      Send(range.end, Quota(range.end, kUnbounded));
      if (QueueBytes() > bytes) break;
    }
    return range;
  }

  uint64_t FewestPortions(LaunchRange range, uint64_t bytes) {
    uint64_t low = 1;
    uint64_t high = 1;
    for (uint32_t launch = range.begin; launch < range.end; ++launch) high = std::max(high, workgroups_[launch]);
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (Fits(range, middle, bytes))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  // Returns the steps that work off all that the launches can have.
  uint64_t PlanTurn(uint32_t level, LaunchRange range, uint64_t portions) {
    uint64_t steps = 1;
    for (uint32_t launch = range.begin; launch < range.end; ++launch) {
      result_.turn_of[launch] = static_cast<uint32_t>(result_.turns.size());
      result_.quotas[launch] = Quota(launch, portions);
      if (workgroups_[launch] != 0) steps = std::max(steps, CeilDivide(workgroups_[launch], result_.quotas[launch]));
    }
    result_.turns.push_back({level, static_cast<uint32_t>(result_.openings.size())});
    return steps;
  }

  void PlaceQueue(uint32_t level) {
    uint64_t offset = result_.ring_bytes;
    for (const Need& need : needs_) {
      result_.openings.push_back(
          DenseRegion(offset, need.slot, need.stride, static_cast<uint32_t>(need.records), level + 1));
      offset += RegionBytes(need.stride, need.note_words, need.records);
    }
  }

  // Returns the steps that work off one queue of the level.
  uint64_t PlanLevel(uint32_t level) {
    if (IsLastLevel(level)) return PlanTurn(level, LaunchesOf(level), 1);
    const uint64_t bytes = TakeShare(level);
    BeginNeeds(level);
    uint64_t steps = 0;
    uint64_t used = 0;
    for (LaunchRange rest = LaunchesOf(level); rest.begin < rest.end;) {
      const LaunchRange turn = LongestTurn(rest, bytes);
      const uint64_t portions = FewestPortions(turn, bytes);
      steps = SaturatingAdd(steps, PlanTurn(level, turn, portions));
      SendPortion(turn, portions);
      PlaceQueue(level);
      RaiseConsumers(level);
      used = std::max(used, QueueBytes());
      rest.begin = turn.end;
    }
    result_.ring_bytes += used;
    return steps;
  }

  struct Weight {
    uint64_t smallest = 0;  // queue: for one workgroup of the launch that can send most
    double part = 0;        // in what is left beyond the smallest queues
  };

  const Graph& graph_;
  const LevelSchedule& schedule_;
  const StepLimits& limits_;
  const uint64_t ring_bytes_;
  StepSchedule result_;
  std::vector<uint64_t> workgroups_;    // by launch, of its dispatch: at most, when the level's queue is full
  std::vector<Need> needs_;             // of the level that is being planned
  std::vector<uint32_t> need_of_slot_;  // position in needs_
  std::vector<Weight> weights_;         // by level, for the queue of the next one
  uint64_t smallest_left_ = 0;          // over the levels that have no queue yet
  double parts_left_ = 0;
};

}  // namespace

std::span<const shared::RegionPlan> StepSchedule::openings_of(size_t turn) const {
  const size_t end = turn + 1 < turns.size() ? turns[turn + 1].opening_begin : openings.size();
  return std::span(openings).subspan(turns[turn].opening_begin, end - turns[turn].opening_begin);
}

std::vector<shared::RegionPlan> StepSchedule::FirstOpenings() const {
  std::vector<shared::RegionPlan> first;
  for (size_t turn = 0; turn < turns.size(); ++turn) {
    if (turn != 0 && turns[turn - 1].level == turns[turn].level) continue;
    const std::span<const shared::RegionPlan> of_turn = openings_of(turn);
    first.insert(first.end(), of_turn.begin(), of_turn.end());
  }
  return first;
}

std::optional<StepSchedule> ScheduleSteps(const Graph& graph, const LevelSchedule& schedule,
                                          std::span<const RootCount> roots, const StepLimits& limits) {
  return Scheduler(graph, schedule, limits).Run(roots);
}

}  // namespace trellis
