// SPDX-License-Identifier: Apache-2.0
// Properties of plans and tables over random graphs, against a simulation that knows only the words of the extension.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "layer/graph/describe.h"
#include "layer/graph/levels.h"
#include "layer/graph/link.h"
#include "layer/graph/memory_plan.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/plan_reference.h"
#include "tests/graph/random_graph.h"
#include "tests/graph/table_reader.h"

namespace trellis::test {
namespace {

constexpr uint32_t kGraphs = 400;

struct RandomCase {
  explicit RandomCase(uint32_t seed) : random(seed), nodes(MakeRandomNodes(random)), graph(MustLink(nodes)) {
    // Small counts keep the simulation short; how the bounds grow with them does not depend on their size.
    const uint32_t root_count = 1 + Below(random, 3);
    for (uint32_t i = 0; i < root_count; ++i) {
      const uint32_t node = Below(random, static_cast<uint32_t>(nodes.size()));
      root_slots.push_back(graph.EntrySlot(node));
      for (const Activation& runs : RunsOnInputOf(nodes, {node, nodes[node].info.max_recursion})) {
        const uint64_t workgroups = Below(random, 6);
        roots.push_back({{SlotOfActivation(runs), graph.EntrySlot(node)}, workgroups});
        root_workgroups[runs] += workgroups;
      }
    }
    schedule = AssignLevels(graph, root_slots);
    limits = {Below(random, 2) == 0 ? uint64_t{1} << 32 : 256u << Below(random, 10), 8};
    plan = PlanWith(graph, schedule, roots, limits);
  }

  uint32_t SlotOfActivation(Activation activation) const {
    return graph.nodes[activation.node].first_slot + nodes[activation.node].info.max_recursion - activation.remaining;
  }

  Random random;
  std::vector<NodeSource> nodes;
  Graph graph;
  std::vector<RootCount> roots;
  std::vector<uint32_t> root_slots;
  std::map<Activation, uint64_t> root_workgroups;
  LevelSchedule schedule;
  MemoryLimits limits;
  GraphPlan plan;
};

struct ByteRange {
  uint64_t begin;
  uint64_t end;
};

// Everything that a level's openings take.
std::vector<ByteRange> RangesOf(const RandomCase& test, uint32_t level) {
  std::vector<ByteRange> ranges;
  for (size_t i = 0; i < test.plan.openings_of(level).size(); ++i) {
    const shared::RegionPlan& opening = test.plan.openings_of(level)[i];
    EXPECT_EQ(opening.offset % 16, 0u);
    EXPECT_LT(opening.capacity, 1u << 31);
    uint32_t state_words = 0;
    for (Launch launch : test.schedule.launches_of(level + 1))
      if (launch.input == opening.slot) state_words += test.graph.NodeOf(launch.slot).info.StateWords();
    EXPECT_LE(opening.dense, opening.capacity);
    // What grows has its record state elsewhere.
    const bool grows = opening.dense < opening.capacity || opening.state_words != 0;
    EXPECT_TRUE(!grows || opening.slot == test.graph.HeapSlot() || opening.state_words == state_words);
    const uint64_t bytes = ReferenceRegionBytes(opening.stride, grows ? 0 : state_words, opening.dense);
    ranges.push_back({opening.offset, opening.offset + bytes + opening.state_units * uint64_t{16}});
  }
  std::erase_if(ranges, [](const ByteRange& range) { return range.begin == range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  return ranges;
}

TEST(RandomGraph, RegionsNeverOverlapAndNeverLeaveTheirHalf) {
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const RandomCase test(seed);
    ASSERT_LE(std::max(test.plan.half_bytes[0], test.plan.half_bytes[1]), test.limits.half_bytes);
    ASSERT_EQ(test.plan.ring_bytes() % 256, 0u);
    for (uint32_t level = 0; level < test.schedule.level_count(); ++level) {
      uint64_t end = level % 2 == 0 ? 0 : test.plan.half_bytes[0];
      for (const ByteRange& range : RangesOf(test, level)) {
        ASSERT_GE(range.begin, end) << "seed " << seed << " level " << level;
        end = range.end;
      }
      ASSERT_LE(end, level % 2 == 0 ? test.plan.half_bytes[0] : test.plan.ring_bytes())
          << "seed " << seed << " level " << level;
    }
  }
}

TEST(RandomGraph, EveryLevelLaunchesWhatRunsOnItsSlots) {
  uint32_t sharers = 0;
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const RandomCase test(seed);
    for (uint32_t level = 0; level < test.schedule.level_count(); ++level) {
      std::vector<std::pair<uint32_t, uint32_t>> expected;
      for (uint32_t slot : test.schedule.level(level)) {
        const Slot& input = test.graph.slots[slot];
        for (const Activation& runs : RunsOnInputOf(test.nodes, {input.node, input.remaining_recursion}))
          expected.emplace_back(test.SlotOfActivation(runs), slot);
      }
      std::vector<std::pair<uint32_t, uint32_t>> launches;
      for (const Launch& launch : test.schedule.launches_of(level)) launches.emplace_back(launch.slot, launch.input);
      ASSERT_EQ(launches, expected) << "seed " << seed << " level " << level;
      ASSERT_LE(launches.size(), test.graph.launch_count);
      sharers += static_cast<uint32_t>(launches.size() - test.schedule.level(level).size());
    }
    ASSERT_LE(test.schedule.level_count(), test.graph.depth) << "seed " << seed;
  }
  EXPECT_GT(sharers, 500u) << "hardly any input is shared";
}

TEST(RandomGraph, EveryLevelOpensWhatTheNextOneRuns) {
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const RandomCase test(seed);
    for (uint32_t level = 0; level + 1 < test.schedule.level_count(); ++level) {
      const std::span<const uint32_t> next = test.schedule.level(level + 1);
      const std::span<const shared::RegionPlan> openings = test.plan.openings_of(level);
      ASSERT_GE(openings.size(), next.size());
      ASSERT_LE(openings.size(), next.size() + 1);
      for (size_t i = 0; i < next.size(); ++i) ASSERT_EQ(openings[i].slot, next[i]);
      if (openings.size() > next.size()) {
        ASSERT_EQ(openings.back().slot, test.graph.HeapSlot());
      }
    }
  }
}

TEST(RandomGraph, WhateverARunReachesIsPlannedAndFits) {
  uint64_t arrived = 0;
  uint64_t lost = 0;
  uint64_t grown = 0;  // regions
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    RandomCase test(seed);
    const auto find = [&test](uint32_t level, uint32_t slot) -> const shared::RegionPlan* {
      if (level >= test.schedule.level_count()) return nullptr;
      for (const shared::RegionPlan& opening : test.plan.openings_of(level - 1))
        if (opening.slot == slot) return &opening;
      return nullptr;
    };
    const auto capacity = [&find](uint32_t level, uint32_t slot) -> int64_t {
      const shared::RegionPlan* opening = find(level, slot);
      return opening != nullptr ? opening->capacity : -1;
    };
    std::map<uint32_t, uint64_t> pool_bytes, state_bytes;  // by level
    const auto keep = [&](uint32_t level, Activation activation, uint64_t records) -> uint64_t {
      const int64_t room = capacity(level, test.SlotOfActivation(activation));
      EXPECT_GE(room, 0) << "seed " << seed << ": nobody planned "
                         << SlotLabel(test.graph, test.SlotOfActivation(activation)) << " in level " << level;
      if (test.plan.bounded) {
        EXPECT_LE(records, static_cast<uint64_t>(room)) << "seed " << seed << " level " << level;
      }
      // What a real run would go on with; a few hundred records a slot keep the simulation short.
      const uint64_t kept = std::min<uint64_t>({records, static_cast<uint64_t>(std::max<int64_t>(room, 0)), 300});
      lost += records - kept;
      arrived += kept;
      if (const shared::RegionPlan* opening = find(level, test.SlotOfActivation(activation))) {
        pool_bytes[level] += ReferenceGrownBytes(opening->stride, opening->dense, kept);
        state_bytes[level] += ReferenceRegionBytes(4, 0, kept) * opening->state_words;
        grown += kept > opening->dense ? 1 : 0;
      }
      return kept;
    };
    const std::vector<Arrivals> levels = Simulate(test.random, test.nodes, test.root_workgroups, keep);
    ASSERT_LE(levels.size() + 1, std::max<size_t>(test.schedule.level_count(), 1));
    if (test.plan.bounded) {
      for (uint32_t level = 0; level < levels.size(); ++level) {
        const uint64_t taken = levels[level].heap_bytes + pool_bytes[level + 1];
        if (taken == 0) continue;
        const int64_t units = capacity(level + 1, test.graph.HeapSlot());
        ASSERT_GE(units * 16, static_cast<int64_t>(taken)) << "seed " << seed << " level " << level;
        ASSERT_GE(find(level + 1, test.graph.HeapSlot())->state_units * uint64_t{16}, state_bytes[level + 1]);
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(arrived, 10000u) << "the graphs are too small to show anything";
  EXPECT_GT(lost, 100u);
  EXPECT_GT(grown, 100u);
}

TEST(RandomGraph, TablesResolveEveryIndexLikeTheExtensionsWords) {
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    RandomCase test(seed);
    const TableReader tables(test.graph, uint64_t{seed} << 36);
    for (uint32_t slot = 0; slot < test.graph.slots.size(); ++slot) {
      const Activation from = {test.graph.slots[slot].node, test.graph.slots[slot].remaining_recursion};
      const NodeSource& node = test.nodes[from.node];
      for (uint32_t output = 0; output < node.info.outputs.size(); ++output) {
        const std::string& name = node.info.outputs[output].target_name;
        for (uint32_t tries = 0; tries < 12; ++tries) {
          const uint32_t index = tries < 8 ? PickIndex(test.random, test.nodes, node, node.info.outputs[output])
                                           : static_cast<uint32_t>(test.random());
          Activation to;
          const bool exists =
              ResolveEnqueue(test.nodes, from, name, index, to) && !(name == node.name && index != node.index);
          ASSERT_EQ(tables.Resolve(slot, output, index), exists ? test.SlotOfActivation(to) : shared::kNoSlot)
              << "seed " << seed << " from " << SlotLabel(test.graph, slot) << " to " << NodeLabel(name, index);
        }
      }
    }
  }
}

TEST(RandomGraph, ThePlanOfADispatchDependsOnNothingElse) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const RandomCase test(seed);
    std::vector<RootCount> roots(test.roots.rbegin(), test.roots.rend());
    const GraphPlan again = PlanWith(test.graph, test.schedule, roots, test.limits);
    ASSERT_EQ(again.openings.size(), test.plan.openings.size());
    for (size_t i = 0; i < again.openings.size(); ++i) {
      ASSERT_EQ(again.openings[i].offset, test.plan.openings[i].offset);
      ASSERT_EQ(again.openings[i].capacity, test.plan.openings[i].capacity);
    }
  }
}

}  // namespace
}  // namespace trellis::test
