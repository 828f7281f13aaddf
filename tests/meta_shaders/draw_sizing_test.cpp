// SPDX-License-Identifier: Apache-2.0
// The kernel size_launches, for launches of mesh nodes.
#include <string>

#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/sizing_kernel_test_base.h"

namespace trellis::test {
namespace {

class DrawSizingTest : public SizingKernelTest {
 protected:
  static constexpr uint32_t kEach = 8;  // workgroups of a draw, at most

  // Draws of one launch, which may be fewer than its records ask for: the rest is lost, and reported.
  void ExpectDraws(Launch launch, uint32_t draws, const std::string& what) {
    SCOPED_TRACE(what + ", " + std::to_string(draws) + " draws");
    launch.plan.draws = draws;
    const Sized sized = Size({launch})[0];
    const uint32_t count = std::min(launch.region.reserved, launch.region.records.count);
    const LaunchLimits together = {kEach * draws, 1, 1, limits_.max_grid_workgroups, false};
    std::vector<uint32_t> record_state;
    const LaunchSize expected =
        SizeLaunch(launch.plan, {launch.records, count, launch.region.records.stride}, together, record_state);
    EXPECT_EQ(sized.record_state, record_state);
    uint32_t next = 0;
    for (uint32_t draw = 0; draw < draws; ++draw) {
      const shared::LaunchInput& input = sized.draw_inputs[draw];
      EXPECT_EQ(input.records.count, expected.records);
      EXPECT_EQ(input.records.base, bases_[0]);
      EXPECT_EQ(input.record_state, sized.input.record_state);
      EXPECT_EQ(input.slices, 1u);
      EXPECT_EQ(input.first_workgroup, std::min(draw * kEach, expected.workgroups));
      EXPECT_EQ(input.first_workgroup, next);
      next = input.workgroup_count;
      EXPECT_LE(next - input.first_workgroup, kEach);
      ExpectRows(sized.draw_arguments[draw], next - input.first_workgroup, draw_limits_.max_workgroup_count[0], 1);
    }
    EXPECT_EQ(next, expected.workgroups);
    const uint32_t lost = count - expected.records;
    ASSERT_EQ(Read<shared::DeviceReportHeader>(reports_).written, lost == 0 ? 0u : 1u);
    if (lost != 0) {
      EXPECT_EQ(ReportsIn(reports_)[0].records, lost);
    }
  }
};

TEST_F(DrawSizingTest, StaticGrids) {
  for (const uint32_t records : {0u, 1u, 2u, 3u, 8u, 9u, 100u})
    for (const uint32_t draws : {1u, 2u, 38u, 64u})
      ExpectDraws(StaticGrid(3, 1, 1, records), draws, std::to_string(records) + " of 3 workgroups");
  ExpectDraws(StaticGrid(9, 1, 1, 2), 1, "a record has more than there may be");
}

TEST_F(DrawSizingTest, GridsOfRecords) {
  for (const uint32_t records : {0u, 1u, 5u, 20u, 200u})
    for (const uint32_t draws : {1u, 3u, 64u})
      ExpectDraws(DynamicGrid({4, 4, 2}, 16, records, 2), draws, std::to_string(records) + " records");
}

TEST_F(DrawSizingTest, GridsOfRecordsInParts) {
  draw_limits_ = {{8, 1, 1}, 8};
  limits_.max_grid_workgroups = 1;
  for (parts_ = 1; parts_ <= 4; ++parts_) {
    Launch launch = DynamicGrid({4, 4, 2}, 16, 4000, 1);
    launch.is_parted = true;
    for (const bool summed : {false, true}) {
      launch.is_summed = summed;
      ExpectDraws(launch, 64, std::to_string(parts_) + " parts");
    }
  }
}

// What records hold of unfinished workgroups, and their grids.
TEST_F(DrawSizingTest, RecordState) {
  Launch launch = DynamicGrid({4, 4, 2}, 16, 50, 2);
  launch.plan.state_words = shared::kFullRecordState;
  ExpectDraws(launch, 40, "full record_state");
  launch = StaticGrid(2, 1, 1, 50);
  launch.plan.state_words = shared::kShortRecordState;
  ExpectDraws(launch, 13, "short record_state");
}

// Beside a dispatch on the same records.
TEST_F(DrawSizingTest, SharersOfDispatches) {
  Launch first = StaticGrid(2, 1, 1, 10);
  Launch sharer = StaticGrid(3, 1, 1, 10);
  sharer.plan.slot = 1;
  sharer.plan.identity = 7;
  sharer.plan.draws = 4;
  const std::vector<Sized> sized = Size({first, sharer});
  EXPECT_EQ(sized[0].input.workgroup_count, 20u);
  EXPECT_EQ(sized[0].arguments.x, 20u);
  EXPECT_EQ(sized[1].draw_inputs[3].first_workgroup, 24u);
  EXPECT_EQ(sized[1].draw_inputs[3].workgroup_count, 30u);
  EXPECT_EQ(sized[1].draw_inputs[3].records.base, bases_[0]);
}

}  // namespace
}  // namespace trellis::test
