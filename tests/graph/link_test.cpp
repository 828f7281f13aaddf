// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/graph_builder.h"

namespace trellis::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Target> TargetsOf(const Graph& graph, uint32_t slot, size_t output = 0) {
  return graph.slots[slot].outputs[output];
}

std::vector<uint32_t> Successors(const Graph& graph, uint32_t slot) {
  std::vector<uint32_t> slots;
  for (const SlotEdge& edge : graph.slots[slot].edges) slots.push_back(edge.slot);
  return slots;
}

TEST(Link, AnEmptyGraphLinks) {
  const Graph graph = MustLink(std::vector<NodeSource>{});
  EXPECT_EQ(graph.depth, 0u);
  EXPECT_THAT(graph.slots, IsEmpty());
  EXPECT_EQ(graph.FindNode("anything", 0), kNoNode);
}

TEST(Link, NodesMayBeNamedBeforeTheyAreListed) {
  const Graph graph =
      MustLink({NodeBuilder("last"), NodeBuilder("middle").To("last"), NodeBuilder("first").To("middle")});
  EXPECT_THAT(Successors(graph, SlotOf(graph, "first")), ElementsAre(SlotOf(graph, "middle")));
  EXPECT_THAT(Successors(graph, SlotOf(graph, "middle")), ElementsAre(SlotOf(graph, "last")));
  EXPECT_EQ(graph.depth, 3u);
}

TEST(Link, WhatIsSentToAMissingNodeIsSwallowed) {
  const Graph graph = MustLink({NodeBuilder("a").To("nobody", 4, 800)});
  EXPECT_THAT(TargetsOf(graph, 0), IsEmpty());
  EXPECT_THAT(graph.slots[0].edges, IsEmpty());
  EXPECT_EQ(graph.largest_record, 800u) << "it is still written somewhere";
}

TEST(Link, AnIndexThatIsOnlyKnownOnTheDeviceReachesEveryNodeOfTheName) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b", 900), NodeBuilder("b", 3), NodeBuilder("c", 5)});
  EXPECT_THAT(TargetsOf(graph, 0), ElementsAre(Target{3, SlotOf(graph, "b", 3)}, Target{900, SlotOf(graph, "b", 900)}));
  EXPECT_THAT(Successors(graph, 0), ElementsAre(SlotOf(graph, "b", 900), SlotOf(graph, "b", 3)));
}

TEST(Link, ConstantIndicesReachOnlyThoseNodesButTheOthersCanBeAskedFor) {
  const Graph graph = MustLink(
      {NodeBuilder("a").ToIndices("b", {1, 7}), NodeBuilder("b", 0), NodeBuilder("b", 1), NodeBuilder("b", 2)});
  EXPECT_THAT(Successors(graph, 0), ElementsAre(SlotOf(graph, "b", 1)));
  EXPECT_EQ(TargetsOf(graph, 0).size(), 3u);
}

TEST(Link, AnOutputThatIsNeverAllocatedReachesNothing) {
  const Graph graph = MustLink({NodeBuilder("a").ToIndices("b", {}), NodeBuilder("b")});
  EXPECT_THAT(graph.slots[0].edges, IsEmpty());
  EXPECT_EQ(graph.depth, 1u);
}

TEST(Link, NamesThatBeginAlikeAreDifferentNames) {
  const Graph graph = MustLink({NodeBuilder("a").To("no"), NodeBuilder("node"), NodeBuilder("n"), NodeBuilder("no")});
  EXPECT_THAT(Successors(graph, 0), ElementsAre(SlotOf(graph, "no")));
}

TEST(Link, OutputsToOneNodeAddUp) {
  const Graph graph = MustLink({NodeBuilder("a").To("b", 3).To("c", 1).To("b", 5), NodeBuilder("b"), NodeBuilder("c")});
  ASSERT_EQ(graph.slots[0].edges.size(), 2u);
  EXPECT_EQ(graph.slots[0].edges[0].payloads, 8u);
  EXPECT_EQ(graph.slots[0].edges[1].payloads, 1u);
}

TEST(Link, FindsNodesByNameAndIndex) {
  const Graph graph = MustLink({NodeBuilder("b", 2), NodeBuilder("a", 7), NodeBuilder("b", 0), NodeBuilder("", 4)});
  EXPECT_EQ(graph.FindNode("b", 2), 0u);
  EXPECT_EQ(graph.FindNode("a", 7), 1u);
  EXPECT_EQ(graph.FindNode("b", 0), 2u);
  EXPECT_EQ(graph.FindNode("", 4), 3u);
  EXPECT_EQ(graph.FindNode("b", 1), kNoNode);
  EXPECT_EQ(graph.FindNode("c", 0), kNoNode);
}

TEST(Link, TwoNodesOfOneNameAndIndexAreRefused) {
  EXPECT_THAT(LinkError({NodeBuilder("a", 1), NodeBuilder("b"), NodeBuilder("a", 1)}), HasSubstr("a[1]"));
}

TEST(Link, OneNameIsEitherStaticOrNot) {
  EXPECT_THAT(LinkError({NodeBuilder("a", 0).Static(1), NodeBuilder("a", 1).Dynamic()}),
              HasSubstr("StaticNumWorkgroupsAMDX"));
}

TEST(Link, OneNameIsEitherCoalescingOrNot) {
  EXPECT_THAT(LinkError({NodeBuilder("a", 0).Dynamic(), NodeBuilder("a", 1).Coalescing(4)}),
              HasSubstr("CoalescingAMDX"));
}

TEST(Link, OneNameHasOneExecutionModel) {
  EXPECT_THAT(LinkError({NodeBuilder("a", 0), NodeBuilder("a", 1).Mesh()}), HasSubstr("09136"));
}

TEST(Link, OneNameMayHaveDifferentGridsAndPayloadSizes) {
  const Graph graph =
      MustLink({NodeBuilder("a", 0).Static(1).Payload(4), NodeBuilder("a", 1).Static(9, 9).Payload(64)});
  EXPECT_EQ(graph.slots[0].record_stride, 4u);
  EXPECT_EQ(graph.slots[1].record_stride, 64u);
}

TEST(Link, RecordsHaveRoomForTheLargestProducer) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("c", 1, 40), NodeBuilder("b").To("c", 1, 12), NodeBuilder("c").Payload(20)});
  EXPECT_EQ(graph.slots[SlotOf(graph, "c")].record_stride, 40u);
}

// Each node may rely on the alignment of what it declares.
TEST(Link, RecordsAreAlignedAsEveryPayloadSentThereIs) {
  NodeBuilder wide = NodeBuilder("a").To("c", 1, 16);
  wide.LastOutput().payload.alignment = 16;
  const Graph graph = MustLink({wide, NodeBuilder("b").To("c", 1, 20), NodeBuilder("c").Payload(12)});
  EXPECT_EQ(graph.slots[SlotOf(graph, "c")].record_stride, 32u);
}

TEST(Link, RecordsAreAlignedToTheirLargestScalarAndToFourBytesAtLeast) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(6, 2), NodeBuilder("b").Payload(20, 8),
                                NodeBuilder("c").Payload(36, 64), NodeBuilder("d").Payload(0, 1)});
  EXPECT_EQ(graph.slots[0].record_stride, 8u);
  EXPECT_EQ(graph.slots[1].record_stride, 24u);
  EXPECT_EQ(graph.slots[2].record_stride, 48u) << "no payload needs more than 16";
  EXPECT_EQ(graph.slots[3].record_stride, 0u);
}

TEST(Link, ARecordReachesToTheEndOfItsGrid) {
  NodeBuilder node = NodeBuilder("a").Dynamic().Payload(8);
  node.source.info.grid_member = spirv::GridMember{4, 4, 3};
  EXPECT_EQ(MustLink({node}).slots[0].record_stride, 16u);
}

TEST(Link, ANodeWithoutPayloadGetsItsGridInThreeWords) {
  NodeBuilder node = NodeBuilder("a").Dynamic().Payload(0, 1);
  node.source.info.grid_member.reset();
  EXPECT_EQ(MustLink({node}).slots[0].record_stride, 12u);
}

TEST(Link, AGridFarIntoThePayloadIsRefused) {
  NodeBuilder node = NodeBuilder("a").Dynamic().Payload(70000);
  node.source.info.grid_member = spirv::GridMember{65536, 4, 3};
  EXPECT_THAT(LinkError({node}), HasSubstr("65536"));
}

TEST(Link, HugePayloadsAreRefused) {
  EXPECT_THAT(LinkError({NodeBuilder("a").Payload(0xffffffffu)}), HasSubstr("4294967295"));
  EXPECT_THAT(LinkError({NodeBuilder("a").To("nobody", 1, 0x80000000u)}), HasSubstr("a[0]"));
}

TEST(Link, OnlyOutputsThatCommitLateTakeFromTheHeap) {
  NodeBuilder producer = NodeBuilder("a").To("b", 10, 16).To("b", 3, 20);
  producer.LastOutput().uses_heap = true;
  const Graph graph = MustLink({producer, NodeBuilder("b").Payload(36)});
  EXPECT_EQ(graph.slots[0].heap_bytes, 3u * (48 + shared::kHeapHeaderBytes))
      << "records have the stride of the target's region";
  EXPECT_EQ(graph.slots[1].heap_bytes, 0u);
}

TEST(Link, HeapBoundsDoNotWrap) {
  NodeBuilder producer("a");
  for (int i = 0; i < 64; ++i) {
    producer.To("b", 0xffffffffu, 1u << 30);
    producer.LastOutput().uses_heap = true;
  }
  EXPECT_EQ(MustLink({producer, NodeBuilder("b")}).slots[0].heap_bytes, ~uint64_t{0});
}

}  // namespace
}  // namespace trellis::test
