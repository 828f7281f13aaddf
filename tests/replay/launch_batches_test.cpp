// SPDX-License-Identifier: Apache-2.0
// Which launches of a level become one dispatch.
#include "layer/replay/planning/launch_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "meta_shaders/shared/kernel_plans.h"
#include "tests/replay/test_pipeline.h"

namespace trellis::test {
namespace {

using ::testing::ElementsAre;

class LaunchBatchesTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kNodes = 40;  // of "b", in slots 1 to 40; "a" has slot 0

  // A level with launches of these slots, each of at most so many workgroups, as FormBatches leaves it.
  RelocatableLevel Form(const std::vector<uint32_t>& slots, LaunchBatches setting = LaunchBatches::kAuto,
                        uint64_t max_workgroups = 10, bool timing = false, uint64_t arriving_workgroups = 10) {
    Settings settings;
    settings.log_file = "/dev/null";
    settings.launch_batches = setting;
    settings.timing = timing;
    RecordingDevice device(settings);
    std::vector<NodeSource> sources = {NodeBuilder("a").source};
    for (uint32_t i = 0; i < kNodes; ++i) sources.push_back(NodeBuilder("b", i).source);
    const auto pipeline = MakePipeline(device, sources);
    RelocatableLevel level;
    for (const uint32_t slot : slots) {
      RelocatableLaunch& launch = level.launches.emplace_back();
      launch.launch = {slot, slot};
      launch.from_region = slot != not_from_region_;
      launch.max_workgroups = max_workgroups;
      launch.arriving_workgroups = arriving_workgroups;
    }
    FormBatches(*pipeline, {1000, 1000, 64, 1 << 20}, level);
    return level;
  }
  static std::vector<uint32_t> Slots(uint32_t begin, uint32_t end) {
    std::vector<uint32_t> slots;
    for (uint32_t slot = begin; slot < end; ++slot) slots.push_back(slot);
    return slots;
  }
  static std::vector<uint32_t> SlotsOf(const RelocatableLevel& level) {
    std::vector<uint32_t> slots;
    for (const RelocatableLaunch& launch : level.launches) slots.push_back(launch.launch.slot);
    return slots;
  }
  static std::vector<std::pair<uint32_t, uint32_t>> RangesOf(const RelocatableLevel& level) {
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
    for (const RelocatableBatch& batch : level.batches) ranges.push_back({batch.launch_begin, batch.launch_end});
    return ranges;
  }

  uint32_t not_from_region_ = shared::kNoSlot;
};

TEST_F(LaunchBatchesTest, SixteenAreEnough) {
  EXPECT_TRUE(Form(Slots(1, 16)).batches.empty());
  EXPECT_THAT(RangesOf(Form(Slots(1, 17))), ElementsAre(std::pair(0u, 16u)));
}

// 40 members hide no more than 64 workgroups each.
TEST_F(LaunchBatchesTest, ManyWorkgroupsAreLeftAlone) {
  EXPECT_EQ(Form(Slots(1, 41), LaunchBatches::kAuto, 10, false, 40 * 64).batches.size(), 1u);
  EXPECT_TRUE(Form(Slots(1, 41), LaunchBatches::kAuto, 10, false, 40 * 64 + 1).batches.empty());
  EXPECT_EQ(Form(Slots(1, 41), LaunchBatches::kAlways, 10, false, 40 * 64 + 1).batches.size(), 1u);
}

TEST_F(LaunchBatchesTest, Settings) {
  EXPECT_THAT(RangesOf(Form({1, 2}, LaunchBatches::kAlways)), ElementsAre(std::pair(0u, 2u)));
  EXPECT_TRUE(Form({0, 1}, LaunchBatches::kAlways).batches.empty()) << "they share no pipeline";
  EXPECT_TRUE(Form(Slots(1, 41), LaunchBatches::kNever).batches.empty());
  EXPECT_TRUE(Form(Slots(1, 41), LaunchBatches::kAlways, 10, /*timing=*/true).batches.empty());
}

TEST_F(LaunchBatchesTest, TheOthersComeFirst) {
  not_from_region_ = 3;
  const RelocatableLevel level = Form({1, 0, 2, 3, 4}, LaunchBatches::kAlways);
  EXPECT_THAT(SlotsOf(level), ElementsAre(0, 3, 1, 2, 4));
  EXPECT_THAT(RangesOf(level), ElementsAre(std::pair(2u, 5u)));
  EXPECT_EQ(level.single_launches().size(), 2u);
}

// A dispatch has a million workgroups here.
TEST_F(LaunchBatchesTest, NoBatchIsMoreThanADispatch) {
  EXPECT_THAT(RangesOf(Form(Slots(1, 41), LaunchBatches::kAuto, 50'000)),
              ElementsAre(std::pair(0u, 20u), std::pair(20u, 40u)));
  EXPECT_TRUE(Form(Slots(1, 41), LaunchBatches::kAuto, 62'501).batches.empty()) << "fifteen each, and ten";
  EXPECT_TRUE(Form(Slots(1, 41), LaunchBatches::kAlways, 1'000'000).batches.empty());
}

class CountedBatchesTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kSlots = 140;
  static constexpr uint32_t kLevel = 2;

  CountedBatchesTest() {
    memory_.opening_begin = {0, 0, kSlots, kSlots};
    for (uint32_t slot = 0; slot < kSlots; ++slot) memory_.openings.emplace_back().slot = slot;
  }

  // Behind `alone` other launches, of the slots from 1 on.
  RelocatableBatch Count(uint32_t kind, uint64_t max_workgroups, uint32_t members = 4, uint32_t alone = 2) {
    RelocatableLevel level;
    for (uint32_t i = 0; i < alone + members; ++i) {
      RelocatableLaunch& launch = level.launches.emplace_back();
      launch.launch = {i + 1 - (i < alone ? 1 : 0), i + 1 - (i < alone ? 1 : 0)};
      launch.described.kind = kind;
      launch.max_workgroups = max_workgroups;
    }
    level.batches.emplace_back();
    level.batches[0].launch_begin = alone;
    level.batches[0].launch_end = alone + members;
    CountBatches(scratch_, {1000, 1000, 64, 1 << 20}, kLevel, memory_, level);
    return level.batches[0];
  }

  const ScratchLayout scratch_ = LayOutScratch({kSlots, 4, kSlots, 0, 0, 64, false});
  GraphPlan memory_;
};

TEST_F(CountedBatchesTest, EachMemberHasAPlace) {
  const RelocatableBatch batch = Count(shared::kLaunchCoalescing, 250);
  EXPECT_EQ(batch.counts, scratch_.workgroup_count(kLevel, 2));
  for (uint32_t slot = 0; slot < kSlots; ++slot) {
    const bool is_member = slot >= 3 && slot < 7;
    const shared::RegionPlan& opening = memory_.openings[slot];
    EXPECT_EQ(opening.batch_count, is_member ? batch.counts + 4 * (slot - 3) - scratch_.regions : 0u) << slot;
    EXPECT_EQ(opening.batch_region, is_member ? scratch_.region(kLevel, 3) : 0u) << slot;
  }
}

TEST_F(CountedBatchesTest, InOneRowOnly) {
  EXPECT_NE(Count(shared::kLaunchCoalescing, 250).counts, 0u);
  memory_.openings.assign(kSlots, {});
  EXPECT_EQ(Count(shared::kLaunchCoalescing, 251).counts, 0u);
  for (const shared::RegionPlan& opening : memory_.openings) EXPECT_EQ(opening.batch_count, 0u);
}

// A workgroup has to look through all of them.
TEST_F(CountedBatchesTest, FewMembersOnly) {
  EXPECT_NE(Count(shared::kLaunchCoalescing, 1, 128).counts, 0u);
  EXPECT_EQ(Count(shared::kLaunchCoalescing, 1, 129).counts, 0u);
}

// Their records are counted, not their workgroups.
TEST_F(CountedBatchesTest, NoStaticGrids) { EXPECT_EQ(Count(shared::kLaunchStaticGrid, 1).counts, 0u); }

}  // namespace
}  // namespace trellis::test
