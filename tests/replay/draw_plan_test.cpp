// SPDX-License-Identifier: Apache-2.0
// Draws that need no compute work: which dispatches are made of them, and how launches are split into them.
#include "layer/replay/placing/draw_plan.h"

#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layer/memory/plan_block_pool.h"
#include "tests/graph/graph_builder.h"
#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

constexpr DrawLimits kLimits = {{4, 3, 1}, 10};  // whole rows of 4: 8 workgroups a draw

class DrawPlanTest : public ::testing::Test {
 protected:
  // `count` payloads of 16 bytes for the node, which begin with `grids` and repeat them.
  void Send(const Graph& graph, const std::string& node, uint32_t count, const std::vector<uint32_t>& grids = {1, 1}) {
    std::vector<uint32_t>& words = payloads_.emplace_back();
    for (uint32_t i = 0; i < count; ++i) {
      const size_t grid = i * 2 % grids.size();
      words.insert(words.end(), {grids[grid], grids[grid + 1], 1, i});
    }
    RootInput& root = inputs_.roots.emplace_back();
    root.slot = SlotOf(graph, node);
    root.node = graph.slots[root.slot].node;
    root.record_count = count;
    root.runs.push_back({reinterpret_cast<const std::byte*>(words.data()), 16, count});
  }

  DrawPlan Plan(const Graph& graph) {
    Expected<DrawPlan> plan = PlanDraws(graph, inputs_, kLimits, arena_);
    EXPECT_TRUE(plan) << plan.error().message;
    return *std::move(plan);
  }

  static const shared::LaunchInput& InputOf(const NodeLaunch& draw) {
    const auto& block = *reinterpret_cast<const shared::LaunchBlock*>(draw.block);
    EXPECT_EQ(block.form, shared::kFormInput);
    return *reinterpret_cast<const shared::LaunchInput*>(block.source);
  }

  // Consecutive draws of one launch of so many workgroups.
  static void ExpectDraws(std::span<const NodeLaunch> draws, uint32_t workgroups) {
    uint32_t next = 0;
    for (const NodeLaunch& draw : draws) {
      const shared::LaunchInput& input = InputOf(draw);
      EXPECT_EQ(input.first_workgroup, next);
      next = input.workgroup_count;
      const uint32_t drawn = draw.size.x * draw.size.y * draw.size.z;
      EXPECT_GE(drawn, next - input.first_workgroup);
      EXPECT_LT(drawn, next - input.first_workgroup + draw.size.y) << "fewer than one workgroup a row is too many";
      EXPECT_LE(drawn, kLimits.max_workgroup_total_count);
      EXPECT_LE(draw.size.x, kLimits.max_workgroup_count[0]);
      EXPECT_LE(draw.size.y, kLimits.max_workgroup_count[1]);
      EXPECT_EQ(draw.size.z, 1u);
    }
    EXPECT_EQ(next, workgroups);
  }

  RecordingDevice device_;
  PlanArena arena_{PlanBlockPool::Of(device_.device()), PlanLifetime::kRecording};
  EntryInputs inputs_;
  std::deque<std::vector<uint32_t>> payloads_;
};

TEST_F(DrawPlanTest, OnlyMeshNodesThatReadTheirInputAreDrawnInPlace) {
  const Graph graph =
      MustLink({NodeBuilder("mesh").Mesh(), NodeBuilder("compute"), NodeBuilder("writer").Mesh().WritesInput(),
                NodeBuilder("shared").Mesh(), NodeBuilder("sharer").SharesInput("shared"), NodeBuilder("drawn").Mesh(),
                NodeBuilder("drawn too").Mesh().SharesInput("drawn")});
  for (const auto& [node, expected] : std::initializer_list<std::pair<const char*, bool>>{
           {"mesh", true}, {"compute", false}, {"writer", false}, {"shared", false}, {"drawn", true}}) {
    inputs_ = {};
    Send(graph, node, 1);
    EXPECT_EQ(IsDrawnInPlace(graph, inputs_), expected) << node;
    Send(graph, "mesh", 1);
    EXPECT_EQ(IsDrawnInPlace(graph, inputs_), expected) << node;
  }
}

TEST_F(DrawPlanTest, GraphsWithoutMeshNodesHaveNone) {
  const Graph graph = MustLink({NodeBuilder("compute")});
  EXPECT_FALSE(graph.has_mesh_nodes);
  EXPECT_FALSE(IsDrawnInPlace(graph, inputs_));
}

TEST_F(DrawPlanTest, LaunchesAreSplitWhereADrawMayNotHaveMore) {
  const Graph graph = MustLink({NodeBuilder("static").Mesh().Static(3, 1)});
  for (const uint32_t records : {1u, 2u, 3u, 5u, 8u, 9u, 100u}) {
    inputs_ = {};
    Send(graph, "static", records);
    const DrawPlan plan = Plan(graph);
    EXPECT_EQ(plan.draws.size(), (records * 3 + 7) / 8);
    ExpectDraws(plan.draws, records * 3);
    EXPECT_EQ(InputOf(plan.draws.back()).records.count, records);
    EXPECT_EQ(plan.draws.front().launch.slot, SlotOf(graph, "static"));
    EXPECT_TRUE(plan.complaints.empty());
  }
}

TEST_F(DrawPlanTest, GridsOfPayloadsAreNotedOnce) {
  const Graph graph = MustLink({NodeBuilder("dynamic").Mesh().Dynamic(100, 100, 1)});
  Send(graph, "dynamic", 4, {5, 2, 0, 7, 1, 1});
  const DrawPlan plan = Plan(graph);
  ExpectDraws(plan.draws, 21);
  const auto* record_state = reinterpret_cast<const uint32_t*>(InputOf(plan.draws.back()).record_state);
  EXPECT_EQ(std::vector<uint32_t>(record_state, record_state + 4), (std::vector<uint32_t>{0, 10, 10, 11}));
  for (const NodeLaunch& draw : plan.draws) EXPECT_EQ(InputOf(draw).record_state, InputOf(plan.draws[0]).record_state);
}

TEST_F(DrawPlanTest, SharersAreDrawnWithTheirOwnGrids) {
  const Graph graph =
      MustLink({NodeBuilder("first").Mesh().Static(1), NodeBuilder("second").Mesh().Static(2).SharesInput("first")});
  Send(graph, "first", 3);
  const DrawPlan plan = Plan(graph);
  ASSERT_EQ(plan.draws.size(), 2u);
  ExpectDraws(std::span(plan.draws).first(1), 3);
  ExpectDraws(std::span(plan.draws).last(1), 6);
  EXPECT_EQ(plan.draws[0].node, 0u);
  EXPECT_EQ(plan.draws[1].node, 1u);
  EXPECT_EQ(InputOf(plan.draws[0]).records.base, InputOf(plan.draws[1]).records.base);
}

TEST_F(DrawPlanTest, NothingIsDrawnOfRecordsWithoutWorkgroups) {
  const Graph graph = MustLink({NodeBuilder("dynamic").Mesh().Dynamic(100, 100, 1)});
  Send(graph, "dynamic", 3, {0, 2});
  EXPECT_TRUE(Plan(graph).draws.empty());
}

}  // namespace
}  // namespace trellis::test
