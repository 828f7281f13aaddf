#include "layer/memory/plan_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

TEST(PlanArenaTest, PiecesAreAlignedAndDisjoint) {
  RecordingDevice device;
  PlanArena arena(PlanBlockPool::Of(device.device()));
  std::vector<std::pair<uint64_t, uint64_t>> pieces;
  for (uint32_t i = 0; i < 3000; ++i) {
    const Expected<PlanSpan> span = arena.Allocate(i % 700);
    ASSERT_TRUE(span);
    EXPECT_EQ(span->address % 16, 0u);
    EXPECT_EQ(span->address, reinterpret_cast<uint64_t>(span->host));
    pieces.emplace_back(span->address, span->size);
  }
  std::sort(pieces.begin(), pieces.end());
  for (size_t i = 1; i < pieces.size(); ++i)
    EXPECT_GT(pieces[i].first, pieces[i - 1].first + pieces[i - 1].second - (pieces[i - 1].second != 0));
}

TEST(PlanArenaTest, ServesMoreThanABlock) {
  RecordingDevice device;
  PlanArena arena(PlanBlockPool::Of(device.device()));
  const Expected<PlanSpan> span = arena.Allocate(10 * PlanBlockPool::kBlockBytes);
  ASSERT_TRUE(span);
  span->host[10 * PlanBlockPool::kBlockBytes - 1] = std::byte{1};
  EXPECT_TRUE(arena.Allocate(16));
}

TEST(PlanArenaTest, BlocksAreUsedAgainButNotHoarded) {
  RecordingDevice device;
  const std::shared_ptr<PlanBlockPool> pool = PlanBlockPool::Of(device.device());
  {
    PlanArena arena(pool);
    for (size_t i = 0; i < PlanBlockPool::kMostKept + 5; ++i) ASSERT_TRUE(arena.Allocate(PlanBlockPool::kBlockBytes));
    EXPECT_EQ(pool->Kept(), 0u);
  }
  EXPECT_EQ(pool->Kept(), PlanBlockPool::kMostKept);
  const int live = device.LiveObjects();
  PlanArena arena(pool);
  ASSERT_TRUE(arena.Allocate(1));
  EXPECT_EQ(device.LiveObjects(), live);
}

TEST(PlanArenaTest, ARecordingHasOneArenaUntilItIsDiscarded) {
  RecordingDevice device;
  device.Begin();
  std::weak_ptr<PlanArena> first = ArenaOf(device.command_buffer());
  EXPECT_EQ(first.lock(), ArenaOf(device.command_buffer()));
  ASSERT_TRUE(first.lock()->Allocate(16));
  EXPECT_EQ(PlanBlockPool::Of(device.device())->Kept(), 0u);
  device.Begin();
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(PlanBlockPool::Of(device.device())->Kept(), 1u);
  EXPECT_NE(ArenaOf(device.command_buffer()), nullptr);
}

TEST(SharedArenasTest, OwnersShareABlockUntilItIsFull) {
  RecordingDevice device;
  const std::shared_ptr<SharedArenas> arenas = SharedArenas::Of(device.device());
  const std::shared_ptr<PlanArena> first = arenas->Take();
  EXPECT_NE(arenas->Take(), first) << "somebody allocates from it";
  ASSERT_TRUE(first->Allocate(100));
  arenas->Give(first);
  EXPECT_EQ(arenas->Take(), first);
  ASSERT_TRUE(first->Allocate(PlanBlockPool::kBlockBytes));
  arenas->Give(first);
  EXPECT_NE(arenas->Take(), first);
}

TEST(SharedArenasTest, TheLastOwnerGivesTheBlockBack) {
  RecordingDevice device;
  const std::shared_ptr<PlanBlockPool> pool = PlanBlockPool::Of(device.device());
  const std::shared_ptr<SharedArenas> arenas = SharedArenas::Of(device.device());
  std::shared_ptr<PlanArena> one = arenas->Take();
  ASSERT_TRUE(one->Allocate(100));
  arenas->Give(one);
  std::shared_ptr<PlanArena> other = arenas->Take();
  ASSERT_TRUE(other->Allocate(PlanBlockPool::kBlockBytes));
  arenas->Give(other);
  one.reset();
  EXPECT_EQ(pool->Kept(), 0u);
  other.reset();
  EXPECT_EQ(pool->Kept(), 2u);
}

}  // namespace
}  // namespace trellis::test
