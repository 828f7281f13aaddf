// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/hazard_tracker.h"

#include <gtest/gtest.h>

namespace trellis::test {
namespace {

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kIndirectStage = VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
constexpr VkAccessFlags kRead = VK_ACCESS_SHADER_READ_BIT;
constexpr VkAccessFlags kWrite = VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkAccessFlags kArguments = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;

Access Make(bool write, VkPipelineStageFlags stage, VkAccessFlags access, uint32_t group = 0) {
  return {100, 200, write, stage, access, group, "access"};
}
const Access kShaderRead = Make(false, kCompute, kRead);
const Access kShaderWrite = Make(true, kCompute, kWrite);
const Access kIndirectRead = Make(false, kIndirectStage, kArguments);

bool Accepts(const HazardTracker& tracker, const Access& access) {
  std::vector<std::string> complaints;
  tracker.Check(access, complaints);
  return complaints.empty();
}

TEST(HazardTrackerTest, ReadAfterWriteNeedsAMemoryDependency) {
  HazardTracker tracker;
  tracker.Add(kShaderWrite);
  EXPECT_FALSE(Accepts(tracker, kShaderRead));
  HazardTracker execution_only = tracker;
  execution_only.Barrier(kCompute, 0, kCompute, 0);
  EXPECT_FALSE(Accepts(execution_only, kShaderRead));
  HazardTracker not_visible = tracker;
  not_visible.Barrier(kCompute, kWrite, kCompute, kWrite);
  EXPECT_FALSE(Accepts(not_visible, kShaderRead));
  tracker.Barrier(kCompute, kWrite, kCompute, kRead);
  EXPECT_TRUE(Accepts(tracker, kShaderRead));
}

TEST(HazardTrackerTest, WriteAfterReadNeedsExecutionOnly) {
  HazardTracker tracker;
  tracker.Add(kShaderRead);
  EXPECT_FALSE(Accepts(tracker, kShaderWrite));
  tracker.Barrier(kCompute, 0, kCompute, 0);
  EXPECT_TRUE(Accepts(tracker, kShaderWrite));
}

TEST(HazardTrackerTest, IndirectReadsNeedTheirOwnStageAndAccess) {
  HazardTracker tracker;
  tracker.Add(kShaderWrite);
  HazardTracker compute_only = tracker;
  compute_only.Barrier(kCompute, kWrite, kCompute, kRead | kArguments);
  EXPECT_FALSE(Accepts(compute_only, kIndirectRead));
  HazardTracker no_access = tracker;
  no_access.Barrier(kCompute, kWrite, kCompute | kIndirectStage, kRead);
  EXPECT_FALSE(Accepts(no_access, kIndirectRead));
  tracker.Barrier(kCompute, kWrite, kIndirectStage, kArguments);
  EXPECT_TRUE(Accepts(tracker, kIndirectRead));
  // Compute is logically later than the indirect stage: ordered, but nothing is visible to it.
  EXPECT_FALSE(Accepts(tracker, kShaderRead));
}

TEST(HazardTrackerTest, ASourceScopeCoversLogicallyEarlierStages) {
  HazardTracker tracker;
  tracker.Add(kIndirectRead);
  tracker.Barrier(kCompute, 0, kCompute, 0);
  EXPECT_TRUE(Accepts(tracker, kShaderWrite));
}

TEST(HazardTrackerTest, DependenciesChain) {
  HazardTracker tracker;
  tracker.Add(kShaderWrite);
  tracker.Barrier(kCompute, kWrite, kCompute, kRead);
  tracker.Barrier(kCompute, 0, kIndirectStage, kArguments);
  EXPECT_TRUE(Accepts(tracker, kIndirectRead));
}

TEST(HazardTrackerTest, OneGroupAndDisjointRangesDoNotConflict) {
  HazardTracker tracker;
  tracker.Add(Make(true, kCompute, kWrite, 3));
  EXPECT_TRUE(Accepts(tracker, Make(true, kCompute, kWrite, 3)));
  EXPECT_FALSE(Accepts(tracker, Make(true, kCompute, kWrite, 4)));
  Access beside = kShaderWrite;
  beside.begin = 200;
  beside.end = 300;
  EXPECT_TRUE(Accepts(tracker, beside));
}

TEST(HazardTrackerTest, AGroupEndsAtABarrier) {
  HazardTracker tracker;
  tracker.Add(Make(true, kCompute, kWrite, 3));
  tracker.Barrier(kCompute, 0, kCompute, 0);
  EXPECT_FALSE(Accepts(tracker, Make(true, kCompute, kWrite, 3)));
}

Access Between(const Access& access, uint64_t begin, uint64_t end) {
  Access moved = access;
  moved.begin = begin;
  moved.end = end;
  return moved;
}

TEST(HazardTrackerTest, RangesThatOverlapInPart) {
  HazardTracker tracker;
  tracker.Add(Between(kShaderWrite, 100, 200));
  tracker.Barrier(kCompute, kWrite, kCompute, kRead | kWrite);
  tracker.Add(Between(kShaderWrite, 150, 250));
  tracker.Add(Between(kShaderWrite, 20, 30));
  EXPECT_TRUE(Accepts(tracker, Between(kShaderRead, 100, 150)));
  EXPECT_FALSE(Accepts(tracker, Between(kShaderRead, 100, 151)));
  EXPECT_FALSE(Accepts(tracker, Between(kShaderRead, 249, 300)));
  EXPECT_TRUE(Accepts(tracker, Between(kShaderRead, 250, 300)));
  EXPECT_FALSE(Accepts(tracker, Between(kShaderRead, 29, 101)));
  EXPECT_TRUE(Accepts(tracker, Between(kShaderRead, 30, 101)));
  EXPECT_TRUE(Accepts(tracker, Between(kShaderRead, 0, 20)));
  tracker.Barrier(kCompute, kWrite, kCompute, kRead);
  EXPECT_TRUE(Accepts(tracker, Between(kShaderRead, 0, 1000)));
  EXPECT_FALSE(Accepts(tracker, Between(kShaderWrite, 150, 151)));
}

// Accesses that are alike are kept once; that must not hide one that nothing has waited for.
TEST(HazardTrackerTest, TheLastOfManyStepsCounts) {
  HazardTracker tracker;
  for (uint32_t step = 0; step < 1000; ++step) {
    EXPECT_TRUE(Accepts(tracker, kShaderWrite)) << step;
    tracker.Add(kShaderWrite);
    EXPECT_FALSE(Accepts(tracker, kShaderRead)) << step;
    tracker.Barrier(kCompute, kWrite, kCompute, kRead);
    EXPECT_TRUE(Accepts(tracker, kShaderRead)) << step;
    EXPECT_FALSE(Accepts(tracker, kShaderWrite)) << step << ": a write that is not visible to writes";
    tracker.Barrier(kCompute, kWrite, kCompute, kWrite);
  }
}

}  // namespace
}  // namespace trellis::test
