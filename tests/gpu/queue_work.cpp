// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/queue_work.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/gpu_test.h"

namespace trellis::test {
namespace {

constexpr uint32_t kQueueLanes = 32;
}  // namespace

std::string KeyedModule() {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id key_record = m.Struct({{m.Uint(), 0}});
  const Id record = LeafRecord(m);
  const Payload to_middle = m.Output("Middle", record, {.max_payloads = kQueueLanes});
  const Payload to_leaf = m.Output("Leaf", record, {.max_payloads = kQueueLanes});

  m.BeginNode({.name = "Root",
               .launch = Launch::kStaticGrid,
               .local_size = {kQueueLanes, 1, 1},
               .grid = {kKeyedWords / kQueueLanes, 1, 1},
               .shader_index = 0,
               .input = m.Input(key_record)});
  const Records middles = m.Allocate(to_middle, Scope::kWorkgroup, kQueueLanes);
  SetLeaf(m, middles, m.LocalIndex(), m.GlobalId(0), m.Get(m.NodeInput(), 0, 0));
  m.Enqueue(middles);
  m.EndNode();

  m.BeginNode({.name = "Middle",
               .launch = Launch::kCoalescing,
               .local_size = {kQueueLanes, 1, 1},
               .shader_index = 0,
               .input = m.Input(record, kQueueLanes)});
  const Id lane = m.LocalIndex();
  const Id length = m.Length(m.NodeInput());
  const Records leaves = m.Allocate(to_leaf, Scope::kWorkgroup, length);
  m.If(m.Less(lane, length),
       [&] { SetLeaf(m, leaves, lane, m.Get(m.NodeInput(), lane, 0), m.Get(m.NodeInput(), lane, 1)); });
  m.Enqueue(leaves);
  m.EndNode();
  AddCoalescingLeaf(m, "Leaf", words, record, kQueueLanes);
  return m.Text();
}

std::unique_ptr<GraphRun> KeyedRun(Context& context, uint32_t key, uint32_t count, RunOptions options) {
  auto run = std::make_unique<GraphRun>(context, std::move(options));
  run->Nodes(KeyedModule(), {"Root", "Middle", "Leaf"});
  // With a stride of 0 every record is the same one.
  run->Input({.node = "Root", .count = count, .payloads = Bytes({key}), .stride = 0});
  EXPECT_TRUE(run->Prepare());
  return run;
}

void RecordKeyed(const Context& context, VkCommandBuffer command_buffer, const GraphRun& run,
                 const GuardedBuffer& scratch, uint32_t key) {
  const auto begin = MakeStruct<VkCommandBufferBeginInfo>();
  EXPECT_EQ(vkBeginCommandBuffer(command_buffer, &begin), VK_SUCCESS);
  vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.graph().handle());
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, run.layout().handle(), 0, 1,
                          run.descriptor_sets().sets().data(), 0, nullptr);
  RecordScratchInitialization(context, command_buffer, run.graph(), scratch);
  RecordGraphDispatch(context, command_buffer, run.graph(), scratch,
                      {{.node = "Root", .count = 1, .payloads = Bytes({key})}});
  EXPECT_EQ(vkEndCommandBuffer(command_buffer), VK_SUCCESS);
}

std::vector<uint32_t> KeyedWords(uint32_t key, uint32_t times) {
  return std::vector<uint32_t>(kKeyedWords, key * times);
}

void WaitForQueues(const Context& context) {
  std::vector<VkFence> fences;
  for (const ComputeQueue& queue : context.queues) {
    const auto info = MakeStruct<VkFenceCreateInfo>();
    EXPECT_EQ(vkCreateFence(context.device, &info, nullptr, &fences.emplace_back()), VK_SUCCESS);
    EXPECT_EQ(vkQueueSubmit(queue.handle, 0, nullptr, fences.back()), VK_SUCCESS);
  }
  const VkResult waited = vkWaitForFences(context.device, static_cast<uint32_t>(fences.size()), fences.data(), VK_TRUE,
                                          kTimeoutNanoseconds);
  if (waited == VK_TIMEOUT) {
    std::fprintf(stderr, "the device did not finish in time\n");
    std::abort();
  }
  EXPECT_EQ(waited, VK_SUCCESS);
  for (VkFence fence : fences) vkDestroyFence(context.device, fence, nullptr);
}

}  // namespace trellis::test
