// SPDX-License-Identifier: Apache-2.0
// Barriers of graphs that run in steps, and of random graphs.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/graph/random_graph.h"
#include "tests/replay/barrier_test_base.h"

namespace trellis::test {
namespace {

// A ring of 1 MiB, so that graphs run in steps.
class SteppedBarrierTest : public BarrierTest {
 protected:
  explicit SteppedBarrierTest(bool size_every_level = false)
      : BarrierTest({.size_every_level = size_every_level, .ring_budget = 1}) {}

  // For each graph one after begin, two for each step but the first, which lacks one of them, and one before what is
  // left is counted; for all but the first one to enter; one at the end.
  void ExpectExactSteps(size_t more = 0) {
    device_.End();
    const size_t levels = pipeline_->graph.depth;
    const size_t barriers = PositionsOf(device_.stream(), Command::Kind::kBarrier).size();
    ASSERT_GT(barriers, more + 3 + 2 * levels) << "more steps than levels";
    ASSERT_EQ((barriers - more) % 2, 0u);
    ExpectExact(barriers);
  }
};

NodeBuilder Large(NodeBuilder node) { return node.Payload(kLarge); }

// Each workgroup of "a" sends 640 KiB.
TEST_F(SteppedBarrierTest, Chain) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).To("c"), NodeBuilder("c")}, {{"a", 2}});
  ExpectExactSteps();
}

TEST_F(SteppedBarrierTest, EveryKindOfLaunch) {
  NodeBuilder finishing = Writing(Large(NodeBuilder("f"))).Static(3);
  finishing.source.info.finishes_writing = true;
  NodeBuilder heap = Large(NodeBuilder("h")).Coalescing(8).To("leaf", 4);
  heap.LastOutput().uses_heap = true;
  Record({NodeBuilder("a").To("d", 10, kLarge).To("f", 10, kLarge).To("h", 10, kLarge),
          Large(NodeBuilder("d")).Dynamic(4, 1, 1).To("leaf", 4), finishing, heap,
          Large(NodeBuilder("s")).Coalescing(4).SharesInput("d").To("leaf"), NodeBuilder("leaf")},
         {{"a", 3}});
  ExpectExactSteps();
}

TEST_F(SteppedBarrierTest, AnEntryThatWritesItsInputGetsACopy) {
  Record({Writing(NodeBuilder("a")).To("b", 40, kLarge), Large(NodeBuilder("b"))}, {{"a", 3}});
  ExpectExactSteps(1);
}

TEST_F(SteppedBarrierTest, BackToBackOnOneScratchWithoutTheApplicationsBarriers) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).Dynamic(2)}, {{"a", 2}});
  Dispatch(device_, pipeline_, scratch_, {{"a", 3}});
  ExpectExactSteps();
}

class SteppedSizedBarrierTest : public SteppedBarrierTest {
 protected:
  SteppedSizedBarrierTest() : SteppedBarrierTest(true) {}
};

TEST_F(SteppedSizedBarrierTest, StepsHaveRegionsOfTheirOwnInEachLevelAllTheSame) {
  Record({NodeBuilder("a").To("b", 40, kLarge), Large(NodeBuilder("b")).To("c"), NodeBuilder("c")}, {{"a", 2}});
  ExpectExactSteps();
}

// One recording a seed: two dispatches of a random graph from random roots, some of whose nodes write their inputs.
class RandomBarrierTest : public BarrierTest, public ::testing::WithParamInterface<uint32_t> {
 protected:
  explicit RandomBarrierTest(uint32_t ring_budget = 0, uint32_t max_rounds = 0)
      : BarrierTest({.size_every_level = GetParam() % 4 == 3,
                     .ring_budget = ring_budget,
                     .max_rounds = max_rounds,
                     .launch_batches = GetParam() % 2 == 0 ? LaunchBatches::kAlways : LaunchBatches::kAuto,
                     .queues = 1 + GetParam() / 4 % 2,
                     .prepare_regions = GetParam() / 8 % 2 == 0}) {}

  void CheckSeed();
};

void RandomBarrierTest::CheckSeed() {
  Random random(GetParam());
  std::vector<NodeSource> sources = MakeRandomNodes(random);
  for (NodeSource& source : sources) source.info.writes_input = source.info.input.size != 0 && Below(random, 4) == 0;
  Use(MakePipeline(device_, sources));
  for (uint32_t dispatch = 0; dispatch < 2; ++dispatch) {
    std::vector<Input> inputs;
    for (uint32_t i = 0; i < 1 + Below(random, 3); ++i) {
      const Node& node = pipeline_->graph.nodes[Below(random, static_cast<uint32_t>(pipeline_->graph.nodes.size()))];
      inputs.push_back({node.name, 1 + Below(random, 50), node.index, 1 + Below(random, 3)});
    }
    Dispatch(device_, pipeline_, scratch_, inputs);
  }
  device_.End();
  const CommandStream& stream = device_.stream();
  const std::vector<std::string> complaints = CheckStream(world_, stream);
  ASSERT_TRUE(complaints.empty()) << complaints.front() << '\n' << Describe(stream);
  // Deep graphs have hundreds: a dozen of each, always other ones.
  std::vector<size_t> positions = PositionsOf(stream, Command::Kind::kBarrier);
  std::shuffle(positions.begin(), positions.end(), random);
  positions.resize(std::min<size_t>(positions.size(), 12));
  for (size_t position : positions) {
    // A graph without a begin kernel that copies inputs enters with a barrier that only some graphs before it need:
    // those whose last level has records where the copies go.
    if (position + 1 == stream.size() || position == 0) {
      EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty()) << Describe(stream);
      continue;
    }
    const bool enters = stream[position - 1].kind == Command::Kind::kBeginLabel &&
                        stream[position - 1].label.find("execution graph") == 0;
    const bool copies =
        stream[position + 1].kind == Command::Kind::kBeginLabel && stream[position + 1].label == "trellis begin";
    if (enters && copies && device_.device().settings.prepare_regions) continue;
    EXPECT_FALSE(CheckStream(world_, Without(stream, position)).empty())
        << "barrier at " << position << " is not needed\n"
        << Describe(stream);
  }
}

TEST_P(RandomBarrierTest, AcceptedAndNoBarrierIsThereForNothing) { CheckSeed(); }

// Most of these graphs do not fit into 1 MiB, and run in a few steps.
class SteppedRandomBarrierTest : public RandomBarrierTest {
 protected:
  SteppedRandomBarrierTest() : RandomBarrierTest(1, 2) {}
};

TEST_P(SteppedRandomBarrierTest, AcceptedAndNoBarrierIsThereForNothing) { CheckSeed(); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBarrierTest, ::testing::Range(0u, 40u));
INSTANTIATE_TEST_SUITE_P(Seeds, SteppedRandomBarrierTest, ::testing::Range(0u, 20u));

}  // namespace
}  // namespace trellis::test
