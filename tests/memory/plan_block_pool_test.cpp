// SPDX-License-Identifier: Apache-2.0
// Which blocks of plan memory are kept while they are unused.
#include "layer/memory/plan_block_pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/recording_device.h"
#include "tests/support/units.h"

namespace trellis::test {
namespace {

PlanBlockPool::Clock::time_point g_now;

class PlanBlockPoolTest : public ::testing::Test {
 protected:
  PlanBlockPoolTest() { g_now = {}; }

  PlanBlockPool::BlockRef Take(VkDeviceSize bytes) {
    Expected<PlanBlockPool::BlockRef> block = pool_.Take(bytes, PlanLifetime::kRecording);
    EXPECT_TRUE(block);
    return *block;
  }
  void Release(const std::vector<PlanBlockPool::BlockRef>& blocks) { pool_.Release(blocks); }
  // Takes `count` blocks of 1 MiB, then releases them.
  void UseAtATime(uint32_t count) {
    std::vector<PlanBlockPool::BlockRef> blocks;
    for (uint32_t i = 0; i < count; ++i) blocks.push_back(Take(kMiB));
    Release(blocks);
  }
  static void LetPass(PlanBlockPool::Clock::duration time) { g_now += time; }

  RecordingDevice device_;
  PlanBlockPool pool_{device_.device(), [] { return g_now; }};
};

TEST_F(PlanBlockPoolTest, LargeBlocksAreUsedAgain) {
  for (uint32_t frame = 0; frame < 100; ++frame) {
    Release({Take(64 * kMiB)});
    LetPass(std::chrono::milliseconds(16));
  }
  EXPECT_EQ(device_.Allocations(), 1);
}

TEST_F(PlanBlockPoolTest, ABlockServesWhatIsALittleLarger) {
  for (VkDeviceSize bytes = 64 * kMiB + 16; bytes < 72 * kMiB; bytes += kMiB) Release({Take(bytes)});
  EXPECT_EQ(device_.Allocations(), 1);
  EXPECT_EQ(pool_.usage().unused, 72 * kMiB);
}

TEST_F(PlanBlockPoolTest, ALargeBlockDoesNotServeWhatIsFarSmaller) {
  Release({Take(64 * kMiB)});
  const PlanBlockPool::BlockRef small = Take(16);
  EXPECT_EQ(small->buffer.size(), 256u * 1024);
  Release({small});
}

// Requests that grow do not leave the blocks of smaller ones behind.
TEST_F(PlanBlockPoolTest, NoMoreIsKeptThanWasInUseAtATime) {
  for (VkDeviceSize bytes = kMiB; bytes <= 40 * kMiB; bytes += kMiB) {
    const PlanBlockPool::BlockRef block = Take(bytes);
    EXPECT_EQ(pool_.usage().used + pool_.usage().unused, block->buffer.size());
    Release({block});
  }
}

TEST_F(PlanBlockPoolTest, WhatIsNoLongerNeededGoesBack) {
  UseAtATime(10);
  EXPECT_EQ(pool_.usage().unused, 10 * kMiB);
  const int live = device_.LiveObjects();
  LetPass(std::chrono::seconds(1));
  UseAtATime(2);
  EXPECT_EQ(pool_.usage().unused, 10 * kMiB) << "ten were in use in the interval before";
  LetPass(std::chrono::seconds(1));
  UseAtATime(2);
  EXPECT_EQ(pool_.usage().unused, 2 * kMiB);
  EXPECT_EQ(device_.LiveObjects(), live - 2 * 8);
  EXPECT_EQ(device_.Allocations(), 10);
}

// Frames may take longer than an interval.
TEST_F(PlanBlockPoolTest, SlowFramesAllocateOnce) {
  for (uint32_t frame = 0; frame < 10; ++frame) {
    UseAtATime(10);
    LetPass(std::chrono::seconds(5));
  }
  EXPECT_EQ(device_.Allocations(), 10);
}

TEST_F(PlanBlockPoolTest, UnusedBlocksGoBackWhereMemoryRunsOut) {
  Release({Take(4 * kMiB)});
  device_.LimitMemory(10 * kMiB);
  const PlanBlockPool::BlockRef block = Take(9 * kMiB);
  EXPECT_EQ(pool_.usage().unused, 0u);
  EXPECT_FALSE(pool_.Take(kMiB, PlanLifetime::kRecording));
  Release({block});
}

// Rounding up must not exceed the limit.
TEST_F(PlanBlockPoolTest, ABufferMayBeAsLargeAsTheDeviceAllows) {
  constexpr VkDeviceSize kMax = 8 * kMiB + kMiB / 2;
  device_.device().traits.max_buffer_bytes = kMax + 64;
  const PlanBlockPool::BlockRef block = Take(kMax - 16);
  EXPECT_EQ(block->buffer.size(), kMax);
  EXPECT_FALSE(pool_.Take(kMax + 16, PlanLifetime::kRecording));
  Release({block});
}

}  // namespace
}  // namespace trellis::test
