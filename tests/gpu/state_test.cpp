// What is bound for the graph works in the nodes; what is bound for compute survives the graph.
#include <gtest/gtest.h>

#include "tests/gpu/leaf_nodes.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using State = GpuTest;

// Root (broadcast) and leaf both read push constants; sets 0 and 1, two bindings each.
std::string BindingsModule(uint32_t push_words) {
  NodeAsm m;
  std::vector<Id> buffers;
  for (uint32_t set = 0; set < 2; ++set) {
    for (uint32_t binding = 0; binding < 2; ++binding) buffers.push_back(m.StorageBuffer(binding, set));
  }
  const Id push = m.PushConstants(push_words);
  const Id record = LeafRecord(m);
  const Payload to = m.Output("Leaf", record, {.max_payloads = 4});
  m.BeginNode(
      {.name = "Root", .launch = Launch::kStaticGrid, .local_size = {4, 1, 1}, .grid = {2, 1, 1}, .shader_index = 0});
  const Id lane = m.GlobalId(0);
  m.AddWord(buffers[0], lane, m.PushWord(push, 0));
  m.AddWord(buffers[1], lane, m.PushWord(push, 1));
  const Records records = m.Allocate(to, Scope::kInvocation, 1);
  SetLeaf(m, records, 0, lane, 1);
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Leaf", .launch = Launch::kCoalescing, .shader_index = 0, .input = m.Input(record)});
  const Id index = m.Get(m.NodeInput(), 0, 0);
  m.AddWord(buffers[2], index, m.PushWord(push, 2));
  m.AddWord(buffers[3], index, m.PushWord(push, push_words - 1));
  m.EndNode();
  return m.Text();
}

void ExpectBindings(const GraphRun& run, const std::vector<uint32_t>& push) {
  const std::vector<uint32_t> values = {push[0], push[1], push[2], push.back()};
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(run.Matches(std::vector<uint32_t>(8, values[i]), i));
}

TEST_F(State, DescriptorSetsAndPushConstants) {
  const std::vector<uint32_t> push = {10, 20, 30, 40};
  GraphRun run(context(),
               {.layout = {.sets = 2, .buffers_per_set = 2, .push_constant_bytes = 16}, .push_constants = push});
  run.Nodes(BindingsModule(4), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  ExpectBindings(run, push);
}

// As many push constants as leave the layer its eight bytes within the least that devices offer.
TEST_F(State, PushConstantsUpToTheLayersOwn) {
  std::vector<uint32_t> push(30);
  for (uint32_t i = 0; i < push.size(); ++i) push[i] = i * 3 + 1;
  GraphRun run(context(),
               {.layout = {.sets = 2, .buffers_per_set = 2, .push_constant_bytes = 120}, .push_constants = push});
  run.Nodes(BindingsModule(30), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  ExpectBindings(run, push);
}

// All push constants that the device has belong to the application: refused (docs/limitations.md), with a message that
// says why.
TEST_F(State, AllPushConstantsAreRefused) {
  const uint32_t words = context().properties.limits.maxPushConstantsSize / 4;
  context().messages.Expect("TRELLIS-graph-creation");
  const Graph graph(
      context(), {{.text = BindingsModule(words), .entry = "Root"}, {.text = BindingsModule(words), .entry = "Leaf"}},
      {.sets = 2, .buffers_per_set = 2, .push_constant_bytes = words * 4});
  ASSERT_EQ(graph.error(), "");
  EXPECT_LT(graph.result(), 0);
  EXPECT_EQ(graph.handle(), VK_NULL_HANDLE);
  const auto messages = context().messages.Find("TRELLIS-graph-creation");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find("push constants"), std::string::npos) << messages[0].text;
}

TEST_F(State, DynamicOffsets) {
  const std::vector<uint32_t> push = {10, 20, 30, 40};
  // The first 1024 words are what binding and offset 0 show; the offsets go 256, 0, 512, 256 bytes further.
  GraphRun run(context(), {.layout = {.sets = 2, .buffers_per_set = 2, .dynamic = true, .push_constant_bytes = 16},
                           .push_constants = push,
                           .dynamic_offsets = {256, 0, 512, 256}});
  run.Nodes(BindingsModule(4), {"Root", "Leaf"});
  run.Input({.node = "Root", .count = 1});
  ASSERT_TRUE(run.Execute());
  const std::vector<uint32_t> offsets = {64, 0, 128, 64};
  for (size_t i = 0; i < 4; ++i) {
    std::vector<uint32_t> expected(offsets[i] + 8);
    for (uint32_t k = 0; k < 8; ++k) expected[offsets[i] + k] = push[i];
    EXPECT_TRUE(run.Matches(expected, i));
  }
}

// A compute pipeline with a set and push constants is bound, the graph runs, the compute pipeline is dispatched: as if
// nothing had been in between.
TEST_F(State, ComputeStateSurvivesTheGraph) {
  NodeAsm compute(Shape::kDxc, false);
  const Id compute_words = compute.StorageBuffer(0);
  const Id compute_push = compute.PushConstants(32);
  compute.BeginNode({.name = "main", .local_size = {8, 1, 1}});
  compute.AddWord(compute_words, compute.GlobalId(0), compute.PushWord(compute_push, 31));
  compute.AddWord(compute_words, compute.Add(compute.GlobalId(0), 100), compute.PushWord(compute_push, 0));
  compute.EndNode();
  std::string error;
  const std::vector<uint32_t> words = AssembleModule(compute.Text(), error);
  ASSERT_TRUE(error.empty()) << error;

  Context& context = this->context();
  const LayoutOptions options = {.push_constant_bytes = 128};
  const Layout layout(context, options);
  auto module_info = Struct<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  module_info.codeSize = words.size() * 4;
  module_info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateShaderModule(context.device, &module_info, nullptr, &module), VK_SUCCESS);
  auto pipeline_info = Struct<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  pipeline_info.stage = Struct<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline_info.stage.module = module;
  pipeline_info.stage.pName = "main";
  pipeline_info.layout = layout.handle();
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateComputePipelines(context.device, VK_NULL_HANDLE, 1, &pipeline_info, nullptr, &pipeline),
            VK_SUCCESS);
  vkDestroyShaderModule(context.device, module, nullptr);

  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context, 1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  {
    const DescriptorSets sets(context, layout, options, buffers);
    std::vector<uint32_t> push(32);
    for (uint32_t i = 0; i < 32; ++i) push[i] = 1000 + i;
    GraphRun run(context, {.before =
                               [&](VkCommandBuffer command_buffer) {
                                 vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
                                 vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                         layout.handle(), 0, 1, sets.sets().data(), 0, nullptr);
                                 vkCmdPushConstants(command_buffer, layout.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                                    128, push.data());
                               },
                           .after = [&](VkCommandBuffer command_buffer) { vkCmdDispatch(command_buffer, 2, 1, 1); }});
    run.Nodes(ChainModule(Shape::kDxc), {"Source", "Grid", "Sum"});
    run.Input({.node = "Source", .count = 1});
    ASSERT_TRUE(run.Execute());
    EXPECT_EQ(run.Words()[415], 1u);
    for (uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(buffers[0].words()[i], 1031u);
      EXPECT_EQ(buffers[0].words()[100 + i], 1000u);
    }
    EXPECT_TRUE(buffers[0].GuardsIntact());
  }
  vkDestroyPipeline(context.device, pipeline, nullptr);
}

// Sets bound for the graph before, between and after dispatches count for the dispatches that follow.
TEST_F(State, RebindingBetweenDispatches) {
  GraphRun first(context());
  first.Nodes(ThreadModule(Shape::kDxc), {"ThreadNode"});
  first.Input({.node = "ThreadNode", .count = 2, .payloads = Bytes({0, 5, 1, 6}), .stride = 8});
  ASSERT_TRUE(first.Prepare());
  std::vector<GuardedBuffer> buffers;
  buffers.emplace_back(context(), 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Layout layout(context(), {});
  const DescriptorSets other(context(), layout, {}, buffers);
  Commands commands(context());
  const VkCommandBuffer command_buffer = commands.Begin();
  first.RecordGraph(command_buffer);
  vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, layout.handle(), 0, 1,
                          other.sets().data(), 0, nullptr);
  first.DispatchGraph(command_buffer);
  first.DispatchGraph(command_buffer);
  ASSERT_EQ(commands.End(), VK_SUCCESS);
  ASSERT_EQ(commands.Submit(), VK_SUCCESS);
  EXPECT_TRUE(first.Matches({5, 6}));
  EXPECT_EQ(buffers[0].words()[0], 10u);
  EXPECT_EQ(buffers[0].words()[1], 12u);
}

}  // namespace
}  // namespace trellis::test
