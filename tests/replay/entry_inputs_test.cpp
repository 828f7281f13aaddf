// SPDX-License-Identifier: Apache-2.0
#include "layer/replay/planning/entry_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/graph/graph_builder.h"

namespace trellis::test {
namespace {

using ::testing::HasSubstr;

VkDispatchGraphInfoAMDX Info(uint32_t node, const void* payloads, uint32_t count, uint64_t stride) {
  VkDispatchGraphInfoAMDX info = {};
  info.nodeIndex = node;
  info.payloadCount = count;
  info.payloads.hostAddress = payloads;
  info.payloadStride = stride;
  return info;
}

EntryInputs Collect(const Graph& graph, const std::vector<VkDispatchGraphInfoAMDX>& infos) {
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = static_cast<uint32_t>(infos.size());
  count_info.infos.hostAddress = infos.data();
  count_info.stride = sizeof(VkDispatchGraphInfoAMDX);
  return CollectEntryInputs(graph, count_info);
}

std::vector<uint32_t> Records(const Graph& graph, const RootInput& root, uint32_t stride) {
  std::vector<uint32_t> words(size_t{root.record_count} * stride / 4, 0xcccccccc);
  WriteRecords(graph, root, std::as_writable_bytes(std::span(words)), stride);
  return words;
}

TEST(EntryInputsTest, GathersSeveralInfosOfOneNodeInOrder) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(8), NodeBuilder("b").Payload(4)});
  const uint32_t a = graph.FindNode("a", 0);
  const uint32_t b = graph.FindNode("b", 0);
  const uint32_t first[] = {1, 2, 3, 4};
  const uint32_t second[] = {5, 6, 99, 7, 8, 99};
  const uint32_t third[] = {9};
  const EntryInputs inputs = Collect(graph, {Info(a, first, 2, 8), Info(b, third, 1, 4), Info(a, second, 2, 12)});
  ASSERT_EQ(inputs.roots.size(), 2u);
  EXPECT_TRUE(inputs.complaints.empty());
  const RootInput& root = inputs.roots[inputs.roots[0].node == a ? 0 : 1];
  EXPECT_EQ(root.record_count, 4u);
  EXPECT_EQ(root.slot, graph.EntrySlot(a));
  EXPECT_EQ(Records(graph, root, 8), (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  // What a wider record does not get from the payload is 0.
  EXPECT_EQ(Records(graph, root, 12), (std::vector<uint32_t>{1, 2, 0, 3, 4, 0, 5, 6, 0, 7, 8, 0}));
}

TEST(EntryInputsTest, InfosAtAnyStrideAndAlignment) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(4)});
  const uint32_t values[] = {7, 8};
  std::vector<std::byte> bytes(1 + 2 * 37);
  for (uint32_t i = 0; i < 2; ++i) {
    const VkDispatchGraphInfoAMDX info = Info(0, &values[i], 1, 0);
    std::memcpy(bytes.data() + 1 + i * 37, &info, sizeof(info));
  }
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = 2;
  count_info.infos.hostAddress = bytes.data() + 1;
  count_info.stride = 37;
  const EntryInputs inputs = CollectEntryInputs(graph, count_info);
  ASSERT_EQ(inputs.roots.size(), 1u);
  EXPECT_EQ(Records(graph, inputs.roots[0], 4), (std::vector<uint32_t>{7, 8}));
}

TEST(EntryInputsTest, PayloadStrideMayBeZeroOrOdd) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(4)});
  const uint8_t odd[] = {0, 1, 0, 0, 0, 9, 2, 0, 0, 0};
  const EntryInputs same = Collect(graph, {Info(0, odd + 1, 3, 0)});
  EXPECT_EQ(Records(graph, same.roots[0], 4), (std::vector<uint32_t>{1, 1, 1}));
  const EntryInputs apart = Collect(graph, {Info(0, odd + 1, 2, 5)});
  EXPECT_EQ(Records(graph, apart.roots[0], 4), (std::vector<uint32_t>{1, 2}));
}

// Sizes, strides and places of all kinds. The application's memory ends with the last payload.
TEST(EntryInputsTest, RecordsAreTheirPayloadsAndZeros) {
  for (const uint32_t bytes : {1u, 3u, 4u, 7u, 12u, 16u, 20u, 48u, 64u, 68u}) {
    const Graph graph = MustLink({NodeBuilder("a").Payload(bytes)});
    for (const uint32_t stride : {bytes, bytes + 1, bytes + 12})
      for (const uint64_t payload_stride : {0u, 2u, bytes, bytes + 1, 2 * bytes + 16}) {
        constexpr uint32_t kCount = 5;
        std::vector<uint8_t> payloads((kCount - 1) * payload_stride + bytes);
        for (size_t i = 0; i < payloads.size(); ++i) payloads[i] = static_cast<uint8_t>(i * 7 + 1);
        std::vector<uint8_t> expected;
        for (uint32_t i = 0; i < kCount; ++i) {
          const auto payload = payloads.begin() + static_cast<ptrdiff_t>(i * payload_stride);
          expected.insert(expected.end(), payload, payload + bytes);
          expected.resize(expected.size() + stride - bytes);
        }
        const EntryInputs inputs = Collect(graph, {Info(0, payloads.data(), kCount, payload_stride)});
        std::vector<uint8_t> records(size_t{kCount} * stride, 0xcc);
        WriteRecords(graph, inputs.roots[0], std::as_writable_bytes(std::span(records)), stride);
        EXPECT_EQ(records, expected) << bytes << " bytes at " << payload_stride << " to " << stride;
      }
  }
}

TEST(EntryInputsTest, ZeroCountsLaunchNothing) {
  const Graph graph = MustLink({NodeBuilder("a")});
  EXPECT_TRUE(Collect(graph, {}).roots.empty());
  EXPECT_TRUE(Collect(graph, {Info(0, nullptr, 0, 0)}).roots.empty());
  EXPECT_TRUE(Collect(graph, {Info(12345, nullptr, 0, 0)}).complaints.empty());
}

TEST(EntryInputsTest, EmptyPayloadsMayBeNull) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(0, 1)});
  const EntryInputs inputs = Collect(graph, {Info(0, nullptr, 5, 0), Info(0, reinterpret_cast<const void*>(1), 6, 3)});
  ASSERT_EQ(inputs.roots.size(), 1u);
  EXPECT_EQ(inputs.roots[0].record_count, 11u);
  EXPECT_TRUE(inputs.complaints.empty());
  EXPECT_TRUE(Records(graph, inputs.roots[0], 0).empty());
}

TEST(EntryInputsTest, SharersAreReportedAndDispatched) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(4), NodeBuilder("s").Payload(4).SharesInput("a")});
  const uint32_t word = 5;
  const EntryInputs inputs = Collect(graph, {Info(graph.FindNode("s", 0), &word, 1, 4)});
  EXPECT_EQ(inputs.roots.size(), 1u);
  ASSERT_EQ(inputs.complaints.size(), 1u);
  EXPECT_THAT(inputs.complaints[0], HasSubstr("s[0]"));
  EXPECT_THAT(inputs.complaints[0], HasSubstr("SharesInputWithAMDX"));
}

TEST(EntryInputsTest, APayloadHasWhatSharersReadOfIt) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(0, 1), NodeBuilder("s").Payload(8).SharesInput("a")});
  const uint32_t words[] = {1, 2, 3, 4};
  const EntryInputs inputs = Collect(graph, {Info(graph.FindNode("a", 0), words, 2, 8)});
  ASSERT_EQ(inputs.roots.size(), 1u);
  EXPECT_EQ(Records(graph, inputs.roots[0], 8), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST(EntryInputsTest, MisuseIsNamedAndIgnored) {
  const Graph graph = MustLink({NodeBuilder("a")});
  const EntryInputs inputs = Collect(graph, {Info(1, nullptr, 1, 0), Info(0, nullptr, 1, 0)});
  EXPECT_TRUE(inputs.roots.empty());
  ASSERT_EQ(inputs.complaints.size(), 2u);
  EXPECT_THAT(inputs.complaints[0], HasSubstr("09148"));
  EXPECT_THAT(inputs.complaints[1], HasSubstr("a[0]"));
}

TEST(EntryInputsTest, NullInfosAreNamedAndIgnored) {
  VkDispatchGraphCountInfoAMDX count_info = {};
  count_info.count = 1;
  const EntryInputs inputs = CollectEntryInputs(MustLink({NodeBuilder("a")}), count_info);
  EXPECT_TRUE(inputs.roots.empty());
  ASSERT_EQ(inputs.complaints.size(), 1u);
  EXPECT_THAT(inputs.complaints[0], HasSubstr("09145"));
}

TEST(EntryInputsTest, CountsSaturate) {
  const Graph graph = MustLink({NodeBuilder("a").Payload(0, 1)});
  const EntryInputs inputs = Collect(graph, {Info(0, nullptr, 0xffffffffu, 0), Info(0, nullptr, 7, 0)});
  ASSERT_EQ(inputs.roots.size(), 1u);
  EXPECT_EQ(inputs.roots[0].record_count, kMaxRootRecords);
  EXPECT_EQ(inputs.complaints.size(), 2u);
}

}  // namespace
}  // namespace trellis::test
