// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/load_bounds.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>

#include "layer/graph/memory_plan.h"

namespace trellis {
namespace {

// One output of a slot.
struct Sends {
  uint32_t slot = 0;
  uint32_t targets = 0;  // which list of them
  uint32_t group = 0;    // the first output of the slot that it shares its limit with, by position in `sends_`
  double payloads = 0;   // most
};

class Calculator {
 public:
  Calculator(const Graph& graph, uint64_t max_grid_workgroups)
      : graph_(graph), max_grid_workgroups_(max_grid_workgroups) {
    for (uint32_t slot = 0; slot < graph.slots.size(); ++slot) {
      const std::vector<std::vector<Target>>& outputs = graph.slots[slot].outputs;
      std::map<uint32_t, uint32_t> groups;
      for (size_t i = 0; i < outputs.size(); ++i) {
        const std::vector<Target>& reached = Reached(graph.slots[slot], outputs[i]);
        if (reached.empty()) continue;
        const spirv::NodeOutputInfo& output = graph.NodeOf(slot).info.outputs[i];
        const auto position = static_cast<uint32_t>(sends_.size());
        const uint32_t group =
            groups.try_emplace(output.shares_limit_with.value_or(static_cast<uint32_t>(i)), position).first->second;
        sends_.push_back({slot, ListOf(reached), group, static_cast<double>(output.max_payloads)});
      }
    }
  }

  // Appends the loads of all slots, level after level, until there is nothing more.
  void Run(std::vector<Load>& loads) {
    FirstArrivals();
    for (uint32_t distance = 1; distance < graph_.depth && AppendSent(distance, loads); ++distance)
      LaterArrivals(loads);
  }

 private:
  struct ByContents {
    bool operator()(const std::vector<Target>* a, const std::vector<Target>* b) const { return *a < *b; }
  };

  // Returns the targets that the slot's node enqueues to; others are only asked whether they exist.
  const std::vector<Target>& Reached(const Slot& slot, const std::vector<Target>& targets) {
    const auto is_reached = [&slot](const Target& target) { return slot.SendsTo(target.slot); };
    if (std::all_of(targets.begin(), targets.end(), is_reached)) return targets;
    std::vector<Target>& reached = filtered_.emplace_back();
    std::copy_if(targets.begin(), targets.end(), std::back_inserter(reached), is_reached);
    return reached;
  }

  // Nodes of an array mostly have the same targets.
  uint32_t ListOf(const std::vector<Target>& targets) {
    if (!lists_.empty() && *lists_.back() == targets) return static_cast<uint32_t>(lists_.size()) - 1;
    const auto [found, is_new] = numbers_.emplace(&targets, static_cast<uint32_t>(lists_.size()));
    if (is_new) lists_.push_back(&targets);
    return found->second;
  }

  // At distance 0: one record at each slot, with its state.
  void FirstArrivals() {
    arrivals_.clear();
    for (uint32_t slot = 0; slot < graph_.slots.size(); ++slot)
      arrivals_.push_back({1, static_cast<double>(graph_.slots[slot].record_stride),
                           double{sizeof(uint32_t)} * graph_.StateWords(slot)});
  }

  // At a later distance: what the workgroups of one record at each slot cause. `loads` ends with that of the one
  // before.
  void LaterArrivals(const std::vector<Load>& loads) {
    const Load* sent = loads.data() + loads.size() - graph_.slots.size();
    for (uint32_t slot = 0; slot < graph_.slots.size(); ++slot) {
      Load& arrival = arrivals_[slot] = {};
      launches_.clear();
      graph_.AppendLaunches(slot, launches_);
      for (const Launch launch : launches_) {
        arrival.Add(WorkgroupsOfRecord(graph_.NodeOf(launch.slot).info, max_grid_workgroups_), sent[launch.slot]);
      }
    }
  }

  // False if nothing arrives at this distance.
  bool AppendSent(uint32_t distance, std::vector<Load>& loads) {
    std::vector<Load> largest;
    for (const std::vector<Target>* targets : lists_) {
      Load& load = largest.emplace_back();
      for (const Target& target : *targets) load.RaiseTo(arrivals_[target.slot]);
    }
    // Outputs that share a limit send the most where all of it goes to one of them.
    std::vector<Load> of_group(sends_.size());
    for (const Sends& sends : sends_) {
      Load load;
      load.Add(sends.payloads, largest[sends.targets]);
      of_group[sends.group].RaiseTo(load);
    }
    std::vector<Load> sent(graph_.slots.size());
    for (size_t i = 0; i < sends_.size(); ++i)
      if (sends_[i].group == i) sent[sends_[i].slot].Add(1, of_group[i]);
    if (distance == 1)
      for (size_t slot = 0; slot < sent.size(); ++slot)
        sent[slot].bytes += static_cast<double>(graph_.slots[slot].heap_bytes);
    if (std::all_of(sent.begin(), sent.end(), [](const Load& load) { return load.records == 0; })) return false;
    loads.insert(loads.end(), sent.begin(), sent.end());
    return true;
  }

  const Graph& graph_;
  const uint64_t max_grid_workgroups_;
  std::vector<Sends> sends_;
  std::deque<std::vector<Target>> filtered_;  // lists of targets that are none of a slot
  std::vector<const std::vector<Target>*> lists_;
  std::map<const std::vector<Target>*, uint32_t, ByContents> numbers_;
  std::vector<Load> arrivals_;  // by slot: what one record there is at the distance that is looked at
  std::vector<Launch> launches_;
};

}  // namespace

double WorkgroupsOfRecord(const spirv::NodeInfo& info, uint64_t max_grid_workgroups) {
  if (info.kind == spirv::LaunchKind::kCoalescing) return 1.0 / std::max(info.coalesce, 1u);
  return static_cast<double>(MaxWorkgroupsOfRecords(info, 1, max_grid_workgroups));
}

void Load::Add(double times, const Load& load) {
  if (times == 0 || load.records == 0) return;
  records += times * load.records;
  bytes += times * load.bytes;
  state_bytes += times * load.state_bytes;
}

void Load::RaiseTo(const Load& load) {
  records = std::max(records, load.records);
  bytes = std::max(bytes, load.bytes);
  state_bytes = std::max(state_bytes, load.state_bytes);
}

LoadBounds::LoadBounds(const Graph& graph, uint64_t max_grid_workgroups)
    : slot_count_(static_cast<uint32_t>(graph.slots.size())) {
  Calculator(graph, max_grid_workgroups).Run(loads_);
}

Load LoadBounds::Of(uint32_t slot, uint32_t distance) const {
  const size_t place = size_t{distance - 1} * slot_count_ + slot;
  return place < loads_.size() ? loads_[place] : Load{};
}

}  // namespace trellis
