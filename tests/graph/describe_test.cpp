// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/graph_builder.h"

namespace trellis::test {
namespace {

TEST(Describe, EveryNodeAndOutputHasALine) {
  const Graph graph = MustLink({NodeBuilder("start").Dynamic(64, 1, 1).To("middle", 4).To("lost", 2),
                                NodeBuilder("middle", 2).Coalescing(32).Payload(8),
                                NodeBuilder("again").Static(2, 3, 4).Recursion(5).To("again")});
  EXPECT_EQ(DescribeGraph(graph),
            "start[0]: grid from its payload, at most 64x1x1, payload 16 bytes\n"
            "  up to 4 x 16 bytes to middle[2]\n"
            "  up to 2 x 16 bytes to lost[], which has no node\n"
            "middle[2]: coalescing up to 32, payload 8 bytes\n"
            "again[0]: static grid 2x3x4, payload 16 bytes, recursion 5\n"
            "  up to 1 x 16 bytes to again[0]\n");
}

TEST(Describe, SmallWorkgroupsSayWhetherTheyArePacked) {
  NodeBuilder alone("alone");
  alone.source.info.packing_obstacle = "OpControlBarrier";
  EXPECT_EQ(DescribeGraph(MustLink({NodeBuilder("many").Coalescing(1).Packed(64), alone})),
            "many[0]: coalescing up to 1, packed by 64, payload 16 bytes\n"
            "alone[0]: static grid 1x1x1, not packed because of OpControlBarrier, payload 16 bytes\n");
}

TEST(Describe, LongArraysAreCutShort) {
  std::vector<NodeSource> sources = Sources({NodeBuilder("a").To("b")});
  for (uint32_t i = 0; i < 100; ++i) sources.push_back(NodeBuilder("b", i).source);
  EXPECT_THAT(DescribeGraph(MustLink(std::move(sources))), testing::HasSubstr("to b[0 1 2 3 4 5 6 7 and 92 more]"));
}

TEST(Describe, SlotsOfRecursiveNodesSayHowFarTheyAre) {
  const Graph graph = MustLink({NodeBuilder("a", 3), NodeBuilder("r").Recursion(2).To("r")});
  EXPECT_EQ(SlotLabel(graph, 0), "a[3]");
  EXPECT_EQ(SlotLabel(graph, SlotOf(graph, "r", 0, 1)), "r[0] (1 left)");
  EXPECT_EQ(SlotLabel(graph, graph.HeapSlot()), "heap");
}

}  // namespace
}  // namespace trellis::test
