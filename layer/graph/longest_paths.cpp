// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/longest_paths.h"

#include <algorithm>
#include <cmath>

#include "layer/graph/load_bounds.h"
#include "layer/graph/region_layout.h"
#include "layer/graph/ring_parts.h"
#include "layer/graph/saturating.h"

namespace trellis {
namespace {

// What a graph's loads may take: additions, a few milliseconds; and slots, whose pairs have 8 MiB.
constexpr uint64_t kMaxAdditions = 1 << 23;
constexpr uint32_t kMaxSlots = 1024;

uint64_t TargetsOf(const Graph& graph) {
  uint64_t targets = 0;
  for (const Slot& slot : graph.slots)
    for (const std::vector<Target>& output : slot.outputs) targets += output.size() + 1;
  return targets;
}

// Nothing times an infinite load is nothing.
void RaiseTo(std::span<double> loads, double times, std::span<const double> other) {
  if (times == 0) return;
  for (size_t i = 0; i < loads.size(); ++i)
    if (other[i] != 0) loads[i] = std::max(loads[i], times * other[i]);
}
void Add(std::span<double> loads, double times, std::span<const double> other) {
  if (times == 0) return;
  for (size_t i = 0; i < loads.size(); ++i)
    if (other[i] != 0) loads[i] += times * other[i];
}

// Goes from consumers to their producers.
class LoadCalculator {
 public:
  LoadCalculator(const Graph& graph, uint64_t max_grid_workgroups, std::vector<double>& workgroups)
      : graph_(graph),
        max_grid_workgroups_(max_grid_workgroups),
        count_(graph.slots.size()),
        of_workgroup_(workgroups),
        of_record_(count_ * count_),
        is_done_(count_),
        has_workgroup_(count_) {
    of_workgroup_.assign(count_ * count_, 0);
  }

  void Run() {
    for (uint32_t slot = 0; slot < count_; ++slot) Visit(slot);
  }

 private:
  std::span<double> Row(std::vector<double>& rows, uint32_t slot) {
    return std::span(rows).subspan(slot * count_, count_);
  }

  // Links have no cycles, and chains are as long as the graph is deep.
  void Visit(uint32_t slot) {
    if (is_done_[slot]) return;
    is_done_[slot] = true;
    std::vector<Launch> launches;
    graph_.AppendLaunches(slot, launches);
    for (const Launch launch : launches)
      for (const SlotEdge& edge : graph_.slots[launch.slot].edges) Visit(edge.slot);
    const std::span<double> record = Row(of_record_, slot);
    record[slot] = 1;
    for (const Launch launch : launches) {
      AddWorkgroup(launch.slot);
      Add(record, WorkgroupsOfRecord(graph_.NodeOf(launch.slot).info, max_grid_workgroups_),
          Row(of_workgroup_, launch.slot));
    }
  }

  // Outputs that share a limit send the most where all of it goes to one of them.
  void AddWorkgroup(uint32_t slot) {
    if (has_workgroup_[slot]) return;  // a sharer, which runs with each slot of a recursion
    has_workgroup_[slot] = true;
    const std::span<double> workgroup = Row(of_workgroup_, slot);
    const std::vector<spirv::NodeOutputInfo>& outputs = graph_.NodeOf(slot).info.outputs;
    std::vector<double> group(count_);
    for (uint32_t first = 0; first < outputs.size(); ++first) {
      if (outputs[first].shares_limit_with.value_or(first) != first) continue;
      std::fill(group.begin(), group.end(), 0.0);
      for (uint32_t i = first; i < outputs.size(); ++i)
        if (outputs[i].shares_limit_with.value_or(i) == first) RaiseToOutput(slot, i, outputs[i], group);
      Add(workgroup, 1, group);
    }
  }

  void RaiseToOutput(uint32_t slot, uint32_t index, const spirv::NodeOutputInfo& output, std::span<double> group) {
    for (const Target& target : graph_.slots[slot].outputs[index])
      if (graph_.slots[slot].SendsTo(target.slot))
        RaiseTo(group, static_cast<double>(output.max_payloads), Row(of_record_, target.slot));
  }

  const Graph& graph_;
  const uint64_t max_grid_workgroups_;
  const size_t count_;
  std::vector<double>& of_workgroup_;
  std::vector<double> of_record_;
  std::vector<bool> is_done_;
  std::vector<bool> has_workgroup_;
};

}  // namespace

SlotLoads::SlotLoads(const Graph& graph, uint64_t max_grid_workgroups)
    : slot_count_(static_cast<uint32_t>(graph.slots.size())) {
  if (slot_count_ > kMaxSlots || SaturatingMultiply(TargetsOf(graph), slot_count_) > kMaxAdditions) return;
  LoadCalculator(graph, max_grid_workgroups, loads_).Run();
}

std::optional<GraphPlan> PlanLongestPaths(const Graph& graph, const SlotLoads& loads, const LevelSchedule& schedule,
                                          std::span<const RootCount> roots, uint64_t room) {
  std::vector<double> arrivals(graph.slots.size());
  const auto add = [&](double workgroups, uint32_t slot) {
    for (uint32_t to = 0; to < arrivals.size(); ++to)
      if (loads.Of(slot, to) != 0) arrivals[to] += workgroups * loads.Of(slot, to);
  };
  for (const RootCount& root : roots) add(static_cast<double>(root.workgroups), root.launch.slot);
  for (const Launch launch : std::span(schedule.launches).subspan(schedule.launch_begin[1]))
    if (graph.NodeOf(launch.slot).info.kind == spirv::LaunchKind::kCoalescing) add(1, launch.slot);

  GraphPlan plan;
  plan.cannot_lose = true;
  plan.opening_begin.push_back(0);
  uint64_t used = 0;
  for (uint32_t level = 0; level < schedule.level_count(); ++level) {
    for (const Launch launch : schedule.launches_of(level)) {
      if (graph.slots[launch.slot].heap_bytes != 0) return std::nullopt;
      plan.cannot_lose &= LimitsHold(graph.NodeOf(launch.slot).info);
    }
    if (level == 0) continue;
    for (const uint32_t slot : schedule.level(level)) {
      // What is added up may have been rounded, and is whole.
      const double max_records = std::floor(arrivals[slot] * (1 + 1e-9) + 1e-6);
      if (!(max_records <= static_cast<double>(kMaxRegionRecords))) return std::nullopt;
      RegionNeed need = {
          .slot = slot, .stride = graph.slots[slot].record_stride, .state_words = graph.StateWords(slot)};
      need.bound = need.arrivals = need.dense = static_cast<uint64_t>(max_records);
      plan.openings.push_back(OpeningOf(need, used, level));
      plan.arrivals.push_back(static_cast<uint32_t>(need.arrivals));
      used = SaturatingAdd(used, RegionBytes(need.stride, need.state_words, need.bound));
    }
    if (used > room) return std::nullopt;
    plan.opening_begin.push_back(static_cast<uint32_t>(plan.openings.size()));
  }
  plan.opening_begin.push_back(static_cast<uint32_t>(plan.openings.size()));
  plan.half_bytes[0] = SaturatingRoundUp(used, kPartAlignment);
  if (plan.half_bytes[0] > room) return std::nullopt;
  return plan;
}

}  // namespace trellis
