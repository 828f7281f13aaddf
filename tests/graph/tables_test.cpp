// SPDX-License-Identifier: Apache-2.0
#include "layer/graph/tables.h"

#include <gtest/gtest.h>

#include "meta_shaders/shared/kernel_plans.h"
#include "tests/graph/graph_builder.h"
#include "tests/graph/table_reader.h"

namespace trellis::test {
namespace {

constexpr uint64_t kBase = 0x7ab5'0000'1230;

shared::NodeOutput OutputOf(const Graph& graph, uint32_t slot, uint32_t output) {
  return TableReader(graph, kBase).Output(slot, output);
}
Launch Own(uint32_t slot) { return {slot, slot}; }
uint32_t Resolve(const Graph& graph, uint32_t slot, uint32_t output, uint32_t index) {
  return TableReader(graph, kBase).Resolve(slot, output, index);
}

TEST(Tables, GraphsWithoutOutputsHaveATableAllTheSame) {
  EXPECT_EQ(LayoutTables(MustLink({NodeBuilder("a")})).size, 16u);
}

// Slots rise by one, by two, and fall.
TEST(Tables, NeighbouringIndicesAreAProgression) {
  for (const std::vector<NodeBuilder>& nodes : std::vector<std::vector<NodeBuilder>>{
           {NodeBuilder("b", 10), NodeBuilder("b", 11), NodeBuilder("b", 12)},
           {NodeBuilder("b", 10), NodeBuilder("x"), NodeBuilder("b", 11), NodeBuilder("y"), NodeBuilder("b", 12)},
           {NodeBuilder("b", 12), NodeBuilder("b", 11), NodeBuilder("b", 10)}}) {
    std::vector<NodeSource> sources = Sources({NodeBuilder("a").To("b")});
    for (const NodeBuilder& node : nodes) sources.push_back(node.source);
    const Graph graph = MustLink(std::move(sources));
    EXPECT_EQ(LayoutTables(graph).size, 16u);
    EXPECT_EQ(OutputOf(graph, 0, 0).first_index, 10u);
    EXPECT_EQ(OutputOf(graph, 0, 0).index_count, 3u | shared::kSlotProgression);
    for (uint32_t i = 10; i < 13; ++i) EXPECT_EQ(Resolve(graph, 0, 0, i), SlotOf(graph, "b", i));
    for (const uint32_t i : {0u, 9u, 13u, 0xffffffffu}) EXPECT_EQ(Resolve(graph, 0, 0, i), shared::kNoSlot);
  }
}

TEST(Tables, NeighbouringIndicesInAnyOrderMakeADenseArray) {
  const Graph graph =
      MustLink({NodeBuilder("a").To("b"), NodeBuilder("b", 11), NodeBuilder("b", 10), NodeBuilder("b", 12)});
  const shared::NodeOutput output = OutputOf(graph, 0, 0);
  EXPECT_EQ(output.first_index, 10u);
  EXPECT_EQ(output.index_count, 3u);
  for (uint32_t i = 10; i < 13; ++i) EXPECT_EQ(Resolve(graph, 0, 0, i), SlotOf(graph, "b", i));
  EXPECT_EQ(Resolve(graph, 0, 0, 9), shared::kNoSlot);
  EXPECT_EQ(Resolve(graph, 0, 0, 13), shared::kNoSlot);
  EXPECT_EQ(Resolve(graph, 0, 0, 0xffffffffu), shared::kNoSlot);
}

TEST(Tables, HolesInADenseArrayHaveNoNode) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b", 0), NodeBuilder("b", 5)});
  EXPECT_EQ(OutputOf(graph, 0, 0).index_count, 6u);
  EXPECT_EQ(Resolve(graph, 0, 0, 5), SlotOf(graph, "b", 5));
  for (uint32_t i = 1; i < 5; ++i) EXPECT_EQ(Resolve(graph, 0, 0, i), shared::kNoSlot);
}

TEST(Tables, FarIndicesMakeSortedPairs) {
  const Graph graph = MustLink(
      {NodeBuilder("a").To("b"), NodeBuilder("b", 0xffffffffu), NodeBuilder("b", 0), NodeBuilder("b", 0x10000)});
  EXPECT_EQ(OutputOf(graph, 0, 0).index_count, 3u | shared::kSortedSlotPairs);
  for (uint32_t i : {0u, 0x10000u, 0xffffffffu}) EXPECT_EQ(Resolve(graph, 0, 0, i), SlotOf(graph, "b", i));
  for (uint32_t i : {1u, 0xffffu, 0x10001u, 0xfffffffeu}) EXPECT_EQ(Resolve(graph, 0, 0, i), shared::kNoSlot);
}

TEST(Tables, OneTargetNeedsNoTable) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b", 0xffffffffu)});
  EXPECT_EQ(LayoutTables(graph).size, 16u);
  EXPECT_EQ(OutputOf(graph, 0, 0).index_count, 1u | shared::kSlotProgression);
  EXPECT_EQ(OutputOf(graph, 0, 0).first_index, 0xffffffffu);
  EXPECT_EQ(Resolve(graph, 0, 0, 0xffffffffu), SlotOf(graph, "b", 0xffffffffu));
  EXPECT_EQ(Resolve(graph, 0, 0, 0), shared::kNoSlot);
}

TEST(Tables, IndicesAreRelativeToTheBaseOfTheOutput) {
  const std::vector<std::vector<uint32_t>> orders = {{10, 11, 12}, {11, 10, 12}, {0, 10, 0x10000, 0xffffffff}};
  for (const std::vector<uint32_t>& indices : orders) {
    std::vector<NodeSource> sources = Sources({NodeBuilder("a").To("b")});
    sources.front().info.outputs[0].base_index = 7;
    for (const uint32_t index : indices) sources.push_back(NodeBuilder("b", index).source);
    const Graph graph = MustLink(std::move(sources));
    for (const uint32_t index : indices) EXPECT_EQ(Resolve(graph, 0, 0, index - 7), SlotOf(graph, "b", index));
    for (const uint32_t index : {8u, 13u, 0xfffffffeu}) EXPECT_EQ(Resolve(graph, 0, 0, index - 7), shared::kNoSlot);
  }
}

TEST(Tables, MissingTargetsHaveNoEntries) {
  const Graph graph = MustLink({NodeBuilder("a").To("nobody")});
  EXPECT_EQ(OutputOf(graph, 0, 0).index_count, 0u);
  EXPECT_EQ(Resolve(graph, 0, 0, 0), shared::kNoSlot);
}

TEST(Tables, EachOutputOfASlotHasItsOwnEntry) {
  const Graph graph = MustLink({NodeBuilder("a").To("b").To("c").To("b"), NodeBuilder("b"), NodeBuilder("c").To("b")});
  EXPECT_EQ(Resolve(graph, 0, 0, 0), SlotOf(graph, "b"));
  EXPECT_EQ(Resolve(graph, 0, 1, 0), SlotOf(graph, "c"));
  EXPECT_EQ(Resolve(graph, 0, 2, 0), SlotOf(graph, "b"));
  EXPECT_EQ(Resolve(graph, SlotOf(graph, "c"), 0, 0), SlotOf(graph, "b"));
}

TEST(Tables, EqualArraysShareOnePlace) {
  std::vector<NodeSource> sources = Sources({NodeBuilder("r").Recursion(100).To("r").To("wide")});
  for (uint32_t i = 0; i < 1000; ++i) sources.push_back(NodeBuilder("wide", i ^ 1).source);
  EXPECT_EQ(LayoutTables(MustLink(std::move(sources))).size, 4000u);
}

TEST(Tables, AddressesFollowTheBase) {
  const Graph graph = MustLink({NodeBuilder("a").To("b"), NodeBuilder("b"), NodeBuilder("b", 2)});
  const TableLayout layout = LayoutTables(graph);
  EXPECT_EQ(WriteTables(graph, layout).size(), layout.size);
  EXPECT_EQ(TableReader(graph, 0).Output(0, 0).slots + kBase, TableReader(graph, kBase).Output(0, 0).slots);
}

TEST(LaunchDescription, SaysWhatKindOfLaunchASlotHas) {
  NodeBuilder dynamic = NodeBuilder("d", 4).Dynamic(8, 0, 70000).Payload(64);
  dynamic.source.info.grid_member = spirv::GridMember{20, 2, 3};
  const Graph graph = MustLink({NodeBuilder("s").Static(2, 3, 4), dynamic, NodeBuilder("c").Coalescing(24),
                                NodeBuilder("r").Recursion(3).To("r")});

  const shared::LaunchPlan fixed = DescribeLaunch(graph, Own(SlotOf(graph, "s")), {100, 100, 100});
  EXPECT_EQ(fixed.kind, shared::kLaunchStaticGrid);
  EXPECT_EQ(fixed.grid_x * 100 + fixed.grid_y * 10 + fixed.grid_z, 234u);

  const shared::LaunchPlan from_record = DescribeLaunch(graph, Own(SlotOf(graph, "d", 4)), {65535, 65535, 65535});
  EXPECT_EQ(from_record.kind, shared::kLaunchDynamicGrid);
  EXPECT_EQ(from_record.grid_x, 8u);
  EXPECT_EQ(from_record.grid_y, 65535u) << "no maximum: the device's";
  EXPECT_EQ(from_record.grid_z, 65535u);
  EXPECT_EQ(from_record.grid_member, 20u | 2u << 16 | 3u << 20);

  const shared::LaunchPlan coalescing = DescribeLaunch(graph, Own(SlotOf(graph, "c")), {1, 1, 1});
  EXPECT_EQ(coalescing.kind, shared::kLaunchCoalescing);
  EXPECT_EQ(coalescing.coalesce, 24u);

  const shared::LaunchPlan recursive = DescribeLaunch(graph, Own(SlotOf(graph, "r", 0, 1)), {1, 1, 1});
  EXPECT_EQ(recursive.identity, SlotOf(graph, "r", 0, 1));
}

shared::LaunchPlan Describe(const NodeBuilder& node) {
  return DescribeLaunch(MustLink({node}), {0, 0}, {65535, 65535, 65535});
}

TEST(LaunchDescription, PackedNodesCoalesce) {
  const Graph graph =
      MustLink({NodeBuilder("thread").Coalescing(1).Packed(64), NodeBuilder("single").Static(1, 1, 1).Packed(32)});
  const shared::LaunchPlan thread = DescribeLaunch(graph, Own(SlotOf(graph, "thread")), {1, 1, 1});
  EXPECT_EQ(thread.kind, shared::kLaunchCoalescing);
  EXPECT_EQ(thread.coalesce, 64u);
  const shared::LaunchPlan single = DescribeLaunch(graph, Own(SlotOf(graph, "single")), {1, 1, 1});
  EXPECT_EQ(single.kind, shared::kLaunchCoalescing);
  EXPECT_EQ(single.coalesce, 32u);
  const shared::LaunchPlan several = Describe(NodeBuilder("several").Coalescing(10).Packed(4));
  EXPECT_EQ(several.coalesce, 40u);
}

TEST(LaunchDescription, PackedGridsAreSmaller) {
  const shared::LaunchPlan records = Describe(NodeBuilder("several records").Static(3, 2, 1).Packed(12));
  EXPECT_EQ(records.kind, shared::kLaunchCoalescing);
  EXPECT_EQ(records.coalesce, 2u);
  const shared::LaunchPlan whole = Describe(NodeBuilder("one record").Static(2, 2, 1).Packed(4));
  EXPECT_EQ(whole.kind, shared::kLaunchStaticGrid);
  EXPECT_EQ(whole.grid_x * 100 + whole.grid_y * 10 + whole.grid_z, 111u);
  const shared::LaunchPlan part = Describe(NodeBuilder("part of a record").Static(2, 5, 2).Packed(4));
  EXPECT_EQ(part.kind, shared::kLaunchStaticGrid);
  EXPECT_EQ(part.grid_x * 100 + part.grid_y * 10 + part.grid_z, 511u);
  const shared::LaunchPlan dynamic = Describe(NodeBuilder("from records").Dynamic(9, 8, 7).Packed(4));
  EXPECT_EQ(dynamic.kind, shared::kLaunchDynamicGrid);
  EXPECT_EQ(dynamic.packed, 4u);
  EXPECT_EQ(dynamic.grid_x * 100 + dynamic.grid_y * 10 + dynamic.grid_z, 987u) << "bounds of what records say";
}

}  // namespace
}  // namespace trellis::test
