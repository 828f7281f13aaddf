// SPDX-License-Identifier: Apache-2.0
// Draws of what compute nodes enqueue: the barriers between both, and behind them, are enough, and so is nothing less.
#include "meta_shaders/kernels.h"
#include "meta_shaders/shared/kernel_plans.h"
#include "tests/replay/checked_memory.h"
#include "tests/replay/instance_barrier_test_base.h"

namespace trellis::test {
namespace {

using Kind = Command::Kind;

class DrawBarrierTest : public InstanceBarrierTest {
 protected:
  explicit DrawBarrierTest(const Variant& variant = {}) : InstanceBarrierTest(variant) {
    device_.device().shader_mesh_enqueue_enabled = true;
  }
  void ExpectNoComplaints() {
    device_.End();
    const std::vector<std::string> complaints = CheckStream(world_, device_.stream());
    EXPECT_TRUE(complaints.empty()) << complaints.front() << '\n' << Describe(device_.stream());
  }
  [[nodiscard]] size_t Draws() const {
    return PositionsOf(device_.stream(), Kind::kDraw).size() +
           PositionsOf(device_.stream(), Kind::kDrawIndirect).size();
  }
};

NodeBuilder Mesh(const char* name) { return NodeBuilder(name).Mesh(); }

// After begin, before the draws and the reports of losses, and at the end of the recording.
TEST_F(DrawBarrierTest, StaticGrids) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  EndDynamic();
  EXPECT_EQ(Draws(), 1u);
  ExpectExact(3);
  ExpectEndsNeeded();
}

TEST_F(DrawBarrierTest, GridsOfRecords) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 100), Mesh("mesh").Dynamic(100, 100, 1)}, {{"a", 3}});
  EndDynamic();
  EXPECT_EQ(Draws(), 1u);
  ExpectExact(4);
}

// More records than one workgroup of a kernel looks at: their grids are added up before.
TEST_F(DrawBarrierTest, ManyGridsOfRecords) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 64), Mesh("mesh").Dynamic(8, 8, 1)}, {{"a", 1000}});
  EndDynamic();
  ExpectExact(5);
}

// Draws of several levels, some of them sized together with dispatches of their level.
TEST_F(DrawBarrierTest, DrawsOfManyLevels) {
  BeginDynamic();
  Record({NodeBuilder("a").Recursion(3).To("a").To("mesh", 4).To("grids"), Mesh("mesh").Dynamic(4, 4, 1),
          NodeBuilder("grids").Dynamic(4, 4, 1), NodeBuilder("shared").To("mesh"),
          Mesh("sharer").Static(2).SharesInput("grids")},
         {{"a", 3}, {"shared", 2}, {"mesh", 2}});
  EndDynamic();
  // The mesh node in levels 0 to 4, and the sharer in 1 to 4.
  EXPECT_EQ(Draws(), 9u);
  ExpectNoComplaints();
  // Begin, sizing and a barrier in each of four levels, the draws, the end. Of the one before the draws not every bit
  // is needed, since arguments were written before barriers between levels.
  const std::vector<size_t> barriers = PositionsOf(device_.stream(), Kind::kBarrier);
  EXPECT_EQ(barriers.size(), 1u + 4 * 2 + 2);
  for (const size_t position : barriers)
    EXPECT_FALSE(CheckStream(world_, Without(device_.stream(), position)).empty()) << position;
}

TEST_F(DrawBarrierTest, WrittenInputs) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Writing(Mesh("mesh").Dynamic(4, 4, 1))}, {{"a", 3}, {"mesh", 2}});
  EndDynamic();
  EXPECT_EQ(Draws(), 2u);
  ExpectNoComplaints();
}

TEST_F(DrawBarrierTest, SeveralGraphsInOneInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EndDynamic();
  EXPECT_EQ(Draws(), 2u);
  ExpectExact(2 * 3);
}

// A graph without draws follows one with draws, and the other way round. What enters behind draws waits for kernels
// at the same time, too, which read regions that this other graph does not have.
TEST_F(DrawBarrierTest, GraphsWithAndWithoutDraws) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2), NodeBuilder("b").To("c"), NodeBuilder("c")},
         {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"b", 2}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EndDynamic();
  EXPECT_EQ(Draws(), 2u);
  ExpectNeeded(2 + 4 + 3 + 1);
}

TEST_F(DrawBarrierTest, InfosOnTheDevice) {
  Use(MakePipeline(device_, {NodeBuilder("a").To("mesh"), Mesh("mesh").Dynamic(4, 4, 1)}));
  BeginDynamic();
  DispatchFromDevice(device_, pipeline_, scratch_, 2);
  EndDynamic();
  ExpectNoComplaints();
}

// The barrier between the parts of a render pass object covers everything.
TEST_F(DrawBarrierTest, RenderPassObjects) {
  BeginObject();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  EndObject();
  const CommandStream& stream = device_.stream();
  const size_t second_part = PositionsOf(stream, Kind::kBeginInstance).at(1);
  std::vector<size_t> barriers = PositionsOf(stream, Kind::kBarrier);
  std::erase_if(barriers, [second_part](size_t position) { return position > second_part; });
  ASSERT_FALSE(barriers.empty());
  const Command& barrier = stream[barriers.back()];
  EXPECT_EQ(barrier.source_stages, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  EXPECT_EQ(barrier.destination_stages, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  EXPECT_EQ(barrier.source_access, VK_ACCESS_MEMORY_WRITE_BIT);
  EXPECT_EQ(barrier.destination_access, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  EXPECT_GT(PositionsOf(stream, Kind::kDrawIndirect).at(0), second_part);
}

class ClaimedDrawBarrierTest : public DrawBarrierTest {
 protected:
  ClaimedDrawBarrierTest() : DrawBarrierTest({.queues = 2}) {}
  [[nodiscard]] size_t PositionOfRelease() const {
    const CommandStream& stream = device_.stream();
    for (size_t i = 0; i < stream.size(); ++i)
      if (stream[i].kind == Kind::kBeginLabel && stream[i].label == "trellis end") return i;
    return stream.size();
  }
};

// Rings are given back when draws have read them: at the end of the instance.
TEST_F(ClaimedDrawBarrierTest, RingsAreGivenBackBehindTheInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  EndDynamic();
  EXPECT_GT(PositionOfRelease(), PositionsOf(device_.stream(), Kind::kEndInstance).back());
  ExpectExact(4);
}

// Or in the next split, before the next graph claims one.
TEST_F(ClaimedDrawBarrierTest, RingsAreGivenBackBeforeTheNextGraph) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  const std::vector<size_t> ends = PositionsOf(device_.stream(), Kind::kEndInstance);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_GT(PositionOfRelease(), ends[1]);
  EndDynamic();
  ExpectExact(8);
}

// A launch that is made of its region is drawn for both sets, and there is no begin kernel.
class PreparedDrawBarrierTest : public DrawBarrierTest {
 protected:
  PreparedDrawBarrierTest() : DrawBarrierTest({.prepare_regions = true}) {}
};

// Before the draws and the turn to the other set, and at the end of the recording.
TEST_F(PreparedDrawBarrierTest, StaticGrids) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  EndDynamic();
  EXPECT_EQ(Draws(), 2u);
  ExpectExact(2);
  ExpectEndsNeeded();
}

TEST_F(PreparedDrawBarrierTest, GridsOfRecords) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 100), Mesh("mesh").Dynamic(100, 100, 1)}, {{"a", 3}});
  EndDynamic();
  ExpectExact(3);
}

// Each graph enters behind the draws of the one before it.
TEST_F(PreparedDrawBarrierTest, SeveralGraphsInOneInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 3}});
  EndDynamic();
  EXPECT_EQ(Draws(), 3 * 2u);
  ExpectExact(1 + 2 + 2 + 1);
}

// Level 1 has dispatches, too, and level 2 has draws.
TEST_F(PreparedDrawBarrierTest, DispatchesAndDraws) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh").To("b"), Mesh("mesh").Static(3, 2), NodeBuilder("b").To("last"),
          Mesh("last").Static(1, 1)},
         {{"a", 3}});
  EndDynamic();
  EXPECT_EQ(Draws(), 2 + 1u);
  ExpectExact(3);
}

// Grids of nothing: of the roots nothing is left but a sharer that is drawn. Later levels are recorded all the same.
TEST_F(PreparedDrawBarrierTest, AllRootsAreDrawn) {
  BeginDynamic();
  Record({NodeBuilder("c").Dynamic(8).To("d"), Mesh("mesh").Static(2).SharesInput("c"), NodeBuilder("d").To("e"),
          NodeBuilder("e")},
         {{"c", 3, 0, 0}});
  EndDynamic();
  EXPECT_EQ(Draws(), 1u);
  EXPECT_GT(PositionsOf(device_.stream(), Kind::kDispatchIndirect).size(), 1u);
  ExpectNoComplaints();
}

// Regions that grow, of a level whose records are drawn: its part of the ring comes behind that of the next level.
class GrowingPreparedDrawBarrierTest : public DrawBarrierTest {
 protected:
  GrowingPreparedDrawBarrierTest() : DrawBarrierTest({.ring_budget = 1, .prepare_regions = true}) {}
  // Of the stream's only graph.
  [[nodiscard]] shared::LossPlan Losses() const {
    shared::LossPlan losses = {};
    ForEachKernel([&losses](const std::string& kernel, uint64_t plan) {
      if (kernel == KernelName(Kernel::kReportLosses)) losses = At<shared::LossPlan>(plan);
    });
    return losses;
  }
};

TEST_F(GrowingPreparedDrawBarrierTest, RegionsStayInTheirPartOfTheRing) {
  std::vector<NodeSource> sources = {NodeBuilder("a").To("mesh", 2).To("b", 2).source, NodeBuilder("last").source};
  for (uint32_t index = 0; index < 16; ++index) {
    sources.push_back(NodeBuilder("mesh", index).Mesh().Static(2).source);
    sources.push_back(NodeBuilder("b", index).Static(2).To("last").source);
  }
  Use(MakePipeline(device_, sources));
  BeginDynamic();
  Dispatch(device_, pipeline_, scratch_, {{"a", 1600}});
  EndDynamic();
  ExpectNoComplaints();
  const shared::LossPlan losses = Losses();
  ASSERT_NE(losses.dense_units, 0u) << "the graph is not what this test is about: nothing grows";
  EXPECT_GT(At<shared::RegionPlan>(losses.openings).offset, 0u) << "its part begins with the ring";
}

TEST_F(PreparedDrawBarrierTest, MoreDrawsThanItIsWorth) {
  NodeBuilder a("a");
  std::vector<NodeSource> sources;
  for (uint32_t i = 0; i < 129; ++i) {
    const std::string name = "mesh" + std::to_string(i);
    a.To(name);
    sources.push_back(Mesh(name.c_str()).Static(1, 1).source);
  }
  sources.push_back(a.source);
  Use(MakePipeline(device_, sources));
  BeginDynamic();
  Dispatch(device_, pipeline_, scratch_, {{"a", 1}});
  EndDynamic();
  EXPECT_EQ(Draws(), 129u);
  ExpectExact(3);
}

// Rings of 1 MiB: an instance is split for each step.
class SteppedDrawBarrierTest : public DrawBarrierTest {
 protected:
  explicit SteppedDrawBarrierTest(uint32_t queues = 1) : DrawBarrierTest({.ring_budget = 1, .queues = queues}) {}

  // `draws`: of each step. One barrier after begin; for each step one behind the one before it, which the first one
  // lacks, one before its dispatches and one before its draws; the last one counts what is left and is followed by the
  // rest of the instance. One at the end. Arguments of draws are written before the dispatches, so the barrier before
  // the draws need not have every bit.
  void ExpectSteps(size_t draws, size_t more = 0) {
    EndDynamic();
    ExpectNoComplaints();
    const CommandStream& stream = device_.stream();
    const size_t steps = PositionsOf(stream, Kind::kBeginInstance).size() - 2;
    ASSERT_GT(steps, 3u);
    EXPECT_EQ(Draws(), draws * steps);
    EXPECT_EQ(PositionsOf(stream, Kind::kEndInstance).size(), steps + 2);
    const std::vector<size_t> barriers = PositionsOf(stream, Kind::kBarrier);
    EXPECT_EQ(barriers.size(), 1 + 3 * steps - 1 + 2 + 1 + more);
    for (const size_t position : barriers)
      EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty()) << position << '\n' << Describe(stream);
    ExpectEndsNeeded();
  }
};

TEST_F(SteppedDrawBarrierTest, StaticGrids) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 40, kLarge), Mesh("mesh").Payload(kLarge).Static(3, 2)}, {{"a", 3}});
  ExpectSteps(1);
}

TEST_F(SteppedDrawBarrierTest, DispatchesAndDrawsOfALevel) {
  BeginDynamic();
  Record({NodeBuilder("a").To("b", 40, kLarge), NodeBuilder("b").Payload(kLarge).To("mesh", 4),
          Mesh("sharer").Payload(kLarge).Dynamic(4, 4, 1).SharesInput("b"), Mesh("mesh").Dynamic(2, 2, 1)},
         {{"a", 3}});
  ExpectSteps(2);
}

class SteppedClaimedDrawBarrierTest : public SteppedDrawBarrierTest {
 protected:
  SteppedClaimedDrawBarrierTest() : SteppedDrawBarrierTest(2) {}
};

// Nothing reads the ring after the last step: it is given back there.
TEST_F(SteppedClaimedDrawBarrierTest, RingsAreGivenBackBehindTheLastStep) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 40, kLarge), Mesh("mesh").Payload(kLarge).Dynamic(4, 4, 1)}, {{"a", 3}});
  ExpectSteps(1, 1);
}

// Roots are drawn once.
TEST_F(SteppedDrawBarrierTest, RootsThatWriteTheirInput) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 40, kLarge), Mesh("mesh").Payload(kLarge).Static(3, 2),
          Writing(Mesh("own").Dynamic(4, 4, 1))},
         {{"a", 3}, {"own", 2}});
  EndDynamic();
  const size_t steps = PositionsOf(device_.stream(), Kind::kBeginInstance).size() - 2;
  EXPECT_EQ(Draws(), steps + 1);
  ExpectNoComplaints();
}

TEST_F(SteppedDrawBarrierTest, SeveralGraphsInOneInstance) {
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh", 40, kLarge), Mesh("mesh").Payload(kLarge).Static(3, 2)}, {{"a", 3}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 2}});
  EndDynamic();
  ExpectNoComplaints();
}

// A command that the layer does not know may have ended the instance.
TEST_F(DrawBarrierTest, InstancesThatMayHaveEndedAreRefused) {
  device_.device().may_miss_ends = true;
  BeginDynamic();
  Record({NodeBuilder("a").To("mesh"), Mesh("mesh").Static(3, 2)}, {{"a", 3}});
  EXPECT_EQ(device_.command_buffer().recorded_error, VK_ERROR_UNKNOWN);
  EXPECT_EQ(Draws(), 0u);
  EXPECT_TRUE(PositionsOf(device_.stream(), Kind::kDispatch).empty());
}

}  // namespace
}  // namespace trellis::test
