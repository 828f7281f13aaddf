// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/scratch_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "meta_shaders/shared/graph_data.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "meta_shaders/shared/step_plan.h"

namespace trellis::test {
namespace {

TEST(ScratchLayoutTest, PartsAreAlignedAndDoNotOverlap) {
  for (const auto& [slots, launches] : {std::pair(1u, 1u), {2u, 512u}, {31u, 32u}, {1000u, 1000u}}) {
    for (uint32_t largest : {0u, 4u, 63u, 64u, 32768u}) {
      const ScratchLayout layout = LayOutScratch({slots, 7, launches, launches / 2, launches / 3, largest, false});
      std::vector<std::pair<uint64_t, uint64_t>> parts = {
          {layout.control, sizeof(shared::ControlBlock)},
          {layout.regions, 7 * (slots + 1) * sizeof(shared::Region)},
          {layout.inputs, 7 * launches * sizeof(shared::LaunchInput)},
          {layout.arguments, 7 * launches * sizeof(shared::DispatchArguments)},
          {layout.workgroup_counts, 7 * launches * sizeof(uint32_t)},
          {layout.steps, sizeof(shared::StepState)},
          {layout.sums, launches / 2 * MaxParts(launches / 2) * sizeof(uint32_t)},
          {layout.search_index,
           launches / 3 * MaxParts(launches / 3) * shared::kSearchEntriesOfPart * sizeof(uint32_t)},
          {layout.slices, 7 * (launches / 2) * 64 * sizeof(shared::Slice)},
          {layout.batch_sums, (launches + launches / 2) * sizeof(uint32_t)},
          {layout.dump, largest + 64}};
      std::sort(parts.begin(), parts.end());
      uint64_t end = 0;
      for (const auto& [offset, size] : parts) {
        EXPECT_EQ(offset % kScratchAlignment, 0u);
        EXPECT_GE(offset, end);
        end = offset + size;
      }
      EXPECT_GE(layout.size, end);
      EXPECT_EQ(layout.size % kScratchAlignment, 0u);
      EXPECT_EQ(layout.region_offset(6, slots) + sizeof(shared::Region) - layout.regions,
                7 * (slots + 1) * sizeof(shared::Region));
      EXPECT_EQ(layout.input(7 * launches - 1) + sizeof(shared::LaunchInput) - layout.inputs,
                7 * launches * sizeof(shared::LaunchInput));
      EXPECT_EQ(layout.workgroup_count(0, 0), layout.workgroup_counts);
      EXPECT_EQ(layout.workgroup_count(6, launches - 1) + sizeof(uint32_t) - layout.workgroup_counts,
                7 * launches * sizeof(uint32_t));
      EXPECT_EQ(layout.argument(7 * launches - 1) + sizeof(shared::DispatchArguments) - layout.arguments,
                7 * launches * sizeof(shared::DispatchArguments));
    }
  }
}

TEST(ScratchLayoutTest, LevelsHaveRegionsOfTheirOwnWhereThatIsAffordable) {
  ScratchNeeds needs = {639, 32, 100, 0, 0, 64, false};
  const ScratchLayout own = LayOutScratch(needs);
  EXPECT_TRUE(own.opens_all_levels);
  EXPECT_EQ(own.region_levels, 32u);
  EXPECT_NE(own.region(0, 5), own.region(2, 5));
  needs.size_every_level = true;
  const ScratchLayout sized = LayOutScratch(needs);
  EXPECT_FALSE(sized.opens_all_levels);
  EXPECT_EQ(sized.region_levels, 2u);
  EXPECT_EQ(sized.region(0, 5), sized.region(2, 5));
  EXPECT_NE(sized.region(0, 5), sized.region(1, 5));
  EXPECT_EQ(sized.step_levels, 32u);
  EXPECT_EQ(sized.ForSteps().region_offset(31, 5), sized.regions + (31 * 640 + 5) * sizeof(shared::Region));
  EXPECT_LE(sized.regions + 32 * 640 * sizeof(shared::Region), sized.inputs);

  // 1,280 MiB, if each level had its own.
  const ScratchLayout huge = LayOutScratch({16383, 128, 100, 0, 0, 64, false});
  EXPECT_FALSE(huge.opens_all_levels);
  EXPECT_EQ(huge.step_levels, 0u);
  EXPECT_LT(huge.size, 22u << 20);
  EXPECT_LT(LayOutScratch({16383, 128, 16383, 16383, 0, 64, false}).size, huge.size + (12u << 20))
      << "launches of nodes that look for no search_index";
  EXPECT_EQ(LayOutScratch({3, 1, 1, 0, 0, 0, false}).region_levels, 2u) << "a level never appends to what it consumes";
}

// What draws read lies behind what levels write again and again; nothing else moves apart from that.
TEST(ScratchLayoutTest, DrawsHavePlacesOfTheirOwn) {
  constexpr uint32_t kSlots = 40, kLevels = 7, kLaunches = 20, kDrawn = 5;
  ScratchNeeds needs = {kSlots, kLevels, kLaunches, kLaunches, 0, 64, false};
  const ScratchLayout without = LayOutScratch(needs);
  EXPECT_EQ(without.max_draws, 0u);
  EXPECT_EQ(without.level_sums(6), without.sums);
  needs.draw_launch_count = kDrawn;
  const ScratchLayout layout = LayOutScratch(needs);
  EXPECT_EQ(layout.max_draws, 64u);
  uint32_t next = kLaunches * kLevels;
  for (uint32_t level = 0; level < kLevels; ++level)
    for (uint32_t launch = 0; launch < kDrawn; ++launch, next += layout.max_draws)
      EXPECT_EQ(layout.draw_position(level, launch), next);
  EXPECT_LE(layout.input(next), layout.arguments);
  EXPECT_LE(layout.argument(next), layout.workgroup_counts);
  const uint64_t sums = uint64_t{kLaunches} * MaxParts(kLaunches) * sizeof(uint32_t);
  for (uint32_t level = 1; level < kLevels; ++level)
    EXPECT_GE(layout.level_sums(level), layout.level_sums(level - 1) + sums);
  EXPECT_LE(layout.level_sums(kLevels - 1) + sums, layout.search_index);
}

// Regions are read after all levels, whatever the setting says.
TEST(ScratchLayoutTest, LevelsDoNotTakeTurnsWithRegionsIfThereAreDraws) {
  const ScratchLayout layout = LayOutScratch({3000, 32, 100, 0, 0, 64, true, 1});
  EXPECT_TRUE(layout.opens_all_levels);
  EXPECT_EQ(layout.region_levels, 32u);
  EXPECT_EQ(layout.step_levels, 0u) << "more than kMaxRegionBytes";
  EXPECT_LE(layout.region_offset(31, 3000) + sizeof(shared::Region), layout.inputs);
  EXPECT_LE(layout.workgroup_count(31, 100), layout.steps) << "workgroups of members of counted batches";
}

// Many mesh nodes have fewer draws each.
TEST(ScratchLayoutTest, DrawsTakeLittleMemory) {
  ScratchNeeds needs = {2000, 2, 1000, 0, 0, 64, false};
  const uint64_t without = LayOutScratch(needs).size;
  needs.draw_launch_count = 1000;
  const ScratchLayout layout = LayOutScratch(needs);
  EXPECT_EQ(layout.max_draws, 26u);
  EXPECT_LE(layout.size, without + (4u << 20) + 4096);
}

}  // namespace
}  // namespace trellis::test
