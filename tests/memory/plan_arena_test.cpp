// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/plan_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

class PlanArenaTest : public ::testing::Test {
 protected:
  std::unique_ptr<PlanArena> Arena(PlanLifetime lifetime = PlanLifetime::kRecording) {
    return std::make_unique<PlanArena>(pool_, lifetime);
  }
  // Returns a closed arena with `bytes` at `address`.
  std::unique_ptr<PlanArena> Written(VkDeviceSize bytes, VkDeviceAddress& address,
                                     PlanLifetime lifetime = PlanLifetime::kRecording) {
    std::unique_ptr<PlanArena> arena = Arena(lifetime);
    const Expected<PlanSpan> span = arena->Allocate(bytes);
    EXPECT_TRUE(span);
    if (span) address = span->address;
    arena->Close();
    return arena;
  }

  RecordingDevice device_;
  std::shared_ptr<PlanBlockPool> pool_ = PlanBlockPool::Of(device_.device());
};

TEST_F(PlanArenaTest, PiecesAreAlignedAndDisjoint) {
  const std::unique_ptr<PlanArena> arena = Arena();
  std::vector<std::pair<uint64_t, uint64_t>> pieces;
  for (uint32_t i = 0; i < 3000; ++i) {
    const Expected<PlanSpan> span = arena->Allocate(i % 700 == 0 ? 200000 + i : i % 700);
    ASSERT_TRUE(span);
    EXPECT_EQ(span->address % 16, 0u);
    EXPECT_EQ(span->address, reinterpret_cast<uint64_t>(span->host));
    if (span->size != 0) std::memset(span->host, 1, span->size);
    pieces.emplace_back(span->address, span->size);
    if (i % 100 == 0) arena->Close();
  }
  std::sort(pieces.begin(), pieces.end());
  for (size_t i = 1; i < pieces.size(); ++i)
    EXPECT_GT(pieces[i].first, pieces[i - 1].first + pieces[i - 1].second - (pieces[i - 1].second != 0));
}

TEST_F(PlanArenaTest, ManySmallOwnersTakeFewAllocations) {
  std::vector<std::unique_ptr<PlanArena>> arenas;
  VkDeviceAddress address = 0;
  for (uint32_t i = 0; i < 1024; ++i) arenas.push_back(Written(1024, address));
  EXPECT_EQ(device_.Allocations(), 4) << "1 MiB in blocks of 256 KiB";
  for (uint32_t round = 0; round < 3; ++round) {
    arenas.clear();
    for (uint32_t i = 0; i < 1024; ++i) arenas.push_back(Written(1024, address));
  }
  EXPECT_EQ(device_.Allocations(), 4);
}

TEST_F(PlanArenaTest, ABlockBeginsAnewWhenItsLastOwnerIsGone) {
  VkDeviceAddress first = 0;
  VkDeviceAddress second = 0;
  VkDeviceAddress third = 0;
  std::unique_ptr<PlanArena> one = Written(1000, first);
  std::unique_ptr<PlanArena> two = Written(1000, second);
  EXPECT_EQ(second, first + 1008);
  one.reset();
  one = Written(1000, third);
  EXPECT_EQ(third, second + 1008) << "the other one is still read";
  one.reset();
  two.reset();
  one = Written(1000, third);
  EXPECT_EQ(third, first);
}

TEST_F(PlanArenaTest, NobodyElseAllocatesFromABlockThatIsBeingFilled) {
  const std::unique_ptr<PlanArena> one = Arena();
  const std::unique_ptr<PlanArena> other = Arena();
  const VkDeviceAddress first = one->Allocate(64)->address;
  const VkDeviceAddress second = other->Allocate(64)->address;
  EXPECT_EQ(device_.Allocations(), 2);
  EXPECT_EQ(one->Allocate(64)->address, first + 64);
  EXPECT_EQ(other->Allocate(64)->address, second + 64);
}

TEST_F(PlanArenaTest, LargeRequestsHaveBlocksThatNoOtherOwnerKeeps) {
  VkDeviceAddress address = 0;
  const std::unique_ptr<PlanArena> small = Written(64, address);
  const VkDeviceSize before = pool_->usage().used;
  std::unique_ptr<PlanArena> large = Arena();
  ASSERT_TRUE(large->Allocate(64));
  ASSERT_TRUE(large->Allocate(1 << 20));
  EXPECT_EQ(large->Allocate(64)->address, address + 128) << "it goes on in the shared block";
  large->Close();
  EXPECT_EQ(pool_->usage().used, before + (1 << 20));
  large.reset();
  EXPECT_EQ(pool_->usage().used, before);
}

TEST_F(PlanArenaTest, PlansAndRecordingsShareNoBlock) {
  VkDeviceAddress address = 0;
  const std::unique_ptr<PlanArena> recording = Written(64, address);
  const std::unique_ptr<PlanArena> plan = Written(64, address, PlanLifetime::kPlan);
  EXPECT_EQ(device_.Allocations(), 2);
  const std::unique_ptr<PlanArena> other_plan = Written(64, address, PlanLifetime::kPlan);
  EXPECT_EQ(device_.Allocations(), 2);
}

TEST_F(PlanArenaTest, WithoutMemoryItKeepsWhatItHas) {
  const std::unique_ptr<PlanArena> arena = Arena();
  const Expected<PlanSpan> span = arena->Allocate(64);
  ASSERT_TRUE(span);
  device_.FailAllocations(true);
  EXPECT_FALSE(arena->Allocate(1 << 20));
  EXPECT_EQ(arena->Allocate(64)->address, span->address + 64);
  device_.FailAllocations(false);
  EXPECT_TRUE(arena->Allocate(1 << 20));
}

TEST_F(PlanArenaTest, EverythingIsGivenBackInTheEnd) {
  VkDeviceAddress address = 0;
  std::unique_ptr<PlanArena> arena = Written(64, address);
  ASSERT_TRUE(arena->Allocate(1 << 20));
  device_.device().components.Clear();
  pool_.reset();
  EXPECT_GT(device_.LiveObjects(), 0) << "the arena's";
  arena.reset();
  EXPECT_EQ(device_.LiveObjects(), 0);
}

}  // namespace
}  // namespace trellis::test
