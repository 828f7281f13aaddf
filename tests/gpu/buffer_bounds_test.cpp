// SPDX-License-Identifier: Apache-2.0
// Bounds checks that a node's stage asks for (VkPipelineRobustnessCreateInfo) reach the node, and lengths of buffers
// are those of the application's descriptors.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using BufferBounds = ShapedGpuTest;

// Words that a descriptor covers; what is next to them holds guards, not zeros.
constexpr uint32_t kWords = 256;

VkPipelineRobustnessCreateInfoEXT Robust2() {
  auto info = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  info.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
  return info;
}

// "Root" sends indices to "Access", which reads and writes there, in range or not.
TEST_P(BufferBounds, StageIsRobust) {
  if (!context().features.robust_buffer_access2) GTEST_SKIP() << "no pipelineRobustness or no robustBufferAccess2";
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id wild = m.StorageBuffer(1);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Access", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Access", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id number = m.Get(m.NodeInput(), 0, 0);
  const Id index = m.Get(m.NodeInput(), 0, 1);
  m.StoreWord(words, number, m.Add(m.LoadWord(wild, index), 1));
  m.StoreWord(wild, index, m.Constant(77));
  m.EndNode();
  const auto robustness = Robust2();
  GraphRun run(context(), {.words = kWords, .layout = {.buffers_per_set = 2}});
  run.Node({.text = m.Text(), .entry = "Root", .chain = &robustness});
  // With a node structure next to it, too.
  run.Node({.text = m.Text(), .entry = "Access", .index = 0, .chain = &robustness});
  // The word before, words behind: in the guard, and far beyond.
  const std::vector<uint32_t> indices = {0, 5, kWords - 1, kWords, kWords + 1, kWords + 300, 0x100000, 0x3fffffff};
  std::vector<uint32_t> payloads, expected(indices.size(), 1), expected_wild(kWords);
  for (uint32_t i = 0; i < indices.size(); ++i) {
    payloads.insert(payloads.end(), {i, indices[i]});
    if (indices[i] < kWords) expected_wild[indices[i]] = 77;
  }
  run.Input({.node = "Root", .count = uint32_t(indices.size()), .payloads = Bytes(payloads), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches(expected, 0));
  EXPECT_TRUE(run.Matches(expected_wild, 1));
}

// OpArrayLength of a storage buffer.
TEST_P(BufferBounds, ArrayLengthOfABuffer) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record);
  m.BeginNode({.name = "Root", .launch = Launch::kCoalescing, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, 3, m.Op("OpArrayLength", m.Uint(), words, Id("0")));
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Get(m.NodeInput(), 0, 1));
  m.AddWord(words, 4, m.Op("OpArrayLength", m.Uint(), words, Id("0")));
  m.EndNode();
  GraphRun run(context(), {.words = kWords});
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 2});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 0, 0, 2 * kWords, 2 * kWords}));
}

TRELLIS_BOTH_SHAPES(BufferBounds);

}  // namespace
}  // namespace trellis::test
