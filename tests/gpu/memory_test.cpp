// SPDX-License-Identifier: Apache-2.0
// Variables and memory of nodes: Private initialisers, Workgroup memory, the Vulkan memory model.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using NodeMemory = ShapedGpuTest;

// Every invocation of every workgroup finds its Private variable as initialised.
TEST_P(NodeMemory, PrivateInitialiser) {
  NodeAsm m(shape());
  const Id words = m.StorageBuffer(0);
  const Id counter = m.Global("Private", m.Uint(), m.Constant(40));
  const Id record = m.Struct({{m.Uint(), 0, true}});
  m.BeginNode(
      {.name = "Node", .local_size = {4, 1, 1}, .grid = {64, 1, 1}, .shader_index = 0, .input = m.Input(record)});
  m.For(2, [&](const Id&) { m.Store(counter, m.Add(m.Load(m.Uint(), counter), 1)); });
  m.AddWord(words, m.Load(m.Uint(), counter), 1);
  m.EndNode();
  GraphRun run(context());
  run.Nodes(m.Text(), {"Node"});
  run.Input({.node = "Node", .count = 3, .payloads = Bytes({10, 0, 7}), .stride = 4});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(43);
  expected[42] = 17 * 4;
  EXPECT_TRUE(run.Matches(expected));
}

// A prefix sum in Workgroup memory, in a child that many workgroups run; then one record per workgroup to a leaf.
std::string SharedSumModule(Shape shape, bool vulkan_model) {
  NodeAsm m(shape);
  if (vulkan_model) m.UseVulkanMemoryModel();
  const Id words = m.StorageBuffer(0);
  const Id shared = m.SharedWords(32);
  const Id record = LeafRecord(m);
  const Payload to_child = m.Output("Child", record, {.max_payloads = 8});
  const Payload to_leaf = m.Output("Leaf", record);
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {8, 1, 1}, .grid = {4, 1, 1}, .shader_index = 0});
  const Records children = m.Allocate(to_child, Scope::kWorkgroup, 8);
  SetLeaf(m, children, m.LocalIndex(), m.GlobalId(0), m.Add(m.GlobalId(0), 1));
  m.Enqueue(children);
  m.EndNode();

  m.BeginNode({.name = "Child",
               .launch = Launch::kStaticGrid,
               .local_size = {32, 1, 1},
               .grid = {2, 1, 1},
               .shader_index = 0,
               .input = m.Input(record)});
  const Id lane = m.LocalIndex();
  m.Store(m.SharedPointer(shared, lane), m.Mul(m.Get(m.NodeInput(), 0, 1), lane));
  m.WorkgroupBarrier();
  for (uint32_t step = 16; step > 0; step /= 2) {
    m.If(m.Less(lane, step), [&] {
      const Id mine = m.SharedPointer(shared, lane);
      const Id other = m.Load(m.Uint(), m.SharedPointer(shared, m.Add(lane, step)));
      m.Store(mine, m.Add(m.Load(m.Uint(), mine), other));
    });
    m.WorkgroupBarrier();
  }
  const Records leaf = m.Allocate(to_leaf, Scope::kWorkgroup, 1);
  m.If(m.Equal(lane, 0),
       [&] { SetLeaf(m, leaf, 0, m.Get(m.NodeInput(), 0, 0), m.Load(m.Uint(), m.SharedPointer(shared, 0))); });
  m.Enqueue(leaf);
  m.EndNode();
  AddCoalescingLeaf(m, "Leaf", words, record, 16);
  return m.Text();
}

void ExpectSharedSums(Context& context, Shape shape, bool vulkan_model) {
  GraphRun run(context);
  run.Nodes(SharedSumModule(shape, vulkan_model), {"Root", "Child", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  // Two workgroups, each the sum of (i + 1) * lane over 32 lanes.
  for (uint32_t i = 0; i < 32; ++i) expected.push_back(2 * (i + 1) * 496);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_P(NodeMemory, WorkgroupMemory) { ExpectSharedSums(context(), shape(), false); }

TEST_P(NodeMemory, VulkanMemoryModel) {
  if (!context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModelDeviceScope";
  ExpectSharedSums(context(), shape(), true);
}

// A Workgroup array that one invocation writes and another reads, in a module of the Vulkan memory model: the barrier
// makes available and visible, the accesses themselves say nothing, as the extension's compilers emit them.
TEST_P(NodeMemory, VulkanMemoryModelConditionalEnqueue) {
  if (!context().features.vulkan_memory_model) GTEST_SKIP() << "no vulkanMemoryModelDeviceScope";
  NodeAsm m(shape());
  m.UseVulkanMemoryModel();
  const Id words = m.StorageBuffer(0);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 16});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {16, 1, 1}, .grid = {6, 1, 1}, .shader_index = 0});
  const Records records = m.Allocate(to, Scope::kWorkgroup, 16);
  SetLeaf(m, records, m.LocalIndex(), m.GlobalId(0), 2);
  m.If(m.NotEqual(m.GroupId(0), 3), [&] { m.Enqueue(records); });
  m.EndNode();
  AddThreadLeaf(m, "Leaf", words, record);
  GraphRun run(context());
  run.Nodes(m.Text(), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(96, 2);
  for (uint32_t i = 48; i < 64; ++i) expected[i] = 0;
  EXPECT_TRUE(run.Matches(expected));
}

TRELLIS_BOTH_SHAPES(NodeMemory);

}  // namespace
}  // namespace trellis::test
