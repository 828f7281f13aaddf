// SPDX-License-Identifier: Apache-2.0
// The close-level kernel, for launches of mesh nodes.
#include <string>

#include "meta_shaders/shared/report_data.h"
#include "tests/meta_shaders/close_kernel_test_base.h"

namespace trellis::test {
namespace {

class CloseDrawsTest : public CloseKernelTest {
 protected:
  static constexpr uint32_t kEach = 8;  // workgroups of a draw, at most

  // Draws of one launch, which may be fewer than its records ask for: the rest is lost, and reported.
  void ExpectDraws(Launch launch, uint32_t draws, const std::string& what) {
    SCOPED_TRACE(what + ", " + std::to_string(draws) + " draws");
    launch.plan.draws = draws;
    const Closed closed = Close({launch})[0];
    const uint32_t count = std::min(launch.region.reserved, launch.region.records.count);
    const LaunchLimits together = {kEach * draws, 1, 1, limits_.max_grid_workgroups, false};
    std::vector<uint32_t> notes;
    const LaunchSize expected =
        SizeLaunch(launch.plan, {launch.records, count, launch.region.records.stride}, together, notes);
    EXPECT_EQ(closed.notes, notes);
    uint32_t next = 0;
    for (uint32_t draw = 0; draw < draws; ++draw) {
      const shared::LaunchInput& input = closed.draw_inputs[draw];
      EXPECT_EQ(input.records.count, expected.records);
      EXPECT_EQ(input.records.base, bases_[0]);
      EXPECT_EQ(input.notes, closed.input.notes);
      EXPECT_EQ(input.slices, 1u);
      EXPECT_EQ(input.first_workgroup, std::min(draw * kEach, expected.workgroups));
      EXPECT_EQ(input.first_workgroup, next);
      next = input.workgroup_count;
      EXPECT_LE(next - input.first_workgroup, kEach);
      ExpectRows(closed.draw_arguments[draw], next - input.first_workgroup, draw_limits_.max_workgroup_count[0], 1);
    }
    EXPECT_EQ(next, expected.workgroups);
    const uint32_t lost = count - expected.records;
    ASSERT_EQ(Read<shared::DeviceReportHeader>(reports_).written, lost == 0 ? 0u : 1u);
    if (lost != 0) {
      EXPECT_EQ(ReportsIn(reports_)[0].records, lost);
    }
  }
};

TEST_F(CloseDrawsTest, StaticGrids) {
  for (const uint32_t records : {0u, 1u, 2u, 3u, 8u, 9u, 100u})
    for (const uint32_t draws : {1u, 2u, 38u, 64u})
      ExpectDraws(StaticGrid(3, 1, 1, records), draws, std::to_string(records) + " of 3 workgroups");
  ExpectDraws(StaticGrid(9, 1, 1, 2), 1, "a record has more than there may be");
}

TEST_F(CloseDrawsTest, GridsOfRecords) {
  for (const uint32_t records : {0u, 1u, 5u, 20u, 200u})
    for (const uint32_t draws : {1u, 3u, 64u})
      ExpectDraws(DynamicGrid({4, 4, 2}, 16, records, 2), draws, std::to_string(records) + " records");
}

TEST_F(CloseDrawsTest, GridsOfRecordsInParts) {
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
TEST_F(CloseDrawsTest, Notes) {
  Launch launch = DynamicGrid({4, 4, 2}, 16, 50, 2);
  launch.plan.note_words = shared::kFullNotes;
  ExpectDraws(launch, 40, "full notes");
  launch = StaticGrid(2, 1, 1, 50);
  launch.plan.note_words = shared::kShortNotes;
  ExpectDraws(launch, 13, "short notes");
}

// Beside a dispatch on the same records.
TEST_F(CloseDrawsTest, SharersOfDispatches) {
  Launch first = StaticGrid(2, 1, 1, 10);
  Launch sharer = StaticGrid(3, 1, 1, 10);
  sharer.plan.slot = 1;
  sharer.plan.identity = 7;
  sharer.plan.draws = 4;
  const std::vector<Closed> closed = Close({first, sharer});
  EXPECT_EQ(closed[0].input.workgroup_count, 20u);
  EXPECT_EQ(closed[0].arguments.x, 20u);
  EXPECT_EQ(closed[1].draw_inputs[3].first_workgroup, 24u);
  EXPECT_EQ(closed[1].draw_inputs[3].workgroup_count, 30u);
  EXPECT_EQ(closed[1].draw_inputs[3].records.base, bases_[0]);
}

}  // namespace
}  // namespace trellis::test
