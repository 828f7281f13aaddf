// SPDX-License-Identifier: Apache-2.0
// Pipeline libraries: nodes that are compiled once and linked into as many graphs as there may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "layer/objects/registry.h"
#include "layer/pipeline/execution_graph.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Libraries : public GraphCreation {
 protected:
  Libraries() : module_(MakeModule(Assemble(ChainModule(Shape::kDxc)))), layout_(MakeLayout(16)) {}

  VkPipeline NodeLibrary(const char* entry_point, const void* chain = nullptr) {
    return MakeLibrary(Stage(module_, entry_point, chain), layout_);
  }

  VkExecutionGraphPipelineCreateInfoAMDX LinkInfo(const std::vector<VkPipeline>& libraries,
                                                  const std::vector<VkPipelineShaderStageCreateInfo>& stages = {},
                                                  VkPipelineCreateFlags flags = 0) {
    link_libraries_ = libraries;
    link_stages_ = stages;
    link_ = LibraryList(link_libraries_);
    VkExecutionGraphPipelineCreateInfoAMDX info = GraphInfo(link_stages_, layout_);
    info.flags = flags;
    info.pLibraryInfo = &link_;
    return info;
  }
  VkPipeline Link(const std::vector<VkPipeline>& libraries,
                  const std::vector<VkPipelineShaderStageCreateInfo>& stages = {}, VkPipelineCreateFlags flags = 0) {
    return Make(LinkInfo(libraries, stages, flags));
  }

  std::shared_ptr<ExecutionGraphPipeline> Object(VkPipeline graph) {
    return FindDevice(device_.handle())->execution_graphs.Find(graph);
  }
  VkPipeline DriverPipelineOf(VkPipeline graph, const char* node) {
    return Object(graph)->nodes[NodeIndex(graph, node, 0)].pipeline->handle();
  }

  const VkShaderModule module_;
  const VkPipelineLayout layout_;

 private:
  std::vector<VkPipeline> link_libraries_;
  std::vector<VkPipelineShaderStageCreateInfo> link_stages_;
  VkPipelineLibraryCreateInfoKHR link_ = {};
};

TEST_F(Libraries, LinkingCompilesNothing) {
  const auto libraries = {NodeLibrary("Source"), NodeLibrary("Grid"), NodeLibrary("Sum")};
  EXPECT_THAT(requests_, SizeIs(3));
  const VkPipeline graph = Link(libraries);
  EXPECT_THAT(requests_, SizeIs(3));
  EXPECT_EQ(Object(graph)->graph.depth, 3u) << "the nodes know each other";
  std::set<uint32_t> indices;
  for (const char* node : {"Source", "Grid", "Sum"}) indices.insert(NodeIndex(graph, node, 0));
  EXPECT_THAT(indices, testing::ElementsAre(0, 1, 2));
  auto size = MakeStruct<VkExecutionGraphPipelineScratchSizeAMDX>();
  EXPECT_EQ(TRELLIS_CALL(device_, GetExecutionGraphPipelineScratchSizeAMDX)(device_.handle(), graph, &size),
            VK_SUCCESS);
  EXPECT_GT(size.minSize, 0u);
}

TEST_F(Libraries, AGraphRebuiltWithOneNodeExchangedCompilesThatNodeOnly) {
  const VkPipeline source = NodeLibrary("Source");
  const VkPipeline sum = NodeLibrary("Sum");
  const VkPipeline before = Link({source, NodeLibrary("Grid"), sum});
  const size_t compiled = requests_.size();

  // What an application does when a shader was edited: new code under the old name.
  const VkPipelineShaderStageNodeCreateInfoAMDX old_name = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, "Grid", 0};
  const VkShaderModule edited = MakeModule(Assemble(BroadcastGridModule(Shape::kDxc)));
  const VkPipeline after = Link({source, MakeLibrary(Stage(edited, "BroadcastNode", &old_name), layout_), sum});
  EXPECT_EQ(requests_.size(), compiled + 1);
  EXPECT_EQ(DriverPipelineOf(after, "Source"), DriverPipelineOf(before, "Source"));
  EXPECT_EQ(DriverPipelineOf(after, "Sum"), DriverPipelineOf(before, "Sum"));
  EXPECT_NE(DriverPipelineOf(after, "Grid"), DriverPipelineOf(before, "Grid"));
}

// No graph is known when a library's nodes are compiled.
TEST_F(Libraries, TheirNodesMayBeInBatches) {
  const auto graph = Object(Link({NodeLibrary("Grid")}, {Stage(module_, "Source"), Stage(module_, "Sum")}));
  ASSERT_EQ(graph->graph.nodes.size(), 3u);
  for (const Node& node : graph->graph.nodes) EXPECT_EQ(node.info.in_batches, node.name == "Grid") << node.name;
}

TEST_F(Libraries, GraphLibrariesNestAndMixWithStages) {
  const VkPipeline inner = Link({NodeLibrary("Grid")}, {Stage(module_, "Sum")}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  EXPECT_THAT(requests_, SizeIs(2));
  NodeIndex(inner, "Sum", 0);
  EXPECT_EQ(Object(inner)->graph.depth, 2u) << "a library may be a part of a graph only";
  const VkPipeline outer = Link({inner}, {}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  const VkPipeline graph = Link({outer}, {Stage(module_, "Source")});
  EXPECT_THAT(requests_, SizeIs(3)) << "the stage";
  EXPECT_EQ(Object(graph)->graph.depth, 3u);
  EXPECT_EQ(DriverPipelineOf(graph, "Grid"), DriverPipelineOf(inner, "Grid"));
}

TEST_F(Libraries, NamesAndIndicesAreSettledWhenTheLibraryIsMade) {
  const VkPipelineShaderStageNodeCreateInfoAMDX renamed = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, "Total", 7};
  const VkPipeline graph = Link({NodeLibrary("Sum", &renamed), NodeLibrary("Sum")});
  EXPECT_NE(NodeIndex(graph, "Total", 7), NodeIndex(graph, "Sum", 0));
}

TEST_F(Libraries, NodesOfOneNameAndIndexAreRefused) {
  const VkPipeline sum = NodeLibrary("Sum");
  EXPECT_EQ(Create({LinkInfo({sum, sum})}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(Create({LinkInfo({sum}, {Stage(module_, "Sum")})}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(Create({LinkInfo({sum, sum}, {}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR)}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_THAT(requests_, SizeIs(1)) << "refused before anything is compiled";
}

TEST_F(Libraries, GraphsOutliveTheirLibraries) {
  const VkPipeline sum = NodeLibrary("Sum");
  const VkPipeline part = Link({NodeLibrary("Grid"), sum}, {}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR);
  const VkPipeline graph = Link({part}, {Stage(module_, "Source")});
  const VkPipeline sum_of_driver = DriverPipelineOf(graph, "Sum");
  for (VkPipeline pipeline : std::vector<VkPipeline>(pipelines_))
    if (pipeline != graph) Destroy(pipeline);
  EXPECT_THAT(live_, SizeIs(3));
  EXPECT_EQ(DriverPipelineOf(graph, "Sum"), sum_of_driver);
  Destroy(graph);
  EXPECT_THAT(live_, IsEmpty());
}

TEST_F(Libraries, LibrariesOutliveGraphs) {
  const VkPipeline sum = NodeLibrary("Sum");
  Destroy(Link({sum}));
  EXPECT_THAT(live_, SizeIs(1));
  Link({sum});
  EXPECT_THAT(requests_, SizeIs(1));
}

// The application may throw its allocator away with the library.
TEST_F(Libraries, NodesOfLibrariesDoNotUseTheApplicationsAllocator) {
  VkAllocationCallbacks allocator = {};
  ASSERT_EQ(CreateCompute({LibraryInfo(Stage(module_, "Sum"), layout_)}, &allocator), VK_SUCCESS);
  ASSERT_EQ(Create({LinkInfo({}, {Stage(module_, "Grid")}, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR)}, &allocator),
            VK_SUCCESS);
  for (const ComputeRequest& request : requests_) EXPECT_EQ(request.allocator, nullptr);
  const VkPipeline sum = pipelines_[0];
  const VkPipeline grid = pipelines_[1];
  ASSERT_EQ(Create({LinkInfo({sum, grid}, {Stage(module_, "Source")})}, &allocator), VK_SUCCESS);
  EXPECT_EQ(requests_.back().allocator, &allocator);
  const VkPipeline graph = pipelines_.back();
  Destroy(sum, &allocator);
  Destroy(grid, &allocator);
  Destroy(graph, &allocator);  // the driver checks that each pipeline is destroyed with the allocator that made it
  EXPECT_THAT(live_, IsEmpty());
}

TEST_F(Libraries, LayoutsHaveToBeCompatible) {
  const VkPipeline sum = NodeLibrary("Sum");
  auto info = LinkInfo({sum});
  info.layout = MakeLayout(16);
  EXPECT_EQ(Create({info}), VK_SUCCESS) << "another object, the same layout";
  info.layout = MakeLayout(32);
  EXPECT_EQ(Create({info}), VK_ERROR_VALIDATION_FAILED_EXT);
}

TEST_F(Libraries, WhatIsNoLibraryIsRefused) {
  const VkPipeline graph = Link({NodeLibrary("Sum")});
  EXPECT_EQ(Create({LinkInfo({graph})}), VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_EQ(Create({LinkInfo({reinterpret_cast<VkPipeline>(uintptr_t{0x5000})})}), VK_ERROR_VALIDATION_FAILED_EXT);

  auto only_library = library_flags_;
  only_library.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  VkComputePipelineCreateInfo info = LibraryInfo(Stage(module_, "Sum"), layout_);
  info.pNext = &only_library;
  ASSERT_EQ(CreateCompute({info}), VK_SUCCESS) << "useless, but allowed";
  EXPECT_EQ(Create({LinkInfo({pipelines_.back()})}), VK_ERROR_VALIDATION_FAILED_EXT);
}

TEST_F(Libraries, QueriesOfAComputeLibraryAreRefused) {
  EXPECT_EQ(NodeIndex(NodeLibrary("Sum"), "Sum", 0, VK_ERROR_UNKNOWN), VK_SHADER_INDEX_UNUSED_AMDX);
}

TEST_F(Libraries, WhatBelongsToTheGraphDoesNotReachTheDriver) {
  const auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  auto flags = library_flags_;
  flags.pNext = &robustness;
  flags.flags |= VK_PIPELINE_CREATE_2_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_2_DERIVATIVE_BIT |
                 VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT;
  const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 4};
  VkComputePipelineCreateInfo info = LibraryInfo(Stage(module_, "Sum", &subgroup), layout_);
  info.pNext = &flags;
  info.basePipelineHandle = NodeLibrary("Grid");
  ASSERT_EQ(CreateCompute({info}), VK_SUCCESS);
  const ComputeRequest& request = requests_.back();
  EXPECT_EQ(request.flags, VkPipelineCreateFlags{VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT});
  EXPECT_THAT(request.chain, testing::ElementsAre(VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT));
  EXPECT_THAT(request.stage_chain,
              testing::ElementsAre(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO));
  EXPECT_EQ(request.base, VkPipeline{VK_NULL_HANDLE});
}

TEST_F(Libraries, PrivateDataIsKeptByTheLayerAndDiesWithTheLibrary) {
  const VkPipeline library = NodeLibrary("Sum");
  const auto slot = reinterpret_cast<VkPrivateDataSlot>(uintptr_t{5});
  TRELLIS_CALL(device_, SetPrivateData)
  (device_.handle(), VK_OBJECT_TYPE_PIPELINE, HandleToU64(library), slot, 77);
  uint64_t value = 0;
  TRELLIS_CALL(device_, GetPrivateData)
  (device_.handle(), VK_OBJECT_TYPE_PIPELINE, HandleToU64(library), slot, &value);
  EXPECT_EQ(value, 77u);
  EXPECT_EQ(driver_.CountOf("SetPrivateData"), 0u);
  Destroy(library);
  EXPECT_EQ(FindDevice(device_.handle())->private_data.Get(HandleToU64(library), slot), 0u);
}

TEST_F(Libraries, ModulesMayBeInline) {
  const std::vector<uint32_t> words = Assemble(ChainModule(Shape::kDxc));
  const VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                         words.data()};
  Link({MakeLibrary(Stage(VK_NULL_HANDLE, "Sum", &code), layout_)});
  EXPECT_THAT(requests_.back().stage_chain, IsEmpty());
}

TEST_F(Libraries, CreationFeedback) {
  VkPipelineCreationFeedback whole = {0x55, 1};
  VkPipelineCreationFeedback part = {0x55, 1};
  const VkPipelineCreationFeedbackCreateInfo feedback = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                         &library_flags_, &whole, 1, &part};
  VkComputePipelineCreateInfo info = LibraryInfo(Stage(module_, "Sum"), layout_);
  info.pNext = &feedback;
  ASSERT_EQ(CreateCompute({info}), VK_SUCCESS);
  EXPECT_EQ(whole.flags, VkPipelineCreationFeedbackFlags{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT});
  EXPECT_GT(part.duration, 1000u) << "the driver's time and ours";

  const VkPipeline library = pipelines_.back();
  const VkPipelineCreationFeedbackCreateInfo of_graph = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                         nullptr, &whole, 0, nullptr};
  auto link = LinkInfo({library});
  link.pNext = &of_graph;
  ASSERT_EQ(Create({link}), VK_SUCCESS);
  EXPECT_EQ(whole.flags, VkPipelineCreationFeedbackFlags{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT})
      << "nothing was compiled, so nothing came from a cache";
}

}  // namespace
}  // namespace trellis::test
