// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/ring_pool.h"

#include <gtest/gtest.h>

#include "meta_shaders/shared/kernel_plans.h"
#include "tests/support/recording_device.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

VkQueue QueueNumber(uintptr_t number) { return reinterpret_cast<VkQueue>(number * 64); }

const shared::RingTableHeader& Header(const RingPool& pool) {
  return *reinterpret_cast<const shared::RingTableHeader*>(pool.table());
}
const shared::RingEntry& Entry(const RingPool& pool, uint32_t index) {
  return reinterpret_cast<const shared::RingEntry*>(&Header(pool) + 1)[index];
}

// Rings that a graph that needs `bytes` may use.
uint32_t Usable(const RingPool& pool, VkDeviceSize bytes) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < Header(pool).count; ++i) count += Entry(pool, i).bytes >= bytes;
  return count;
}

class RingPoolTest : public ::testing::Test {
 protected:
  std::shared_ptr<RingPool> Pool(uint32_t family = 0) {
    Expected<std::shared_ptr<RingPool>> pool = RingPoolOf(device_.device(), family);
    return pool ? *pool : nullptr;
  }

  RecordingDevice device_;
};

TEST_F(RingPoolTest, OnePoolAFamilyWithATableThatStays) {
  const auto pool = Pool(3);
  EXPECT_EQ(pool, Pool(3));
  EXPECT_NE(pool, Pool(4));
  const VkDeviceAddress table = pool->table();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 5 * kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->table(), table);
  EXPECT_EQ(Pool(4)->RingCount(), 0u);
}

TEST_F(RingPoolTest, OneRingForEachQueueAndNoMore) {
  const auto pool = Pool();
  for (uint32_t repeat = 0; repeat < 3; ++repeat)
    for (uint32_t queue = 1; queue <= 4; ++queue) ASSERT_EQ(pool->EnsureRings(QueueNumber(queue), kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->RingCount(), 4u);
  EXPECT_EQ(Header(*pool).count, 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_NE(Entry(*pool, i).base, 0u);
    EXPECT_EQ(Entry(*pool, i).base % 64, 0u);
    EXPECT_GE(Entry(*pool, i).bytes, kMiB);
    EXPECT_EQ(Entry(*pool, i).owner, 0u);
  }
}

TEST_F(RingPoolTest, TheLargestGraphFindsARingHoweverTheOthersChoose) {
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 10 * kMiB), VK_SUCCESS);
  // A small graph on another queue may take the large ring, so that queue needs a large one too.
  ASSERT_EQ(pool->EnsureRings(QueueNumber(2), 1), VK_SUCCESS);
  EXPECT_EQ(Usable(*pool, 10 * kMiB), 2u);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(2), 40 * kMiB), VK_SUCCESS);
  EXPECT_EQ(Usable(*pool, 40 * kMiB), 2u);
}

TEST_F(RingPoolTest, GrowingStepByStepLeavesNoMoreBehindThanIsInUse) {
  const auto pool = Pool();
  for (VkDeviceSize bytes = kMiB; bytes <= 40 * kMiB; bytes += kMiB / 4)
    ASSERT_EQ(pool->EnsureRings(QueueNumber(1), bytes), VK_SUCCESS);
  EXPECT_LE(pool->TotalBytes(), 2 * 64 * kMiB);
  EXPECT_LE(pool->RingCount(), 8u);
}

TEST_F(RingPoolTest, GrowingInsteadOfStepsLeavesNoMoreBehindEither) {
  Settings settings;
  settings.ring_budget = 8;
  RecordingDevice device(settings);
  const Expected<std::shared_ptr<RingPool>> pool = RingPool::Create(device.device(), 64 * kMiB);
  ASSERT_TRUE(pool);
  for (VkDeviceSize bytes = kMiB; bytes <= 64 * kMiB; bytes += kMiB / 4) ASSERT_NE((*pool)->RingWith(bytes), 0u);
  EXPECT_LE((*pool)->TotalBytes(), 2 * 64 * kMiB);
  EXPECT_LE((*pool)->RingCount(), 8u);
}

TEST_F(RingPoolTest, DoublingStopsAtTheBudgetButNeedsAreMet) {
  EXPECT_EQ(RingBudget(device_.device()), 64 * kMiB);  // a quarter of the heap
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 60 * kMiB), VK_SUCCESS);
  EXPECT_EQ(Entry(*pool, 0).bytes, 64 * kMiB);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 70 * kMiB), VK_SUCCESS);
  EXPECT_EQ(Entry(*pool, 1).bytes, 70 * kMiB);
}

TEST_F(RingPoolTest, AFailedAllocationIsReturnedAndChangesNothing) {
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), kMiB), VK_SUCCESS);
  device_.FailAllocations(true);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), 2 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(Header(*pool).count, 1u);
  device_.FailAllocations(false);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), 2 * kMiB), VK_SUCCESS);
}

// What cannot be had for one graph must not be asked for on behalf of the others.
TEST_F(RingPoolTest, AFailedAllocationDoesNotStopSmallerGraphs) {
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), kMiB), VK_SUCCESS);
  device_.FailAllocations(true);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), 2 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(2), kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), kMiB), VK_SUCCESS) << "the other queue's graph does not run";
  device_.FailAllocations(false);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(2), kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->RingCount(), 2u);
}

// A graph that is recorded with a ring finds it when it is submitted, and so do smaller ones.
TEST_F(RingPoolTest, ARingToRecordWith) {
  const auto pool = Pool();
  const VkDeviceAddress ring = pool->RingWith(3 * kMiB);
  EXPECT_NE(ring, 0u);
  EXPECT_EQ(ring, Entry(*pool, 0).base);
  EXPECT_EQ(pool->RingWith(kMiB), ring);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 3 * kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->RingCount(), 1u);
  const VkDeviceAddress larger = pool->RingWith(5 * kMiB);
  EXPECT_NE(larger, ring);
  EXPECT_GE(Entry(*pool, 1).bytes, 5 * kMiB);
  EXPECT_EQ(pool->RingWith(3 * kMiB), ring) << "what was recorded stays";
}

TEST_F(RingPoolTest, NoRingToRecordWithWhereThereIsNoMemory) {
  const auto pool = Pool();
  device_.FailAllocations(true);
  EXPECT_EQ(pool->RingWith(kMiB), 0u);
  device_.FailAllocations(false);
  EXPECT_NE(pool->RingWith(kMiB), 0u);
}

TEST_F(RingPoolTest, ARingToRecordWithForEachQueueThatWasSeen) {
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), kMiB), VK_SUCCESS);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(2), kMiB), VK_SUCCESS);
  EXPECT_NE(pool->RingWith(8 * kMiB), 0u);
  EXPECT_EQ(Usable(*pool, 8 * kMiB), 2u);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 8 * kMiB), VK_SUCCESS);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(2), 8 * kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->RingCount(), 4u);
}

TEST_F(RingPoolTest, SmallerBudgetsLeadToASmallerRing) {
  const auto pool = Pool();
  EXPECT_EQ(pool->SmallerBudget(64 * kMiB, 60 * kMiB), 32 * kMiB);
  EXPECT_EQ(pool->SmallerBudget(64 * kMiB, 3 * kMiB), 2 * kMiB) << "with more the ring would be as large";
  EXPECT_EQ(pool->SmallerBudget(8 * kMiB, 20 * kMiB), 4 * kMiB) << "copied inputs come on top";
  EXPECT_EQ(pool->SmallerBudget(512 * 1024 + 256, 512 * 1024 + 256), 256 * 1024u) << "whole lines";
  EXPECT_EQ(pool->SmallerBudget(256 * 1024, 256 * 1024), 0u);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 5 * kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->SmallerBudget(14 * kMiB, 14 * kMiB), 8 * kMiB) << "a ring that is there";
  EXPECT_EQ(pool->SmallerBudget(64 * kMiB, 20 * kMiB), 16 * kMiB);
  EXPECT_EQ(pool->SmallerBudget(8 * kMiB, 8 * kMiB), 4 * kMiB);
}

TEST_F(RingPoolTest, AfterTheBudgetWasLoweredRingsGrowNoFurther) {
  const auto pool = Pool();
  EXPECT_EQ(pool->budget(), 64 * kMiB);
  pool->LowerBudget(6 * kMiB, 40 * kMiB);
  pool->LowerBudget(9 * kMiB, 40 * kMiB);
  EXPECT_EQ(pool->budget(), 6 * kMiB);
  EXPECT_EQ(pool->full_budget(), 64 * kMiB);
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 5 * kMiB), VK_SUCCESS);
  EXPECT_EQ(Entry(*pool, 0).bytes, 6 * kMiB);
}

// Two queues of 16 MiB do not fit; the second one's graphs find a smaller ring when they are recorded again.
TEST_F(RingPoolTest, AQueueWithoutARingLeavesASmallerOneBehind) {
  const auto pool = Pool();
  ASSERT_EQ(pool->EnsureRings(QueueNumber(1), 16 * kMiB), VK_SUCCESS);
  device_.LimitMemory(device_.AllocatedBytes() + 5 * kMiB);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(2), 16 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(pool->budget(), 4 * kMiB);
  EXPECT_EQ(Usable(*pool, 4 * kMiB), 2u);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(2), 4 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY) << "it may get the large one";
  pool->ForgetNeeds();
  EXPECT_EQ(pool->EnsureRings(QueueNumber(2), 4 * kMiB), VK_SUCCESS);
  EXPECT_EQ(pool->EnsureRings(QueueNumber(1), 16 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST(RingBudgetTest, TheLargestLeavesMemoryToOthers) {
  RecordingDevice device;
  EXPECT_EQ(LargestRingBudget(device.device()), 128 * kMiB);  // half of the heap
  device.device().traits.max_buffer_bytes = 2 * kMiB;
  EXPECT_EQ(LargestRingBudget(device.device()), 2 * kMiB - 256);
}

TEST(RingBudgetTest, NoRingIsLargerThanADevicesBuffers) {
  for (const uint32_t setting : {0u, 512u}) {
    Settings settings;
    settings.ring_budget = setting;
    RecordingDevice device(settings);
    device.device().traits.max_buffer_bytes = 2 * kMiB;
    EXPECT_EQ(RingBudget(device.device()), 2 * kMiB - 256) << "less what aligns the address";
    const Expected<std::shared_ptr<RingPool>> pool = RingPool::Create(device.device());
    ASSERT_TRUE(pool);
    EXPECT_EQ((*pool)->EnsureRings(QueueNumber(1), RingBudget(device.device())), VK_SUCCESS);
    EXPECT_EQ((*pool)->EnsureRings(QueueNumber(2), 2 * kMiB), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  }
}

// Larger allocations may fail: nobody has to ask for one who did not want it, but who wants it may.
TEST(RingBudgetTest, OnlyTheDefaultEndsAtWhatMayBeAllocated) {
  RecordingDevice device;
  device.device().traits.max_allocation_bytes = 2 * kMiB;
  EXPECT_EQ(RingBudget(device.device()), 2 * kMiB - 256);
  const Expected<std::shared_ptr<RingPool>> pool = RingPool::Create(device.device());
  ASSERT_TRUE(pool);
  EXPECT_EQ((*pool)->EnsureRings(QueueNumber(1), 3 * kMiB), VK_SUCCESS) << "this device has that much";

  Settings settings;
  settings.ring_budget = 3;
  RecordingDevice with_setting(settings);
  with_setting.device().traits.max_allocation_bytes = 2 * kMiB;
  EXPECT_EQ(RingBudget(with_setting.device()), 3 * kMiB);
}

TEST(RingBudgetTest, AnEighthOfTheHeapInsteadOfSteps) {
  constexpr VkDeviceSize kGiB = 1024 * kMiB;
  RecordingDevice device;
  VkPhysicalDeviceMemoryProperties& memory = device.device().memory_properties;
  const auto budget_with = [&](VkDeviceSize heap) {
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) memory.memoryHeaps[i].size = heap;
    return RingBudgetInsteadOfSteps(device.device());
  };
  EXPECT_EQ(budget_with(2 * kGiB), kGiB / 2) << "a quarter";
  EXPECT_EQ(budget_with(8 * kGiB), kGiB);
  EXPECT_EQ(budget_with(24 * kGiB), 3 * kGiB);
  EXPECT_EQ(RingBudget(device.device()), kGiB);
  device.device().traits.max_allocation_bytes = 2 * kGiB;
  EXPECT_EQ(budget_with(24 * kGiB), 2 * kGiB - 256);
  Settings settings;
  settings.ring_budget = 3;
  EXPECT_EQ(RingBudgetInsteadOfSteps(RecordingDevice(settings).device()), 3 * kMiB) << "the setting wins";
}

TEST(RingBudgetTest, TheSettingWins) {
  Settings settings;
  settings.ring_budget = 3;
  RecordingDevice device(settings);
  EXPECT_EQ(RingBudget(device.device()), 3 * kMiB);
}

}  // namespace
}  // namespace trellis::test
