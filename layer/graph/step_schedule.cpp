// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/step_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "layer/graph/region_layout.h"
#include "layer/graph/saturating.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"

namespace trellis {
namespace {

constexpr uint64_t kQueueAlignment = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A dense queue is left for one that grows only if portions become larger by that.
constexpr double kWorthGrowing = 1.25;

// Whole records fill at least half of what two dimensions of a dispatch hold on any device (shared::Slice).
constexpr double kFewestWorkgroupsOfSlice = 65535.0 * 65535.0 / 2;

// Payloads of one workgroup of a launch's dispatch that may go to one slot.
struct Edge {
  uint32_t launch = 0;  // of the level
  uint32_t need = 0;    // that they go to
  double payloads = 0;
};

// The queue that a level appends to.
struct Queue {
  std::vector<RegionNeed> needs;
  std::vector<double> parts;  // by launch: of the queue, that one workgroup can fill
  uint64_t state_units = 0;   // of the pool, which is the heap's need; only where regions grow
  bool grows = false;

  [[nodiscard]] double LargestPart() const { return *std::max_element(parts.begin(), parts.end()); }
};

uint64_t ToCount(double count) { return count < 1.8e19 ? static_cast<uint64_t>(count) : kUnbounded; }

// How many records of a slot fill a queue of so many bytes, if it gets the most of them for each byte.
uint64_t BoundFor(double bytes, double records_of_byte) {
  return std::min(ToCount(bytes * records_of_byte), kMaxRegionRecords);
}

class Scheduler {
 public:
  Scheduler(const Graph& graph, const LoadBounds& bounds, const LevelSchedule& schedule, uint64_t ring_bytes)
      : graph_(graph),
        bounds_(bounds),
        schedule_(schedule),
        ring_bytes_(ring_bytes / kQueueAlignment * kQueueAlignment),
        need_of_slot_(graph.slots.size()) {
    result_.loads.resize(schedule.launches.size());
    result_.opening_begin.push_back(0);
  }

  std::optional<StepSchedule> Run(std::span<const RootCount> roots) {
    if (!WeighLevels(roots)) return std::nullopt;
    uint64_t fills = 1;  // of the level's queue: each step of the level before is one
    for (uint32_t level = 0; level < schedule_.level_count(); ++level) {
      if (!PlanLevel(level)) return std::nullopt;
      AddLastWorkgroups(level, static_cast<double>(fills));
      fills = SaturatingAdd(fills, FullPortions(level));
      result_.steps = SaturatingAdd(result_.steps, fills);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool IsLastLevel(uint32_t level) const { return level + 1 == schedule_.level_count(); }
  [[nodiscard]] const spirv::NodeInfo& InfoOf(uint32_t slot) const { return graph_.NodeOf(slot).info; }
  [[nodiscard]] std::span<uint32_t> LoadsOf(uint32_t level) {
    return std::span(result_.loads).subspan(schedule_.launch_begin[level], schedule_.launches_of(level).size());
  }

  // What the launches of `level` send, and to whom.
  void CollectProducers(uint32_t level) {
    producers_.clear();
    edges_.clear();
    needs_.clear();
    for (uint32_t slot : schedule_.level(level + 1)) {
      need_of_slot_[slot] = static_cast<uint32_t>(needs_.size());
      needs_.push_back(
          {.slot = slot, .stride = graph_.slots[slot].record_stride, .state_words = graph_.StateWords(slot)});
    }
    const auto heap = static_cast<uint32_t>(needs_.size());
    has_heap_ = false;
    // A workgroup that coalesces runs once for each piece of its records: what it sends has to be known from their
    // number.
    const std::span<const Launch> readers = schedule_.launches_of(level + 1);
    may_grow_ = std::none_of(readers.begin(), readers.end(), [this](const Launch reader) {
      const spirv::NodeInfo& info = InfoOf(reader.slot);
      return info.kind == spirv::LaunchKind::kCoalescing && info.coalesce > 1 && !info.outputs.empty();
    });
    for (const Launch launch : schedule_.launches_of(level)) {
      const auto index = static_cast<uint32_t>(producers_.size());
      const Slot& slot = graph_.slots[launch.slot];
      const double packed = InfoOf(launch.slot).packed;
      const Load each = bounds_.Of(launch.slot, 1);
      producers_.push_back({packed * each.records, packed * each.bytes, packed * each.state_bytes});
      for (const SlotEdge& edge : slot.edges)
        edges_.push_back({index, need_of_slot_[edge.slot], packed * static_cast<double>(edge.payloads)});
      if (slot.heap_bytes == 0) continue;
      has_heap_ = true;
      edges_.push_back({index, heap, packed * static_cast<double>(CeilDivide(slot.heap_bytes, kHeapUnit))});
    }
    if (has_heap_) needs_.push_back({.slot = graph_.HeapSlot(), .stride = kHeapUnit});
  }

  // By need: records that arrive for each byte of what `cost` says, at most.
  template <typename Cost>
  [[nodiscard]] std::vector<double> RecordsOfByte(Cost&& cost) const {
    std::vector<double> records(needs_.size());
    for (const Edge& edge : edges_)
      records[edge.need] = std::max(records[edge.need], edge.payloads / cost(producers_[edge.launch]));
    return records;
  }

  // The part of the queue that each producer's workgroup can fill, where all of it has room for `bytes` of what `cost`
  // says, and each region for its bound.
  template <typename Cost>
  void FindParts(double bytes, Cost&& cost, Queue& queue) const {
    for (const Load& sent : producers_) queue.parts.push_back(cost(sent) == 0 ? 0 : cost(sent) / bytes);
    for (const Edge& edge : edges_) {
      const auto bound = static_cast<double>(queue.needs[edge.need].bound);
      if (edge.payloads != 0) queue.parts[edge.launch] = std::max(queue.parts[edge.launch], edge.payloads / bound);
    }
  }

  // Empty payloads cost something, too: there is no end of them otherwise.
  static double Cost(const Load& load) { return load.bytes + load.state_bytes + load.records / kHeapUnit; }
  static double CostInSegments(const Load& load) { return Cost(load) + load.bytes * (kSegmentWaste - 1); }

  // Every region has room for what it can get while all together get what the queue holds.
  [[nodiscard]] std::optional<Queue> DenseQueue(uint64_t room) const {
    const std::vector<double> records = RecordsOfByte(Cost);
    double padding = 0;
    double bytes_of_byte = 0;
    for (size_t i = 0; i < needs_.size(); ++i) {
      const double record_state = needs_[i].state_words;
      padding += static_cast<double>(kRegionAlignment) * ((needs_[i].stride != 0 ? 1 : 0) + record_state);
      bytes_of_byte += records[i] * (needs_[i].stride + sizeof(uint32_t) * record_state);
    }
    const double left = static_cast<double>(room) - padding;
    if (left < 0) return std::nullopt;
    const double bytes = bytes_of_byte == 0 ? static_cast<double>(kMaxRegionRecords) : left / bytes_of_byte;
    Queue queue;
    queue.needs = needs_;
    for (size_t i = 0; i < needs_.size(); ++i) {
      RegionNeed& need = queue.needs[i];
      need.bound = need.dense = BoundFor(bytes, records[i]);
      need.bytes = RegionBytes(need.stride, need.state_words, need.bound);
    }
    FindParts(bytes, Cost, queue);
    return queue;
  }

  // Regions have dense first parts and share a pool.
  [[nodiscard]] std::optional<Queue> GrowingQueue(uint64_t room) const {
    if (!may_grow_) return std::nullopt;
    room = std::min(room, kMaxRegionRecords * kHeapUnit);  // what the pool can count; segments reach farther
    Queue queue;
    queue.grows = true;
    queue.needs = needs_;
    if (has_heap_) queue.needs.pop_back();
    const std::vector<double> records = RecordsOfByte(CostInSegments);
    double padding = 2 * kRegionAlignment;  // no region begins where the pool does, and the pool has whole units
    for (size_t i = 0; i < queue.needs.size(); ++i) {
      RegionNeed& need = queue.needs[i];
      need.bound = BoundFor(static_cast<double>(room), records[i]);
      padding += static_cast<double>(kRegionAlignment) * need.state_words;
    }
    const uint64_t dense = ShareDense(queue.needs, room / kDensePart).bytes;
    const double left = static_cast<double>(room) - static_cast<double>(dense) - padding;
    if (left < 0) return std::nullopt;
    double segments = 0;  // for each byte of cost, at most
    double record_state = 0;
    for (const Load& sent : producers_) {
      const double cost = CostInSegments(sent);
      if (cost == 0) continue;
      segments = std::max(segments, sent.bytes * kSegmentWaste / cost);
      record_state = std::max(record_state, sent.state_bytes / cost);
    }
    if (segments + record_state == 0) return std::nullopt;  // nothing of it would grow
    const double bytes = left / (segments + record_state);
    const auto pool = static_cast<uint64_t>(left + padding) / kHeapUnit - 1;
    RegionNeed& heap = queue.needs.emplace_back();
    heap.slot = graph_.HeapSlot();
    heap.stride = kHeapUnit;
    heap.bound = heap.dense = std::min({ToCount(bytes * segments) / kHeapUnit, pool, kMaxRegionRecords});
    queue.state_units = std::min(pool - heap.bound, kMaxRegionRecords);
    heap.bytes = (heap.bound + queue.state_units) * kHeapUnit;
    FindParts(bytes, CostInSegments, queue);
    return queue;
  }

  // Returns the queue of the level whose producers were collected. Nothing if `room` bytes are too few.
  [[nodiscard]] std::optional<Queue> BestQueue(uint64_t room) const {
    std::optional<Queue> dense = DenseQueue(room);
    std::optional<Queue> growing = GrowingQueue(room);
    const double dense_part = dense ? dense->LargestPart() : kInfinity;
    const double growing_part = growing ? growing->LargestPart() : kInfinity;
    if (std::min(dense_part, growing_part) > 1) return std::nullopt;
    return dense_part <= growing_part * kWorthGrowing && dense_part <= 1 ? std::move(dense) : std::move(growing);
  }

  // Returns the bytes of that queue at least; kUnbounded if the ring has too few.
  [[nodiscard]] uint64_t SmallestQueue() const {
    if (!BestQueue(ring_bytes_)) return kUnbounded;
    uint64_t low = 0;
    uint64_t high = ring_bytes_ / kQueueAlignment;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (BestQueue(middle * kQueueAlignment))
        high = middle;
      else
        low = middle + 1;
    }
    return high * kQueueAlignment;
  }

  // What level 0 causes in all later levels; the smallest queue of each level, and its part in what can be shared
  // beyond that. False if even the smallest ones do not fit.
  bool WeighLevels(std::span<const RootCount> roots) {
    sent_.resize(schedule_.level_count());
    for (uint32_t level = 0; level + 1 < schedule_.level_count(); ++level) {
      CollectProducers(level);
      Weight& weight = weights_.emplace_back();
      weight.smallest = SmallestQueue();
      for (const RootCount& root : roots)
        sent_[level].Add(static_cast<double>(root.workgroups), bounds_.Of(root.launch.slot, level + 1));
      weight.part = std::sqrt(std::min(Cost(sent_[level]), 1e30));
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

  void PlaceQueue(const Queue& queue, uint32_t level) {
    uint64_t offset = result_.ring_bytes;
    for (const RegionNeed& need : queue.needs) {
      const bool is_pool = queue.grows && need.slot == graph_.HeapSlot();
      if (is_pool) offset += kRegionAlignment;
      shared::RegionPlan& opening = result_.openings.emplace_back(OpeningOf(need, offset, level + 1));
      if (is_pool) opening.state_units = static_cast<uint32_t>(queue.state_units);
      offset += need.bytes;
    }
    result_.ring_bytes = SaturatingRoundUp(offset, kQueueAlignment);
  }

  bool PlanLevel(uint32_t level) {
    queue_ = {};
    if (!IsLastLevel(level)) {
      CollectProducers(level);
      std::optional<Queue> queue = BestQueue(TakeShare(level));
      // Larger ones mostly do as well.
      if (!queue) queue = BestQueue(weights_[level].smallest);
      if (!queue) return false;
      const std::span<uint32_t> loads = LoadsOf(level);
      for (size_t i = 0; i < loads.size(); ++i)
        loads[i] = static_cast<uint32_t>(std::ceil(queue->parts[i] * shared::kWholeQueue));
      PlaceQueue(*queue, level);
      queue_ = *std::move(queue);
    }
    result_.opening_begin.push_back(static_cast<uint32_t>(result_.openings.size()));
    return true;
  }

  // In every fill of the level's queue the last workgroup of a launch may have fewer records than the others; and the
  // last one of its dispatch fewer workgroups, which counts as much in a portion.
  void AddLastWorkgroups(uint32_t level, double fills) {
    for (const Launch launch : schedule_.launches_of(level)) {
      const spirv::NodeInfo& info = InfoOf(launch.slot);
      if (info.packed > 1 && !IsLastLevel(level)) sent_[level].Add(fills * info.packed, bounds_.Of(launch.slot, 1));
      if (info.kind != spirv::LaunchKind::kCoalescing || level == 0) continue;
      for (uint32_t later = level; later + 1 < schedule_.level_count(); ++later)
        sent_[later].Add(fills, bounds_.Of(launch.slot, later - level + 1));
    }
  }

  // Returns how many full portions all that the level enqueues in the whole dispatch makes. Each fill may end with one
  // more, which is not full.
  [[nodiscard]] uint64_t FullPortions(uint32_t level) {
    if (IsLastLevel(level)) return 0;
    const auto cost = [this](const Load& load) { return queue_.grows ? CostInSegments(load) : Cost(load); };
    double largest = 0;
    double smallest = 1;
    double each = 0;        // of the queue, for a unit of cost
    double workgroups = 0;  // of the node's own, for a unit of cost
    for (size_t i = 0; i < producers_.size(); ++i) {
      const double part = LoadsOf(level)[i] / double{shared::kWholeQueue};
      if (part == 0) continue;
      largest = std::max(largest, part);
      smallest = std::min(smallest, part);
      each = std::max(each, part / cost(producers_[i]));
      const Launch launch = schedule_.launches_of(level)[i];
      workgroups = std::max(workgroups, InfoOf(launch.slot).packed / cost(producers_[i]));
    }
    if (each == 0) return 0;
    // A portion takes launches in their order, until one of them does not fit any more.
    const double taken = std::max(1 - largest, smallest);
    // No portion goes beyond the end of a slice, whose last workgroup of the dispatch may not be full.
    const double slices = std::floor(workgroups * cost(sent_[level]) / kFewestWorkgroupsOfSlice);
    return ToCount(std::floor((each * cost(sent_[level]) + slices * largest) / taken) + slices);
  }

  struct Weight {
    uint64_t smallest = 0;  // queue
    double part = 0;        // in what is left beyond the smallest queues
  };

  const Graph& graph_;
  const LoadBounds& bounds_;
  const LevelSchedule& schedule_;
  const uint64_t ring_bytes_;
  StepSchedule result_;
  // State of the level that is being planned.
  std::vector<Load> producers_;  // by launch, of one workgroup of its dispatch: to all slots together
  std::vector<Edge> edges_;
  std::vector<RegionNeed> needs_;       // slots of the next level, and the heap, if allocations need it
  std::vector<uint32_t> need_of_slot_;  // position in needs_
  bool has_heap_ = false;
  bool may_grow_ = true;
  Queue queue_;
  std::vector<Load> sent_;       // by level: all that it sends, at most, in the whole dispatch
  std::vector<Weight> weights_;  // by level, for the queue of the next one
  uint64_t smallest_left_ = 0;   // over the levels that have no queue yet
  double parts_left_ = 0;
};

}  // namespace

std::optional<StepSchedule> ScheduleSteps(const Graph& graph, const LoadBounds& bounds, const LevelSchedule& schedule,
                                          std::span<const RootCount> roots, uint64_t ring_bytes) {
  return Scheduler(graph, bounds, schedule, ring_bytes).Run(roots);
}

}  // namespace trellis
