// SPDX-License-Identifier: Apache-2.0
// What the driver gets to see of an execution graph, and what the queries say about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/layer/fake_driver/messenger.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

VkPipelineShaderStageNodeCreateInfoAMDX NodeInfo(const char* name, uint32_t index, const void* chain = nullptr) {
  return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, chain, name, index};
}

TEST_F(GraphCreation, EveryNodeBecomesAComputePipelineOfTheNodeLayout) {
  const VkShaderModule module = MakeModule(Assemble(ChainModule(Shape::kDxc)));
  const VkPipelineLayout layout = MakeLayout(20);
  cache_ = reinterpret_cast<VkPipelineCache>(uintptr_t{0x7000});
  const std::vector<VkPipelineShaderStageCreateInfo> stages = {Stage(module, "Source"), Stage(module, "Grid"),
                                                               Stage(module, "Sum")};
  ASSERT_EQ(Create({GraphInfo(stages, layout)}), VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 3u);
  const auto node_layout = FindDevice(device_.handle())->pipeline_layouts.Find(layout)->node_layout;
  for (const ComputeRequest& request : requests_) {
    EXPECT_EQ(request.entry_point, "main");
    EXPECT_EQ(request.layout, node_layout);
    EXPECT_EQ(request.cache, cache_);
    EXPECT_THAT(request.chain, IsEmpty());
  }
}

// A node that allocates for its workgroup and has `words` words of shared memory.
std::string SharedMemoryModule(uint32_t words) {
  NodeAsm m;
  const Id record = m.Struct({{m.Uint(), 0}});
  const Id shared = m.SharedWords(words);
  const Payload to = m.Output("Sink", record, {.max_payloads = 1});
  m.BeginNode({.name = "Root", .launch = Launch::kStaticGrid, .local_size = {32, 1, 1}, .grid = {1, 1, 1}});
  m.Store(m.SharedPointer(shared, m.LocalIndex()), m.LocalIndex());
  const Records records = m.Allocate(to, Scope::kWorkgroup, 1);
  m.Set(records, 0, 0, m.LocalIndex());
  m.Enqueue(records);
  m.EndNode();
  m.BeginNode({.name = "Sink", .launch = Launch::kCoalescing, .input = m.Input(record)});
  m.EndNode();
  return m.Text();
}

// Of the 32768 bytes that the driver has, the layer reports 64 less.
TEST_F(GraphCreation, NodesThatMayHaveTooMuchSharedMemoryAreNamed) {
  std::vector<std::string> messages;
  const Messenger messenger(instance_, CollectIn(messages));
  const VkPipelineLayout layout = MakeLayout();
  const auto create = [&](uint32_t bytes) {
    const VkShaderModule module = MakeModule(Assemble(SharedMemoryModule(bytes / 4)));
    messages.clear();
    EXPECT_EQ(Create({GraphInfo({Stage(module, "Root"), Stage(module, "Sink")}, layout)}), VK_SUCCESS) << bytes;
  };
  create(32768 - 64);
  EXPECT_THAT(messages, IsEmpty());
  create(32768);
  EXPECT_THAT(messages, ElementsAre(testing::StartsWith("TRELLIS-shared-memory: node Root[0]: ")));
}

// Two nodes of one name, each of which may enqueue to both of them, or to those of the output's array.
std::string RowModule(const OutputOptions& output) {
  NodeAsm m;
  const Id record = m.Struct({{m.Uint(), 0}});
  const Payload to = m.Output("Row", record, output);
  for (uint32_t index = 0; index < 2; ++index) {
    m.BeginNode({.name = "Row" + std::to_string(index),
                 .launch = Launch::kCoalescing,
                 .shader_index = index,
                 .input = m.Input(record)});
    m.Enqueue(m.Allocate(to, Scope::kWorkgroup, 1, m.Get(m.NodeInput(), 0, 0)));
    m.EndNode();
  }
  return m.Text();
}

TEST_F(GraphCreation, NodesWhosePayloadsWillBeLostAreNamed) {
  std::vector<std::string> messages;
  const Messenger messenger(instance_, CollectIn(messages));
  const VkPipelineLayout layout = MakeLayout();
  const VkPipelineShaderStageNodeCreateInfoAMDX names[] = {NodeInfo("Row", 0), NodeInfo("Row", 1)};
  const auto create = [&](const OutputOptions& output) {
    const VkShaderModule module = MakeModule(Assemble(RowModule(output)));
    EXPECT_EQ(Create({GraphInfo({Stage(module, "Row0", &names[0]), Stage(module, "Row1", &names[1])}, layout)}),
              VK_SUCCESS);
  };
  create({.base_index = 1, .array_size = 1u});
  EXPECT_THAT(messages, IsEmpty());
  create({.sparse = true});
  EXPECT_THAT(messages, ElementsAre(testing::StartsWith("TRELLIS-severed-node: node Row[0]: "),
                                    testing::StartsWith("TRELLIS-severed-node: node Row[1]: ")));
}

TEST_F(GraphCreation, PushConstantsMayBeFull) {
  const VkPipelineLayout full = MakeLayout(128);
  ASSERT_EQ(Create({GraphInfo({Stage(MakeModule(Assemble(ThreadModule(Shape::kDxc))), "ThreadNode")}, full)}),
            VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].layout, FindDevice(device_.handle())->pipeline_layouts.Find(full)->node_layout);
}

TEST_F(GraphCreation, TheGraphsOwnStructuresAndFlagsStayInTheLayer) {
  const std::vector<uint32_t> words = Assemble(ThreadModule(Shape::kDxc));
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 4};
  VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, &subgroup, 0, words.size() * 4,
                                   words.data()};
  const auto node = NodeInfo("renamed", 7, &code);
  VkPipelineShaderStageCreateInfo stage = Stage(VK_NULL_HANDLE, "ThreadNode", &node);
  stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  const VkPipelineCompilerControlCreateInfoAMD control = {VK_STRUCTURE_TYPE_PIPELINE_COMPILER_CONTROL_CREATE_INFO_AMD,
                                                          nullptr, 0};
  auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  robustness.pNext = &control;
  const VkPipelineCreateFlags2CreateInfo flags = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, &robustness,
                                                  VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX |
                                                      VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT |
                                                      VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT};
  ASSERT_EQ(Create({GraphInfo({stage}, MakeLayout(), &flags)}), VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_THAT(requests_[0].stage_chain,
              ElementsAre(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO));
  EXPECT_EQ(requests_[0].stage_flags, VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
  EXPECT_THAT(requests_[0].chain, ElementsAre(VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
                                              VK_STRUCTURE_TYPE_PIPELINE_COMPILER_CONTROL_CREATE_INFO_AMD));
  EXPECT_EQ(requests_[0].flags, VkPipelineCreateFlags{VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT});
  NodeIndex(pipelines_[0], "renamed", 7);
}

TEST_F(GraphCreation, RobustnessOfAStageReachesTheDriver) {
  const auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  const auto node = NodeInfo("n", 1, &robustness);
  const VkShaderModule module = MakeModule(Assemble(ThreadModule(Shape::kDxc)));
  ASSERT_EQ(
      Create({GraphInfo({Stage(module, "ThreadNode", &robustness), Stage(module, "ThreadNode", &node)}, MakeLayout())}),
      VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 2u);
  for (const ComputeRequest& request : requests_)
    EXPECT_THAT(request.stage_chain, ElementsAre(VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT));
}

TEST_F(GraphCreation, GraphsMayDeriveFromGraphsButTheirNodesDoNot) {
  const std::vector<VkPipelineShaderStageCreateInfo> stages = {
      Stage(MakeModule(Assemble(ThreadModule(Shape::kDxc))), "ThreadNode")};
  auto parent = GraphInfo(stages, MakeLayout());
  parent.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  auto by_index = parent;
  by_index.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  by_index.basePipelineIndex = 0;
  ASSERT_EQ(Create({parent, by_index}), VK_SUCCESS);
  auto by_handle = by_index;
  by_handle.basePipelineHandle = pipelines_[0];
  by_handle.basePipelineIndex = -1;
  ASSERT_EQ(Create({by_handle}), VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 3u);
  for (const ComputeRequest& request : requests_) {
    EXPECT_EQ(request.flags, 0u);
    EXPECT_EQ(request.base, VkPipeline{VK_NULL_HANDLE});
    EXPECT_EQ(request.base_index, -1);
  }
}

TEST_F(GraphCreation, CreateInfosAreNotChanged) {
  const auto node = NodeInfo("n", 1);
  const std::vector<VkPipelineShaderStageCreateInfo> stages = {
      Stage(MakeModule(Assemble(ThreadModule(Shape::kDxc))), "ThreadNode", &node)};
  const auto flags = MakeStruct<VkPipelineCreateFlags2CreateInfo>();
  const auto info = GraphInfo(stages, MakeLayout(), &flags);
  ASSERT_EQ(Create({info}), VK_SUCCESS);
  EXPECT_EQ(stages[0].pNext, &node);
  EXPECT_STREQ(stages[0].pName, "ThreadNode");
  EXPECT_EQ(info.pNext, &flags);
  EXPECT_EQ(flags.pNext, nullptr);
}

TEST_F(GraphCreation, NamesAndIndicesComeFromTheApplicationElseFromTheShader) {
  const VkShaderModule module = MakeModule(Assemble(ThreadModule(Shape::kDxc)));
  const auto index_only = NodeInfo(nullptr, 5);
  const auto name_only = NodeInfo("other", VK_SHADER_INDEX_UNUSED_AMDX);
  ASSERT_EQ(Create({GraphInfo({Stage(module, "ThreadNode"), Stage(module, "ThreadNode", &index_only),
                               Stage(module, "ThreadNode", &name_only)},
                              MakeLayout())}),
            VK_SUCCESS);
  const std::set<uint32_t> indices = {NodeIndex(pipelines_[0], "ThreadNode", 0),
                                      NodeIndex(pipelines_[0], "ThreadNode", 5), NodeIndex(pipelines_[0], "other", 0)};
  EXPECT_THAT(indices, ElementsAre(0, 1, 2));
  EXPECT_EQ(NodeIndex(pipelines_[0], "other", 1, VK_ERROR_UNKNOWN), VK_SHADER_INDEX_UNUSED_AMDX);
  EXPECT_EQ(NodeIndex(pipelines_[0], nullptr, 0, VK_ERROR_UNKNOWN), VK_SHADER_INDEX_UNUSED_AMDX);
}

TEST_F(GraphCreation, ScratchSizesAreUsable) {
  ASSERT_EQ(Create({GraphInfo({Stage(MakeModule(Assemble(ThreadModule(Shape::kDxc))), "ThreadNode")}, MakeLayout()),
                    GraphInfo({}, MakeLayout())}),
            VK_SUCCESS);
  for (VkPipeline pipeline : pipelines_) {
    auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
    EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), pipeline, &size),
              VK_SUCCESS);
    EXPECT_GT(size.minSize, 0u);
    EXPECT_GE(size.maxSize, size.minSize);
    EXPECT_GT(size.sizeGranularity, 0u);
    EXPECT_EQ((size.maxSize - size.minSize) % size.sizeGranularity, 0u);
  }
}

TEST_F(GraphCreation, TheApplicationsAllocatorMakesAndDestroysTheNodes) {
  VkAllocationCallbacks allocator = {};  // the fake driver does not call it
  const VkShaderModule module = MakeModule(Assemble(ChainModule(Shape::kDxc)));
  ASSERT_EQ(Create({GraphInfo({Stage(module, "Source"), Stage(module, "Grid"), Stage(module, "Sum")}, MakeLayout())},
                   &allocator),
            VK_SUCCESS);
  ASSERT_EQ(requests_.size(), 3u);
  for (const ComputeRequest& request : requests_) EXPECT_EQ(request.allocator, &allocator);
  Destroy(pipelines_[0], &allocator);
  EXPECT_THAT(live_, IsEmpty());
}

TEST_F(GraphCreation, LayoutsAndModulesMayDieAtOnce) {
  const VkShaderModule module = MakeModule(Assemble(ThreadModule(Shape::kDxc)));
  const VkPipelineLayout layout = MakeLayout(8);
  ASSERT_EQ(Create({GraphInfo({Stage(module, "ThreadNode")}, layout)}), VK_SUCCESS);
  const VkPipelineLayout node_layout = requests_[0].layout;
  TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), module, nullptr);
  TRELLIS_CALL(device_, DestroyPipelineLayout)(device_.handle(), layout, nullptr);
  EXPECT_EQ(FindDevice(device_.handle())->execution_graphs.Find(pipelines_[0])->layout->node_layout, node_layout);
}

TEST_F(GraphCreation, PrivateDataIsKeptByTheLayerAndDiesWithTheGraph) {
  const VkPipeline graph =
      Make(GraphInfo({Stage(MakeModule(Assemble(ThreadModule(Shape::kDxc))), "ThreadNode")}, MakeLayout(8)));
  const auto slot = HandleFromU64<VkPrivateDataSlot>(5);
  const auto get = [&] {
    uint64_t value = 1;
    TRELLIS_CALL(device_, GetPrivateData)
    (device_.handle(), VK_OBJECT_TYPE_PIPELINE, HandleToU64(graph), slot, &value);
    return value;
  };
  EXPECT_EQ(get(), 0u) << "as long as nothing was set";
  TRELLIS_CALL(device_, SetPrivateData)(device_.handle(), VK_OBJECT_TYPE_PIPELINE, HandleToU64(graph), slot, 77);
  EXPECT_EQ(get(), 77u);
  EXPECT_EQ(driver_.CountOf("SetPrivateData"), 0u) << "the driver does not know the handle";
  Destroy(graph);
  EXPECT_EQ(FindDevice(device_.handle())->private_data.Get(HandleToU64(graph), slot), 0u);
}

TEST_F(GraphCreation, SchedulesAreKeptByRoots) {
  const VkShaderModule module = MakeModule(Assemble(ChainModule(Shape::kDxc)));
  ASSERT_EQ(Create({GraphInfo({Stage(module, "Source"), Stage(module, "Grid"), Stage(module, "Sum")}, MakeLayout())}),
            VK_SUCCESS);
  const auto graph = FindDevice(device_.handle())->execution_graphs.Find(pipelines_[0]);
  const std::vector<uint32_t> first = {0};
  const std::vector<uint32_t> both = {0, 1};
  const auto schedule = graph->ScheduleFor(first);
  EXPECT_EQ(schedule->level_count(), 3u);
  EXPECT_NE(graph->ScheduleFor(both), schedule);
  EXPECT_EQ(graph->ScheduleFor(first), schedule);
}

}  // namespace
}  // namespace trellis::test
