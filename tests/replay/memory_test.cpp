#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "layer/memory/device_buffer.h"
#include "layer/memory/plan_arena.h"
#include "layer/memory/scratch_layout.h"
#include "meta_shaders/shared/graph_data.h"
#include "tests/replay/recording_device.h"

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
          {layout.totals, 7 * launches * sizeof(uint32_t)},
          {layout.steps, sizeof(shared::StepState)},
          {layout.sums, launches / 2 * MostParts(launches / 2) * sizeof(uint32_t)},
          {layout.landmarks, launches / 3 * MostParts(launches / 3) * shared::kLandmarksOfPart * sizeof(uint32_t)},
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
      EXPECT_EQ(layout.total(0, 0), layout.totals);
      EXPECT_EQ(layout.total(6, launches - 1) + sizeof(uint32_t) - layout.totals, 7 * launches * sizeof(uint32_t));
      EXPECT_EQ(layout.argument(7 * launches - 1) + sizeof(shared::DispatchArguments) - layout.arguments,
                7 * launches * sizeof(shared::DispatchArguments));
    }
  }
}

TEST(ScratchLayoutTest, LevelsHaveRegionsOfTheirOwnWhereThatIsAffordable) {
  ScratchNeeds needs = {1023, 32, 100, 0, 0, 64, false};
  const ScratchLayout own = LayOutScratch(needs);
  EXPECT_TRUE(own.opens_all_levels);
  EXPECT_EQ(own.region_levels, 32u);
  EXPECT_NE(own.region(0, 5), own.region(2, 5));
  needs.close_every_level = true;
  const ScratchLayout closed = LayOutScratch(needs);
  EXPECT_FALSE(closed.opens_all_levels);
  EXPECT_EQ(closed.region_levels, 2u);
  EXPECT_EQ(closed.region(0, 5), closed.region(2, 5));
  EXPECT_NE(closed.region(0, 5), closed.region(1, 5));
  EXPECT_EQ(closed.step_levels, 32u);
  EXPECT_EQ(closed.ForSteps().region_offset(31, 5), closed.regions + (31 * 1024 + 5) * sizeof(shared::Region));
  EXPECT_LE(closed.regions + 32 * 1024 * sizeof(shared::Region), closed.inputs);

  // 768 MiB, if each level had its own.
  const ScratchLayout huge = LayOutScratch({16383, 128, 100, 0, 0, 64, false});
  EXPECT_FALSE(huge.opens_all_levels);
  EXPECT_EQ(huge.step_levels, 0u);
  EXPECT_LT(huge.size, 13u << 20);
  EXPECT_LT(LayOutScratch({16383, 128, 16383, 16383, 0, 64, false}).size, huge.size + (4u << 20))
      << "launches of nodes that look for no landmarks";
  EXPECT_EQ(LayOutScratch({3, 1, 1, 0, 0, 0, false}).region_levels, 2u) << "a level never appends to what it consumes";
}

TEST(DeviceBufferTest, OwnsItsObjectsAndIsAligned) {
  RecordingDevice device;
  {
    Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kHost, "a buffer");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->address() % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uint64_t>(made->data()), made->address());
    EXPECT_EQ(device.NameOf(HandleToU64(made->handle())), "a buffer");
    EXPECT_EQ(device.LiveObjects(), 2);
    DeviceBuffer moved = *std::move(made);
    DeviceBuffer again;
    again = std::move(moved);
    EXPECT_EQ(again.size(), 100u);
    EXPECT_EQ(device.LiveObjects(), 2);
  }
  EXPECT_EQ(device.LiveObjects(), 0);
}

TEST(DeviceBufferTest, FamiliesThatCanComputeShareIt) {
  RecordingDevice device;
  std::vector<VkQueueFamilyProperties>& families = device.device().queue_families;
  families.resize(3);
  families[0].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "one family"));
  EXPECT_TRUE(device.LastSharing().empty());
  families[2].queueFlags = VK_QUEUE_COMPUTE_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "two families"));
  EXPECT_EQ(device.LastSharing(), (std::vector<uint32_t>{0, 2}));
}

TEST(DeviceBufferTest, FailureLeavesNothingBehind) {
  RecordingDevice device;
  device.FailAllocations(true);
  const Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "ring");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("ring"), std::string::npos);
  EXPECT_EQ(device.LiveObjects(), 0);
}

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
