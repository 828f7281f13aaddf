// SPDX-License-Identifier: Apache-2.0
// What is planned for launches of mesh nodes that other nodes enqueue to: which are made of their region, how many
// draws the others have, and what their kernels write where.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "layer/replay/planning/relocatable_plan.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

class RelocatableDraws : public ::testing::Test {
 protected:
  RelocatableDraws() {
    device_.device().shader_mesh_enqueue_enabled = true;
    environment_.ring_budget = 1 << 30;
    environment_.limits = {65535, 65535, 65535, (1u << 24) - 1};
    environment_.draw_limits = {{65535, 65535, 65535}, 1u << 22};
  }

  // From so many workgroups of the node.
  void Plan(std::initializer_list<NodeBuilder> nodes, const std::string& root, uint64_t workgroups) {
    pipeline_ = MakePipeline(device_, nodes);
    const uint32_t slot = SlotOf(pipeline_->graph, root);
    plan_ = FindOrMakePlan(*pipeline_, {{{{slot, slot}, workgroups}}}, environment_);
  }
  [[nodiscard]] const RelocatableLaunch& TheDraw(uint32_t level) const {
    EXPECT_EQ(plan_->levels[level].draws.size(), 1u);
    return plan_->levels[level].draws.front();
  }
  [[nodiscard]] const shared::RegionPlan& OpeningOf(uint32_t level, const std::string& node) const {
    const uint32_t slot = SlotOf(pipeline_->graph, node);
    const std::span<const shared::RegionPlan> openings = plan_->memory.openings_of(level - 1);
    return *std::find_if(openings.begin(), openings.end(),
                         [slot](const shared::RegionPlan& opening) { return opening.slot == slot; });
  }

  RecordingDevice device_;
  DispatchEnvironment environment_;
  std::shared_ptr<ExecutionGraphPipeline> pipeline_;
  std::shared_ptr<const RelocatablePlan> plan_;
};

TEST_F(RelocatableDraws, StaticGridsAreMadeOfTheirRegion) {
  Plan({NodeBuilder("a").To("mesh"), NodeBuilder("mesh").Mesh().Static(3, 4, 5)}, "a", 1000);
  EXPECT_TRUE(TheDraw(1).from_region);
  EXPECT_TRUE(plan_->levels[1].launches.empty());
  EXPECT_TRUE(plan_->levels[1].sized.empty());
  EXPECT_EQ(OpeningOf(1, "mesh").grid_x, 3u);
  EXPECT_EQ(OpeningOf(1, "mesh").grid_yz, 20u);
  EXPECT_FALSE(plan_->steps);
  EXPECT_TRUE(plan_->can_prepare);
}

// Each component, and the product, for one record more than the region holds.
TEST_F(RelocatableDraws, RegionsThatMayHaveTooManyWorkgroupsAreSized) {
  const auto is_from_region = [this](uint32_t x, uint32_t y, uint64_t workgroups) {
    Plan({NodeBuilder("a").To("mesh"), NodeBuilder("mesh").Mesh().Static(x, y, 1)}, "a", workgroups);
    return TheDraw(1).from_region;
  };
  EXPECT_TRUE(is_from_region(1, 1, 65534));
  EXPECT_FALSE(is_from_region(1, 1, 65535)) << "a row";
  EXPECT_TRUE(is_from_region(64, 1, 65534));
  EXPECT_TRUE(is_from_region(1024, 4, 1023));
  EXPECT_FALSE(is_from_region(1024, 4, 1024)) << "in all";
  EXPECT_FALSE(is_from_region(65535, 65, 1));
}

TEST_F(RelocatableDraws, LaunchesHaveAsManyDrawsAsTheyMayNeed) {
  const auto draws = [this](uint32_t side, uint64_t workgroups) {
    Plan({NodeBuilder("a").To("mesh"), NodeBuilder("mesh").Mesh().Dynamic(side, side, 1)}, "a", workgroups);
    EXPECT_FALSE(TheDraw(1).from_region);
    return TheDraw(1).described.draws;
  };
  const uint32_t each = LargestDraw(environment_.draw_limits).workgroups;
  EXPECT_EQ(each, 64u * 65535) << "whole rows";
  EXPECT_EQ(draws(1, 1), 1u);
  EXPECT_EQ(draws(1, each), 1u);
  EXPECT_EQ(draws(1, each + 1), 2u);
  EXPECT_EQ(draws(100, 1000), 3u);
  EXPECT_EQ(draws(1000, 100'000), 64u) << "and no more";
}

// Levels may not overwrite what draws of other levels read.
TEST_F(RelocatableDraws, PlacesAreNobodyElses) {
  Plan({NodeBuilder("a").Recursion(5).To("a").To("mesh", 9).To("grids"), NodeBuilder("grids").Dynamic(2, 2, 1),
        NodeBuilder("mesh").Mesh().Dynamic(1000, 1000, 1), NodeBuilder("sharer").Mesh().Static(2).SharesInput("grids")},
       "a", 100);
  ASSERT_EQ(plan_->levels.size(), 7u);
  std::set<uint32_t> positions;
  uint32_t count = 0;
  for (uint32_t level = 1; level < 7; ++level) {
    const RelocatableLevel& planned = plan_->levels[level];
    ASSERT_EQ(planned.draws.size(), 2u);
    EXPECT_FALSE(planned.sizes_draws_alone);
    for (const RelocatableLaunch& draw : planned.draws) {
      EXPECT_EQ(draw.described.has_search_index, 0u);
      for (uint32_t i = 0; i < draw.described.draws; ++i, ++count) positions.insert(draw.described.first_draw + i);
    }
    for (const RelocatableLaunch& launch : planned.launches)
      EXPECT_LT(launch.described.position, plan_->scratch.first_draw);
  }
  EXPECT_EQ(positions.size(), count);
  EXPECT_GE(*positions.begin(), plan_->scratch.first_draw);
}

// Only draws have to be sized: no dispatch of the level waits for that.
TEST_F(RelocatableDraws, LevelsThatSizeNothingButDraws) {
  Plan({NodeBuilder("a").To("mesh").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c"),
        NodeBuilder("mesh").Mesh().Dynamic(2, 2, 1)},
       "a", 100);
  EXPECT_TRUE(plan_->levels[1].sizes_draws_alone);
  EXPECT_EQ(plan_->levels[1].sized.size(), 1u);
  EXPECT_EQ(plan_->levels[1].launches.size(), 1u);
  EXPECT_TRUE(plan_->levels[2].sized.empty());
}

// A node that writes its input may overwrite the grid that a sharer reads there.
TEST_F(RelocatableDraws, GridsOfSharersAreReadBeforeTheirLevel) {
  Plan({NodeBuilder("a").To("b"), NodeBuilder("b").Static(2),
        NodeBuilder("sharer").Mesh().Dynamic(2, 2, 1).SharesInput("b")},
       "a", 100);
  ASSERT_TRUE(plan_->levels[1].launches.at(0).from_region);
  EXPECT_EQ(TheDraw(1).described.state_words, shared::kFullRecordState);
  EXPECT_FALSE(plan_->levels[1].sizes_draws_alone);
}

// Without the mesh nodes among what is reached, everything is as in other graphs.
TEST_F(RelocatableDraws, DispatchesThatReachNoMeshNode) {
  Plan({NodeBuilder("a").To("mesh"), NodeBuilder("mesh").Mesh(), NodeBuilder("b").To("c"), NodeBuilder("c")}, "b", 100);
  EXPECT_TRUE(plan_->can_prepare);
  EXPECT_FALSE(plan_->schedule->has_mesh_nodes);
}

// Draws are launches of steps like others, and each has a place in scratch besides.
TEST_F(RelocatableDraws, WhatDoesNotFitRunsInSteps) {
  environment_.ring_budget = 1 << 16;
  const auto plan = [this] {
    Plan({NodeBuilder("a").To("mesh", 100, 64).To("b"), NodeBuilder("b"), NodeBuilder("mesh").Payload(64).Mesh(),
          NodeBuilder("sharer").Payload(64).Mesh().Dynamic(2, 2, 1).SharesInput("b")},
         "a", 1000);
  };
  plan();
  ASSERT_TRUE(plan_->steps);
  EXPECT_TRUE(plan_->memory.bounded);
  EXPECT_LE(plan_->steps->ring_bytes, environment_.ring_budget);
  const RelocatableLevel& level = plan_->levels[1];
  ASSERT_EQ(level.draws.size(), 2u);
  std::set<uint32_t> positions = {level.launches.at(0).described.position};
  std::set<uint32_t> draws;
  for (const RelocatableLaunch& draw : level.draws) {
    EXPECT_FALSE(draw.from_region);
    EXPECT_EQ(draw.described.draws, 1u);
    positions.insert(draw.described.position);
    draws.insert(draw.described.first_draw);
  }
  EXPECT_EQ(positions, (std::set<uint32_t>{1, 2, 3})) << "behind level 0";
  EXPECT_EQ(draws.size(), 2u);
  EXPECT_GE(*draws.begin(), plan_->scratch.first_draw);
  // Unless the larger budget keeps everything.
  environment_.step_budget = 64 << 20;
  plan();
  EXPECT_TRUE(plan_->memory.bounded);
  EXPECT_FALSE(plan_->steps);
}

}  // namespace
}  // namespace trellis::test
