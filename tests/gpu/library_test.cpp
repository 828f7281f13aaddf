// SPDX-License-Identifier: Apache-2.0
// Graphs linked of pipeline libraries: compute pipelines with one node, execution graphs with several, nested.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/libraries.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

GraphNode ChainNode(const char* entry) { return {.text = ChainModule(Shape::kDxc), .entry = entry}; }

// Counts its workgroups with payload {slot} in words[slot]: once, or `weight` times.
GraphNode Counter(const std::string& name, uint32_t weight) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = name, .launch = Launch::kStaticGrid, .grid = {1, 1, 1}, .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), weight);
  m.EndNode();
  return {.text = m.Text(), .entry = name};
}

// Of an array: the payload {slot, workgroups} has up to four.
GraphNode SmallGrid(uint32_t index) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}, {m.Uint(), 4, true}});
  m.BeginNode({.name = "Counter", .grid = {4, 1, 1}, .input = {.array = {}, .record = record}});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), 1);
  m.EndNode();
  return {.text = m.Text(), .entry = "Counter", .index = index};
}

// Sends payload {slot} for slots 0 to count - 1 to "Counter" of index `slot % indices`; {slot, slot % grids} if that is
// not 0.
GraphNode Sender(uint32_t count, uint32_t indices, uint32_t grids = 0) {
  NodeAsm m;
  const Id record = grids == 0 ? m.Struct({{m.Uint(), 0}}) : m.Struct({{m.Uint(), 0}, {m.Uint(), 4, true}});
  const Payload to = m.Output("Counter", record, {.max_payloads = count});
  m.BeginNode({.name = "Sender", .launch = Launch::kStaticGrid, .grid = {1, 1, 1}});
  m.For(count, [&](const Id& slot) {
    const Records records = m.Allocate(to, Scope::kInvocation, 1, m.Mod(slot, indices));
    m.Set(records, 0, 0u, slot);
    if (grids != 0) m.Set(records, 0, 1u, m.Mod(slot, grids));
    m.Enqueue(records);
  });
  m.EndNode();
  return {.text = m.Text(), .entry = "Sender"};
}

class Libraries : public GpuTest {
 protected:
  void TearDown() override {
    DestroyLibraries();
    GpuTest::TearDown();
  }

  void DestroyLibraries() {
    for (VkPipeline library : libraries_) vkDestroyPipeline(context().device, library, nullptr);
    libraries_.clear();
  }

  // One vkCreateComputePipelines for all nodes.
  std::vector<VkPipeline> ComputeLibraries(const std::vector<GraphNode>& nodes) {
    const Layout layout(context(), {});
    const GraphStages stages(context(), nodes);
    EXPECT_TRUE(stages.error().empty()) << stages.error();
    std::vector<VkPipeline> made;
    EXPECT_EQ(CreateNodeLibraries(context(), stages, layout, VK_NULL_HANDLE, made), VK_SUCCESS);
    libraries_.insert(libraries_.end(), made.begin(), made.end());
    return made;
  }

  static VkComputePipelineCreateInfo LibraryInfo(const VkPipelineShaderStageCreateInfo& stage, const Layout& layout) {
    auto info = MakeStruct<VkComputePipelineCreateInfo>(&kNodeLibraryFlags);
    info.stage = stage;
    info.layout = layout.handle();
    return info;
  }

  VkResult TryLink(const std::vector<VkPipeline>& libraries, const std::vector<GraphNode>& nodes,
                   VkPipelineCreateFlags flags, VkPipeline& pipeline) {
    const Layout layout(context(), {});
    const GraphStages stages(context(), nodes);
    EXPECT_TRUE(stages.error().empty()) << stages.error();
    return LinkLibraries(context(), libraries, stages, layout, VK_NULL_HANDLE, flags, pipeline);
  }
  // The caller's.
  VkPipeline Link(const std::vector<VkPipeline>& libraries, const std::vector<GraphNode>& nodes = {}) {
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(TryLink(libraries, nodes, 0, pipeline), VK_SUCCESS);
    return pipeline;
  }
  VkPipeline GraphLibrary(const std::vector<VkPipeline>& libraries, const std::vector<GraphNode>& nodes = {}) {
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(TryLink(libraries, nodes, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, pipeline), VK_SUCCESS);
    libraries_.push_back(pipeline);
    return pipeline;
  }

  // Runs ChainModule's graph, which must count as documented there.
  void ExpectChain(VkPipeline graph) {
    GraphRun run(context());
    run.Pipeline(graph).Input({.node = "Source"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult()));
  }

  std::vector<VkPipeline> libraries_;
};

TEST_F(Libraries, ComputeLibraries) {
  const VkPipeline graph = Link(ComputeLibraries({ChainNode("Sum"), ChainNode("Source"), ChainNode("Grid")}));
  DestroyLibraries();
  ExpectChain(graph);
}

TEST_F(Libraries, NestedGraphLibrariesAndStages) {
  const VkPipeline inner = GraphLibrary(ComputeLibraries({ChainNode("Grid")}));
  const VkPipeline outer = GraphLibrary({inner}, {ChainNode("Sum")});
  ExpectChain(Link({outer}, {ChainNode("Source")}));
}

// So many alike that they would be one dispatch if they coalesced.
TEST_F(Libraries, ManyNodesWithSmallGrids) {
  constexpr uint32_t kNodes = 40, kRecords = 100, kGrids = 5;
  std::vector<GraphNode> nodes;
  for (uint32_t index = 0; index < kNodes; ++index) nodes.push_back(SmallGrid(index));
  GraphRun run(context(), {.words = kRecords + 8});
  run.Pipeline(Link({GraphLibrary({}, nodes)}, {Sender(kRecords, kNodes, kGrids)})).Input({.node = "Sender"});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t slot = 0; slot < kRecords; ++slot) expected.push_back(slot % kGrids);
  EXPECT_TRUE(run.Matches(expected));
}

// A library may send to nodes that it does not have, and says so much about itself as a graph does.
TEST_F(Libraries, UnresolvedTargets) {
  const VkPipeline source = GraphLibrary({}, {ChainNode("Source")});
  auto name = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>();
  name.pName = "Source";
  uint32_t index = ~0u;
  EXPECT_EQ(context().graph.GetExecutionGraphPipelineNodeIndex(context().device, source, &name, &index), VK_SUCCESS);
  EXPECT_EQ(index, 0u);
  ExpectChain(Link({source, GraphLibrary({}, {ChainNode("Grid"), ChainNode("Sum")})}));
}

// Who shares an input is settled when libraries are linked: the node, the one that shares its input and the producer
// come from three of them.
TEST_F(Libraries, SharersAcrossLibraries) {
  constexpr uint32_t kShared = 100;
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "Sharer",
               .launch = Launch::kStaticGrid,
               .grid = {2, 1, 1},
               .shares_input = SharedInput{m.String("Counter")},
               .input = m.Input(record)});
  m.AddWord(words, m.Add(m.Get(m.NodeInput(), 0, 0), kShared), 1);
  m.EndNode();
  const VkPipeline sharer = GraphLibrary(ComputeLibraries({{.text = m.Text(), .entry = "Sharer"}}));
  const VkPipeline sender = GraphLibrary({}, {Sender(10, 1)});
  const VkPipeline graph = Link({sharer, ComputeLibraries({Counter("Counter", 1)})[0], sender});
  DestroyLibraries();
  GraphRun run(context());
  run.Pipeline(graph).Input({.node = "Sender"});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected(kShared + 10);
  for (uint32_t slot = 0; slot < 10; ++slot) {
    expected[slot] = 1;
    expected[kShared + slot] = 2;
  }
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(Libraries, OneNodeExchanged) {
  const std::vector<VkPipeline> kept = ComputeLibraries({Sender(10, 1)});
  const VkPipeline before = Link({kept[0], ComputeLibraries({Counter("Counter", 1)})[0]});
  GraphNode other = Counter("Improved", 7);
  other.name = "Counter";
  const VkPipeline after = Link({kept[0], ComputeLibraries({other})[0]});
  DestroyLibraries();
  for (const auto& [graph, weight] : {std::pair(before, 1u), std::pair(after, 7u)}) {
    GraphRun run(context());
    run.Pipeline(graph).Input({.node = "Sender"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(std::vector<uint32_t>(10, weight)));
  }
}

// Three nodes from one module: they differ in what the application says at library creation, not in their code, and
// read their shader index all the same.
TEST_F(Libraries, IndicesFromTheApplication) {
  NodeAsm m;
  const Id words = m.StorageBuffer(0);
  const Id record = m.Struct({{m.Uint(), 0}});
  m.BeginNode({.name = "main",
               .launch = Launch::kStaticGrid,
               .grid = {1, 1, 1},
               .shader_index = m.SpecConstant(0, 0),
               .input = m.Input(record)});
  m.AddWord(words, m.Get(m.NodeInput(), 0, 0), m.Add(m.ShaderIndex(), 1u));
  m.EndNode();
  std::vector<GraphNode> nodes = {
      {.text = m.Text(), .entry = "main", .name = "Counter"},
      {.text = m.Text(), .entry = "main", .name = "Counter", .index = 1},
      {.text = m.Text(), .entry = "main", .name = "Counter", .specialization = {Spec(0, 2)}}};
  GraphRun run(context());
  run.Pipeline(Link(ComputeLibraries(nodes), {Sender(12, 3)})).Input({.node = "Sender"});
  ASSERT_TRUE(run.Execute());
  std::vector<uint32_t> expected;
  for (uint32_t slot = 0; slot < 12; ++slot) expected.push_back(slot % 3 + 1);
  EXPECT_TRUE(run.Matches(expected));
}

TEST_F(Libraries, NodesOfOneNameAndIndexAreRefused) {
  const std::vector<VkPipeline> counters = ComputeLibraries({Counter("Counter", 1), Counter("Counter", 2)});
  context().messages.Expect("TRELLIS-graph-creation");
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(TryLink(counters, {}, 0, pipeline), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(pipeline, VkPipeline{VK_NULL_HANDLE});
  const std::vector<Message> messages = context().messages.Find("TRELLIS-graph-creation");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].text.find("Counter[0] (VUID 09134)"), std::string::npos) << messages[0].text;
}

TEST_F(Libraries, LibrariesCannotBeBound) {
  const VkPipeline compute = ComputeLibraries({Counter("Counter", 1)})[0];
  const VkPipeline graph = GraphLibrary({compute});
  for (const auto& [point, pipeline] : {std::pair(VK_PIPELINE_BIND_POINT_COMPUTE, compute),
                                        std::pair(VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph)}) {
    context().messages.Clear();
    context().messages.Expect("TRELLIS-pipeline-library");
    Commands commands(context());
    vkCmdBindPipeline(commands.Begin(), point, pipeline);
    EXPECT_LT(commands.End(), 0);
    ASSERT_EQ(context().messages.Find("TRELLIS-pipeline-library").size(), 1u);
    EXPECT_NE(context().messages.Find("TRELLIS-pipeline-library")[0].text.find("03382"), std::string::npos);
  }
}

// Node shaders in pipelines that are no libraries must not reach the driver.
TEST_F(Libraries, MixedArrays) {
  const Layout layout(context(), {});
  NodeAsm plain(Shape::kDxc, false);
  const Id words = plain.StorageBuffer(0);
  plain.BeginNode({.name = "main"});
  plain.AddWord(words, plain.GroupId(0), 3);
  plain.EndNode();
  const GraphStages stages(context(),
                           {{.text = plain.Text(), .entry = "main"}, Counter("Counter", 5), Counter("Counter", 6)});
  ASSERT_TRUE(stages.error().empty()) << stages.error();
  std::vector<VkComputePipelineCreateInfo> infos;
  for (const auto& stage : stages.stages()) infos.push_back(LibraryInfo(stage, layout));
  infos[0].pNext = nullptr;
  infos[2].pNext = nullptr;
  std::vector<VkPipeline> made(3, reinterpret_cast<VkPipeline>(uintptr_t{0xDEAD}));
  context().messages.Expect("TRELLIS-graph-creation");
  EXPECT_EQ(vkCreateComputePipelines(context().device, VK_NULL_HANDLE, 3, infos.data(), nullptr, made.data()),
            VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(made[2], VkPipeline{VK_NULL_HANDLE});
  ASSERT_EQ(context().messages.Find("TRELLIS-graph-creation").size(), 1u);
  EXPECT_NE(context().messages.Find("TRELLIS-graph-creation")[0].text.find("09178"), std::string::npos);
  libraries_.push_back(made[0]);
  libraries_.push_back(made[1]);

  const GraphRun* running = nullptr;
  RunOptions options;
  options.before = [&](VkCommandBuffer command_buffer) {
    vkCmdBindPipeline(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, made[0]);
    vkCmdBindDescriptorSets(command_buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout.handle(), 0, 1,
                            running->descriptor_sets().sets().data(), 0, nullptr);
    vkCmdDispatch(command_buffer, 4, 1, 1);
  };
  GraphRun run(context(), options);
  run.Pipeline(Link({made[1]})).Input({.node = "Counter", .count = 1, .payloads = Bytes({2}), .stride = 4});
  running = &run;
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({3, 3, 8, 3}));
}

}  // namespace
}  // namespace trellis::test
