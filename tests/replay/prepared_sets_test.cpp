// SPDX-License-Identifier: Apache-2.0
// Which prepared regions may change the size of their dense parts.
#include "layer/replay/planning/prepared_sets.h"

#include <gtest/gtest.h>

#include <vector>

#include "layer/graph/region_layout.h"

namespace trellis::test {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;
constexpr uint64_t kPool = 4096;  // bytes behind the first region

// Two regions of which one grows, and their pool, from `offset` of the ring on.
std::vector<shared::RegionPlan> OpeningsAt(uint64_t offset) {
  shared::RegionPlan growing = DenseRegion(offset + 1024, 1, 16, 1000, 1);
  growing.dense = 64;
  return {DenseRegion(offset, 0, 16, 64, 1), growing, DenseRegion(offset + kPool, 2, kHeapUnit, 2000, 1)};
}

TEST(PreparedSets, RegionsChangeBetweenTheFirstOneAndThePool) {
  EXPECT_EQ(AdaptableUnits(OpeningsAt(0)), kPool / 16 - 1);
  EXPECT_EQ(AdaptableUnits(OpeningsAt(64 * kGiB - 2 * kPool)), kPool / 16 - 1);
}

TEST(PreparedSets, DenseRegionsAndThoseWithRecordStateStay) {
  std::vector<shared::RegionPlan> openings = OpeningsAt(0);
  openings[1].state_words = 1;
  EXPECT_EQ(AdaptableUnits(openings), 0u);
  openings = OpeningsAt(0);
  openings[1].dense = openings[1].capacity;
  EXPECT_EQ(AdaptableUnits(openings), 0u);
}

// A DensePart counts units of 16 bytes from the ring's beginning in 32 bits.
TEST(PreparedSets, RegionsBeyond64GiBOfTheRingStay) {
  EXPECT_EQ(AdaptableUnits(OpeningsAt(64 * kGiB - kPool)), 0u);
  EXPECT_EQ(AdaptableUnits(OpeningsAt(70 * kGiB)), 0u);
}

}  // namespace
}  // namespace trellis::test
