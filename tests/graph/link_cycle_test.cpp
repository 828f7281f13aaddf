// SPDX-License-Identifier: Apache-2.0
// Cycles, recursion and depth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/graph/link.h"
#include "tests/graph/graph_builder.h"

namespace trellis::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(LinkCycle, ACycleOfTwoNodesIsRefusedByName) {
  EXPECT_THAT(LinkError({NodeBuilder("a").To("b"), NodeBuilder("b").To("a")}),
              AllOf(HasSubstr("a[0]"), HasSubstr("b[0]"), HasSubstr("->")));
}

TEST(LinkCycle, TheMessageNamesTheCycleAndNothingElse) {
  const std::string message = LinkError({NodeBuilder("in").To("x"), NodeBuilder("x").To("y"), NodeBuilder("y").To("z"),
                                         NodeBuilder("z").To("x").To("out"), NodeBuilder("out")});
  EXPECT_THAT(message, AnyOf(HasSubstr("x[0] -> y[0] -> z[0] -> x[0]"), HasSubstr("y[0] -> z[0] -> x[0] -> y[0]"),
                             HasSubstr("z[0] -> x[0] -> y[0] -> z[0]")));
  EXPECT_THAT(message, AllOf(Not(HasSubstr("in[")), Not(HasSubstr("out["))));
}

TEST(LinkCycle, RecursionDoesNotExcuseALargerCycle) {
  EXPECT_THAT(LinkError({NodeBuilder("a").Recursion(2).To("a").To("b"), NodeBuilder("b").To("a")}), HasSubstr("b[0]"));
}

TEST(LinkCycle, ConstantIndicesOfOneNameMayCloseACycleToo) {
  EXPECT_THAT(LinkError({NodeBuilder("a", 0).ToIndices("a", {1}), NodeBuilder("a", 1).ToIndices("a", {0})}),
              AllOf(HasSubstr("a[0]"), HasSubstr("a[1]")));
}

TEST(LinkCycle, AChainThroughTheIndicesOfOneNameIsNoCycle) {
  const Graph graph =
      MustLink({NodeBuilder("a", 0).ToIndices("a", {1}), NodeBuilder("a", 1).ToIndices("a", {2}), NodeBuilder("a", 2)});
  EXPECT_EQ(graph.depth, 3u);
}

TEST(LinkCycle, DynamicIndicesOfTheOwnNameReachOtherNodesWhereNoCycleComesOfIt) {
  const Graph graph = MustLink({NodeBuilder("a", 0).Recursion(1).To("a"), NodeBuilder("a", 1)});
  EXPECT_EQ(graph.slots[SlotOf(graph, "a", 0)].edges.size(), 2u);
}

TEST(LinkCycle, DynamicIndicesOfTheOwnNameMeanTheNodeItselfWhereACycleWouldCome) {
  const Graph graph = MustLink({NodeBuilder("a", 0).Recursion(3).To("a"), NodeBuilder("a", 1).Recursion(3).To("a")});
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 0, 3)].outputs[0], ElementsAre(Target{0, SlotOf(graph, "a", 0, 2)}));
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 1, 3)].outputs[0], ElementsAre(Target{1, SlotOf(graph, "a", 1, 2)}));
  EXPECT_EQ(graph.depth, 4u);
}

// Nodes a[0] to a[count - 1], each of which may enqueue to any later one and says so by array sizes.
std::vector<NodeSource> RowOfA(uint32_t count) {
  std::vector<NodeSource> sources;
  for (uint32_t index = 0; index < count; ++index) {
    NodeBuilder node = NodeBuilder("a", index).To("a");
    node.LastOutput().base_index = index + 1;
    node.LastOutput().array_size = count - index;
    node.LastOutput().sparse = true;
    sources.push_back(node.source);
  }
  return sources;
}

TEST(LinkCycle, ACycleThroughOneNameLeavesTheOthersAlone) {
  const Graph graph = MustLink({NodeBuilder("a", 0).Recursion(1).To("a"), NodeBuilder("a", 1).Recursion(1).To("a"),
                                NodeBuilder("b", 0).To("b"), NodeBuilder("b", 1), NodeBuilder("b", 2)});
  EXPECT_THAT(graph.slots[SlotOf(graph, "b", 0)].outputs[0],
              ElementsAre(Target{1, SlotOf(graph, "b", 1)}, Target{2, SlotOf(graph, "b", 2)}));
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 0, 1)].outputs[0], ElementsAre(Target{0, SlotOf(graph, "a", 0, 0)}));
  EXPECT_THAT(graph.severed_nodes, IsEmpty());
}

// The array sizes of one name are believed as long as a cycle goes through them alone.
TEST(LinkCycle, CyclesOfSeveralNamesAreTakenOneByOne) {
  std::vector<NodeSource> sources = RowOfA(3);
  for (const uint32_t index : {0u, 1u}) sources.push_back(NodeBuilder("b", index).To("b").source);
  const Graph graph = MustLink(std::move(sources));
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 0)].outputs[0],
              ElementsAre(Target{1, SlotOf(graph, "a", 1)}, Target{2, SlotOf(graph, "a", 2)}));
  EXPECT_THAT(graph.severed_nodes, ElementsAre(3u, 4u));
}

TEST(LinkCycle, ArraySizesTellWhichNodesOfTheOwnNameDynamicIndicesMeanWhereACycleWouldCome) {
  const Graph graph = MustLink(RowOfA(4));
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 1)].outputs[0],
              ElementsAre(Target{2, SlotOf(graph, "a", 2)}, Target{3, SlotOf(graph, "a", 3)}));
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 3)].outputs[0], IsEmpty());
  EXPECT_EQ(graph.depth, 4u);
}

TEST(LinkRecursion, EachLevelSendsToTheNextAndTheLastToNobody) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("r"), NodeBuilder("r", 5).Recursion(2).To("r").To("out"), NodeBuilder("out")});
  const uint32_t top = SlotOf(graph, "r", 5, 2);
  const uint32_t middle = SlotOf(graph, "r", 5, 1);
  const uint32_t bottom = SlotOf(graph, "r", 5, 0);
  EXPECT_EQ(graph.nodes[1].slot_count, 3u);
  EXPECT_THAT(graph.slots[SlotOf(graph, "a")].outputs[0], ElementsAre(Target{5, top}));
  EXPECT_THAT(graph.slots[top].outputs[0], ElementsAre(Target{5, middle}));
  EXPECT_THAT(graph.slots[middle].outputs[0], ElementsAre(Target{5, bottom}));
  EXPECT_THAT(graph.slots[bottom].outputs[0], IsEmpty());
  for (uint32_t slot : {top, middle, bottom})
    EXPECT_THAT(graph.slots[slot].outputs[1], ElementsAre(Target{0, SlotOf(graph, "out")}));
  EXPECT_EQ(graph.depth, 5u);
}

TEST(LinkRecursion, SelfEnqueueNeedsADepth) {
  EXPECT_THAT(LinkError({NodeBuilder("a").ToIndices("a", {0})}), HasSubstr("MaxNodeRecursionAMDX"));
  EXPECT_THAT(LinkError({NodeBuilder("a", 3).To("a")}), HasSubstr("a[3]"));
}

TEST(LinkRecursion, ADepthOfZeroLinksAndReachesNobody) {
  const Graph graph = MustLink({NodeBuilder("a").Recursion(0).To("a")});
  EXPECT_EQ(graph.depth, 1u);
  EXPECT_THAT(graph.slots[0].outputs[0], IsEmpty());
}

// The node that is meant may come with another library.
TEST(LinkRecursion, ALibraryMaySendToItsOwnName) {
  const auto link = [](LinkScope scope, const NodeBuilder& node) {
    return static_cast<bool>(LinkGraph(Sources({node}), kMaxDepth, scope));
  };
  EXPECT_TRUE(link(LinkScope::kLibrary, NodeBuilder("a", 3).To("a")));
  EXPECT_FALSE(link(LinkScope::kGraph, NodeBuilder("a", 3).To("a")));
  EXPECT_FALSE(link(LinkScope::kLibrary, NodeBuilder("a").ToIndices("a", {0}))) << "it can only mean itself";
}

TEST(LinkRecursion, AnOptionalTargetThatIsTheNodeItselfIsAbsent) {
  NodeBuilder node = NodeBuilder("a").To("a");
  node.LastOutput().sparse = true;
  EXPECT_THAT(MustLink({node}).slots[0].outputs[0], IsEmpty());
}

TEST(LinkRecursion, ADepthThatIsNeverUsedDoesNotCount) {
  EXPECT_EQ(MustLink({NodeBuilder("a").Recursion(100).To("b"), NodeBuilder("b")}).depth, 2u);
}

TEST(LinkRecursion, NodesThatAskForTheirOwnDepthDoNotRecurse) {
  const Graph graph = MustLink({NodeBuilder("a").Recursion(2).ToIndices("a", {})});
  EXPECT_EQ(graph.depth, 1u);
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 0, 2)].edges, IsEmpty());
  EXPECT_EQ(graph.slots[SlotOf(graph, "a", 0, 2)].outputs[0].size(), 1u)
      << "OpIsNodePayloadValidAMDX says yes while levels remain";
  EXPECT_THAT(graph.slots[SlotOf(graph, "a", 0, 0)].outputs[0], IsEmpty());
}

TEST(LinkDepth, TheLongestChainCountsRecursion) {
  EXPECT_EQ(
      MustLink({NodeBuilder("a").To("r").To("b"), NodeBuilder("r").Recursion(10).To("r").To("b"), NodeBuilder("b")})
          .depth,
      13u);
}

TEST(LinkDepth, ChainsAsLongAsTheLimitLinkAndLongerOnesDoNot) {
  EXPECT_EQ(MustLink({NodeBuilder("r").Recursion(kMaxDepth - 1).To("r")}).depth, kMaxDepth);
  EXPECT_THAT(LinkError({NodeBuilder("r").Recursion(kMaxDepth).To("r")}), HasSubstr("maxExecutionGraphDepth"));
  EXPECT_THAT(LinkError({NodeBuilder("r").Recursion(0xffffffffu).To("r")}), HasSubstr("r[0]"));
  EXPECT_THAT(LinkError({NodeBuilder("a").To("b"), NodeBuilder("b").To("c"), NodeBuilder("c")}, 2), HasSubstr("c[0]"));
}

TEST(LinkDepth, DeepRecursionInARowIsTooDeep) {
  EXPECT_THAT(LinkError({NodeBuilder("a").Recursion(100).To("a").To("b"), NodeBuilder("b").Recursion(100).To("b")}),
              HasSubstr("202"));
}

TEST(LinkDepth, WideGraphsLinkInReasonableTime) {
  std::vector<NodeSource> sources = Sources({NodeBuilder("a").To("b", 256)});
  for (uint32_t i = 0; i < 20000; ++i) sources.push_back(NodeBuilder("b", i * 3).To("c").source);
  sources.push_back(NodeBuilder("c").source);
  const Graph graph = MustLink(std::move(sources));
  EXPECT_EQ(graph.depth, 3u);
  EXPECT_EQ(graph.slots[0].edges.size(), 20000u);
}

}  // namespace
}  // namespace trellis::test
