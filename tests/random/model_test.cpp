// SPDX-License-Identifier: Apache-2.0
// The random test's own parts, without a device: library, generator, comparison and shrinking.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "spirv_lowering/post/post.h"
#include "tests/random/describe.h"
#include "tests/random/generate.h"
#include "tests/random/node_kind.h"
#include "tests/random/node_module.h"
#include "tests/random/semantics.h"
#include "tests/random/shrink.h"
#include "tests/random/tables.h"

namespace trellis::test::random_graphs {
namespace {

constexpr uint32_t kGraphs = 2000;

Case MakeCase(uint32_t seed) { return MakeCase(seed, MakeTopology(seed / kInputsPerTopology, {})); }

TEST(RandomGraphModel, LibraryIsSmallAndAssembles) {
  EXPECT_LE(NodeKinds().size(), kMaxKinds);
  std::set<std::string> texts;
  for (const NodeKind& kind : NodeKinds()) {
    const std::string text = NodeModule(kind);
    EXPECT_TRUE(spirv::Assemble(text)) << DescribeKind(kind);
    EXPECT_TRUE(texts.insert(text).second) << DescribeKind(kind) << " is there twice";
    EXPECT_LE(kind.outputs.size(), kMaxOutputs);
    EXPECT_LE(kind.input.record_words, kMaxRecordWords);
  }
}

TEST(RandomGraphModel, SeedsGiveTheSameGraphs) {
  for (const uint32_t seed : {0u, 17u, 1999u, 123456u}) {
    const Case one = MakeCase(seed), other = MakeCase(seed);
    EXPECT_EQ(Describe(one.graph), Describe(other.graph));
    EXPECT_EQ(one.expected.words, other.expected.words);
    EXPECT_EQ(EncodeTables(one.graph), EncodeTables(other.graph));
  }
}

bool Recurses(const RandomGraph& graph) {
  for (uint32_t number = 0; number < graph.topology.nodes.size(); ++number) {
    for (const Output& output : graph.topology.nodes[number].outputs) {
      if (output.target == number) return true;
    }
  }
  return false;
}

// What the graphs of a CI run reach, so that a change of the generator cannot empty the test.
TEST(RandomGraphModel, GraphsAreWorthRunning) {
  std::set<uint32_t> kinds;
  uint32_t deep = 0, large = 0, recursive = 0, several_roots = 0, several_outputs = 0;
  for (uint32_t seed = 0; seed < kGraphs; ++seed) {
    const Case one = MakeCase(seed);
    const std::vector<Node>& nodes = one.graph.topology.nodes;
    for (const Node& node : nodes) kinds.insert(node.kind);
    deep += one.expected.depth >= 5;
    large += one.expected.records >= 100;
    recursive += Recurses(one.graph);
    several_roots += one.graph.input.roots.size() > 1;
    several_outputs +=
        std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.outputs.size() > 1; });
  }
  for (uint32_t kind = 0; kind < NodeKinds().size(); ++kind)
    EXPECT_TRUE(kinds.count(kind) != 0) << DescribeKind(NodeKinds()[kind]);
  EXPECT_GT(large, kGraphs / 2);
  EXPECT_GT(deep, kGraphs / 40);
  EXPECT_GT(recursive, kGraphs / 4);
  EXPECT_GT(several_roots, kGraphs / 2);
  EXPECT_GT(several_outputs, kGraphs / 2);
}

TEST(RandomGraphModel, LargeGraphsAreRefused) {
  Case one = MakeCase(0);
  ASSERT_GT(one.expected.records, 1u);
  EXPECT_FALSE(Execute(one.graph, {.records = one.expected.records - 1}));
  EXPECT_TRUE(Execute(one.graph, {.records = one.expected.records}));
}

// What a device that makes this mistake would leave behind.
std::vector<uint32_t> WrongWords(const RandomGraph& graph, Fault fault) {
  const std::optional<Outcome> outcome = Execute(graph, {}, fault);
  std::vector<uint32_t> words(kPlaces * kPlaceWords);
  for (uint32_t i = 0; i < words.size(); ++i) {
    const uint32_t counted = outcome ? outcome->words[i] : 0;
    words[i] = i % kPlaceWords == kXor ? InitialWord(i) ^ counted : InitialWord(i) + counted;
  }
  return words;
}

std::string Complaint(const RandomGraph& graph, Fault fault) {
  const std::optional<Outcome> expected = Execute(graph);
  return expected ? Differences(graph, WrongWords(graph, fault), expected->words) : "";
}

TEST(RandomGraphModel, ARightDeviceIsNotBlamed) {
  for (uint32_t seed = 0; seed < 100; ++seed) EXPECT_EQ(Complaint(MakeCase(seed).graph, Fault::kNone), "");
}

TEST(RandomGraphModel, WordsThatNobodyOwnsMustStay) {
  const Case one = MakeCase(3);
  std::vector<uint32_t> words = WrongWords(one.graph, Fault::kNone);
  words[5] ^= 1;
  EXPECT_NE(Differences(one.graph, words, one.expected.words).find("nobody's word"), std::string::npos);
}

// Every mistake is found by some graph, and what is left after shrinking is small and still shows it.
class Mistakes : public testing::TestWithParam<Fault> {};

TEST_P(Mistakes, AreFoundAndShrunk) {
  constexpr uint32_t kMaxSeeds = 200;
  uint32_t seed = 0;
  while (seed < kMaxSeeds && Complaint(MakeCase(seed).graph, GetParam()).empty()) ++seed;
  ASSERT_LT(seed, kMaxSeeds) << "nothing was found";
  const RandomGraph large = MakeCase(seed).graph;
  const auto fails = [](const RandomGraph& graph) { return !Complaint(graph, GetParam()).empty(); };
  const ShrinkResult small = Shrink(large, fails, 3000);
  SCOPED_TRACE(Describe(small.graph));
  EXPECT_TRUE(fails(small.graph));
  EXPECT_LE(small.graph.topology.nodes.size(), 4u);
  ASSERT_EQ(small.graph.input.roots.size(), 1u);
  EXPECT_LE(small.graph.input.roots[0].seeds.size(), 2u);
  EXPECT_LE(Execute(small.graph)->records, 60u);
  EXPECT_LT(Describe(small.graph).size(), Describe(large).size());
}

INSTANTIATE_TEST_SUITE_P(All, Mistakes,
                         testing::Values(Fault::kLosesThirdRecord, Fault::kStopsRecursionEarly, Fault::kIgnoresBase,
                                         Fault::kEnqueuesAlways, Fault::kForgetsGridZ, Fault::kIgnoresSharing));

}  // namespace
}  // namespace trellis::test::random_graphs
