// SPDX-License-Identifier: Apache-2.0
// The same GLSL twice: as nodes, lowered by Trellis and run as a graph, and as plain compute shaders on buffer
// references, run node by node from the host. The results must be the same words.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "tests/samples/plain_node.h"
#include "tests/samples/samples.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

using spirv::LaunchKind;

struct Pending {
  std::vector<uint8_t> bytes;
  uint32_t remaining;
};

class HostGraph {
 public:
  // A message if a node cannot be made.
  std::string Add(const Context& context, const SampleNode& node) {
    std::string error;
    nodes_.push_back({PlainNode::Create(context, node, error), {}});
    if (nodes_.back().plain == nullptr) nodes_.pop_back();
    return error;
  }

  void Send(const std::string& name, uint32_t index, const std::vector<uint8_t>& bytes,
            const PlainNode* sender = nullptr, uint32_t remaining = 0) {
    for (Node& node : nodes_) {
      const spirv::NodeInfo& info = node.plain->info();
      const bool is_target = node.plain->name() == name && info.shader_index == index;
      const bool shares =
          info.shares_input && info.shares_input_with_name == name && info.shares_input_with_index == index;
      if (!is_target && !shares) continue;
      const bool recurses = sender == node.plain.get();
      EXPECT_TRUE(!recurses || remaining > 0) << name << " enqueues itself too often";
      node.pending.push_back({bytes, recurses ? remaining - 1 : info.max_recursion});
    }
  }

  void Run(std::span<uint32_t> results) {
    for (bool busy = true; busy;) {
      busy = false;
      for (Node& node : nodes_) {
        while (!node.pending.empty()) {
          busy = true;
          RunOnce(node, results);
        }
      }
    }
  }

 private:
  struct Node {
    std::unique_ptr<PlainNode> plain;
    std::deque<Pending> pending;
  };

  static uint32_t Component(const std::vector<uint8_t>& bytes, const spirv::GridMember& grid, uint32_t component) {
    if (component >= grid.component_count) return 1;
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + grid.offset + component * grid.component_width, grid.component_width);
    return value;
  }

  void RunOnce(Node& node, std::span<uint32_t> results) {
    const spirv::NodeInfo& info = node.plain->info();
    const size_t most = info.kind == LaunchKind::kCoalescing ? info.coalesce : 1;
    const uint32_t remaining = node.pending.front().remaining;
    std::vector<std::vector<uint8_t>> records;
    while (!node.pending.empty() && records.size() < most) {
      records.push_back(std::move(node.pending.front().bytes));
      node.pending.pop_front();
    }
    std::array<uint32_t, 3> workgroups = {1, 1, 1};
    if (info.kind == LaunchKind::kStaticGrid) workgroups = info.grid;
    if (info.kind == LaunchKind::kDynamicGrid) {
      for (uint32_t i = 0; i < 3; ++i) workgroups[i] = Component(records[0], *info.grid_member, i);
      if (workgroups[0] == 0 || workgroups[1] == 0 || workgroups[2] == 0) return;
    }
    // Only a node that recurses asks: its own index, while levels are left.
    const uint32_t base = info.outputs.empty() ? 0 : info.outputs[0].base_index;
    const PlainNode::Answers answers{remaining, remaining > 0 ? info.shader_index - base : ~0u};
    for (const PlainRecord& record : node.plain->Run(records, workgroups, answers, results)) {
      Send(record.node, record.index, record.bytes, node.plain.get(), remaining);
    }
  }

  std::vector<Node> nodes_;
};

class RoundTrip : public GpuTest, public testing::WithParamInterface<Sample> {};

// Samples/GlslSample runs the lowered nodes against the same expected words.
TEST_P(RoundTrip, PlainShadersGiveTheWordsOfTheLoweredNodes) {
  const Sample& sample = GetParam();
  if (sample.name == "Handles" && CrashesOnPointerVariables(context()))
    GTEST_SKIP() << "the driver crashes on variables that hold buffer references";
  HostGraph graph;
  for (const SampleNode& node : sample.nodes) ASSERT_EQ(graph.Add(context(), node), "");
  for (uint32_t i = 0; i < sample.input.count; ++i) {
    const uint32_t words = sample.input.stride / 4;
    const auto first = sample.input.payloads.begin() + static_cast<std::ptrdiff_t>(size_t{i} * words);
    graph.Send(sample.input.node, sample.input.index, Bytes({first, first + words}));
  }
  std::vector<uint32_t> plain(1024);
  graph.Run(plain);
  EXPECT_EQ(plain, LoweredResults(context(), sample));
}

std::string RoundTripName(const testing::TestParamInfo<Sample>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Samples, RoundTrip, testing::ValuesIn(AllSamples()), RoundTripName);

}  // namespace
}  // namespace trellis::test
