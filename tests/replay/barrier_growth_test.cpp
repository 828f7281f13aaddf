// SPDX-License-Identifier: Apache-2.0
// Barriers of graphs whose regions grow: records that lie dense, segments out of the level's pool, and record state out
// of its end.
#include <gtest/gtest.h>

#include <set>

#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/replay/barrier_test_base.h"
#include "tests/replay/checked_memory.h"

namespace trellis::test {
namespace {

using shared::RegionPlan;

constexpr uint32_t kNodes = 16;  // of an array
constexpr uint64_t kHalfBytes = 512 << 10;

void AddArray(std::vector<NodeSource>& sources, const NodeBuilder& node) {
  for (uint32_t index = 0; index < kNodes; ++index) {
    sources.push_back(node.source);
    sources.back().index = index;
  }
}

// A ring of 1 MiB. Any node of an array may get everything, which is more than a half has; all that is sent fits.
class GrowingBarrierTest : public BarrierTest, public ::testing::WithParamInterface<Variant> {
 protected:
  GrowingBarrierTest() : BarrierTest(WithSmallRing(GetParam())) {}

  void Record(const std::vector<NodeSource>& sources, const std::vector<Input>& inputs) {
    Use(MakePipeline(device_, sources));
    Dispatch(device_, pipeline_, scratch_, inputs);
  }
  // Of all kernels that open regions, in plan memory.
  [[nodiscard]] std::vector<RegionPlan*> Openings() const;
  [[nodiscard]] std::vector<RegionPlan*> Growing() const {
    std::vector<RegionPlan*> growing = Openings();
    std::erase_if(growing, [](const RegionPlan* opening) { return opening->dense >= opening->capacity; });
    return growing;
  }
  [[nodiscard]] std::vector<RegionPlan*> Pools() const {
    std::vector<RegionPlan*> pools = Openings();
    std::erase_if(pools, [&](const RegionPlan* opening) { return opening->slot != pipeline_->graph.HeapSlot(); });
    return pools;
  }
  // That many levels have regions that grow, and no barrier is there for nothing.
  void ExpectExactGrowth(size_t levels) {
    device_.End();
    std::set<uint32_t> growing_levels;
    for (const RegionPlan* opening : Growing()) growing_levels.insert(opening->level);
    ASSERT_EQ(growing_levels.size(), levels) << "the graph is not what this test is about";
    ExpectExact(PositionsOf(device_.stream(), Command::Kind::kBarrier).size());
  }

 private:
  static Variant WithSmallRing(Variant variant) {
    variant.ring_budget = 1;
    return variant;
  }
};

std::vector<RegionPlan*> GrowingBarrierTest::Openings() const {
  std::vector<RegionPlan*> openings;
  const auto add = [&](uint64_t plans, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) openings.push_back(const_cast<RegionPlan*>(&At<RegionPlan>(plans, i)));
  };
  ForEachKernel([&add](const std::string& bound, uint64_t plan) {
    if (bound == KernelName(Kernel::kBeginGraph))
      add(At<shared::BeginPlan>(plan).openings, At<shared::BeginPlan>(plan).opening_count);
    if (bound == KernelName(Kernel::kOpenRegions))
      add(At<shared::OpenPlan>(plan).openings, At<shared::OpenPlan>(plan).opening_count);
    if (bound == KernelName(Kernel::kSizeLaunches))
      add(At<shared::SizingPlan>(plan).openings, At<shared::SizingPlan>(plan).opening_count);
    EXPECT_NE(bound, KernelName(Kernel::kStepGraph)) << "it runs in steps";
  });
  return openings;
}

// Whatever sizes a launch reads the pool, and launches that keep record state take it from there.
TEST_P(GrowingBarrierTest, EveryKindOfLaunch) {
  NodeBuilder finishing = Writing(NodeBuilder("finishing")).Static(3);
  finishing.source.info.finishes_writing = true;
  NodeBuilder deferring = NodeBuilder("deferring").Coalescing(8).To("leaf");
  deferring.LastOutput().uses_heap = true;
  std::vector<NodeSource> sources = {
      NodeBuilder("a").To("fixed", 2).To("dynamic", 2).To("finishing", 2).To("deferring", 2).source,
      NodeBuilder("sharer").Dynamic(2, 1, 1).SharesInput("fixed", 3).source};
  AddArray(sources, NodeBuilder("fixed").Static(2).To("leaf"));
  AddArray(sources, Writing(NodeBuilder("dynamic")).Dynamic(4, 1, 1).To("leaf"));
  AddArray(sources, finishing);
  AddArray(sources, deferring);
  AddArray(sources, NodeBuilder("leaf"));
  Record(sources, {{"a", 1000}});
  ExpectExactGrowth(2);
}

TEST_P(GrowingBarrierTest, Recursion) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("r", 4).source};
  for (uint32_t index = 0; index < kNodes; ++index)
    sources.push_back(NodeBuilder("r", index).Recursion(2).ToIndices("r", {index}).source);
  Record(sources, {{"a", 2000}});
  ExpectExactGrowth(3);
}

TEST_P(GrowingBarrierTest, TwoGraphsOfOneRecording) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("b", 8).source};
  AddArray(sources, NodeBuilder("b").Dynamic(2, 1, 1));
  Record(sources, {{"a", 2000}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 1500}});
  ExpectExactGrowth(1);
}

TEST_P(GrowingBarrierTest, InfosOnTheDevice) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("b", 8).source};
  AddArray(sources, NodeBuilder("b").Dynamic(2, 1, 1));
  Use(MakePipeline(device_, sources));
  DispatchFromDevice(device_, pipeline_, scratch_, std::nullopt);
  ExpectExactGrowth(1);
}

INSTANTIATE_TEST_SUITE_P(Variants, GrowingBarrierTest,
                         ::testing::Values(Variant{}, Variant{.prepare_regions = true},
                                           Variant{.size_every_level = true},
                                           Variant{.launch_batches = LaunchBatches::kAlways}, Variant{.queues = 2}));

// The checker itself: what a region could get is no memory, what lies dense and the pool are.
class GrowthCheckerTest : public GrowingBarrierTest {
 protected:
  void SetUp() override {
    NodeBuilder finishing = Writing(NodeBuilder("b")).Static(3);
    finishing.source.info.finishes_writing = true;
    std::vector<NodeSource> sources = {NodeBuilder("a").To("b", 8).source};
    AddArray(sources, finishing);
    Record(sources, {{"a", 2000}});
    device_.End();
    ASSERT_EQ(Growing().size(), size_t{kNodes});
    ASSERT_EQ(Pools().size(), 1u);
    ASSERT_TRUE(Complaint().empty()) << Complaint();
  }
  // The first one.
  [[nodiscard]] std::string Complaint() const {
    const std::vector<std::string> complaints = CheckStream(world_, device_.stream());
    return complaints.empty() ? "" : complaints.front();
  }
};

TEST_P(GrowthCheckerTest, CapacityTakesNoMemory) {
  uint64_t bytes = 0;
  for (const RegionPlan* opening : Growing()) bytes += uint64_t{opening->stride} * opening->capacity;
  EXPECT_GT(bytes, 2 * kHalfBytes);
}

TEST_P(GrowthCheckerTest, DensePartsLieInTheRing) {
  RegionPlan& last = *Growing().back();
  last.dense = last.capacity = static_cast<uint32_t>(2 * kHalfBytes / last.stride);
  EXPECT_EQ(Complaint(), "region " + std::to_string(last.slot) + " leaves the ring");
}

TEST_P(GrowthCheckerTest, SegmentsOfThePoolLieInTheRing) {
  Pools()[0]->capacity = Pools()[0]->dense = 2 * kHalfBytes / 16;
  EXPECT_EQ(Complaint(), "region " + std::to_string(pipeline_->graph.HeapSlot()) + " leaves the ring");
}

TEST_P(GrowthCheckerTest, RecordStateOfThePoolLiesInTheRing) {
  Pools()[0]->state_units = 2 * kHalfBytes / 16;
  EXPECT_EQ(Complaint(), "region " + std::to_string(pipeline_->graph.HeapSlot()) + " leaves the ring");
}

TEST_P(GrowthCheckerTest, ThePoolIsOpen) {
  ++Pools()[0]->level;
  EXPECT_EQ(Complaint(), "a region grows out of a region that nobody opened for level 1");
}

INSTANTIATE_TEST_SUITE_P(Default, GrowthCheckerTest, ::testing::Values(Variant{}));

}  // namespace
}  // namespace trellis::test
