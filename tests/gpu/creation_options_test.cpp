// SPDX-License-Identifier: Apache-2.0
// What create infos can ask of graphs besides their nodes: flags in both forms, derivatives, nothing that has to be
// compiled, subgroup sizes.
#include <gtest/gtest.h>

#include "tests/gpu/chain_nodes.h"
#include "tests/gpu/own_device.h"
#include "tests/support/basic_modules.h"
#include "tests/support/libraries.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

VkPipelineCreateFlags2CreateInfo Flags(VkPipelineCreateFlags2 flags, const void* chain = nullptr) {
  return {VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, chain, flags};
}

// On a device with the features of cache control and of subgroup sizes.
class CreationOptions : public OwnDeviceTest {
 protected:
  CreationOptions() { cache_control_.pNext = &subgroup_sizes_; }

  void SetUp() override {
    ASSERT_NE(SharedContext(), nullptr) << SharedContextError();
    auto features = MakeStruct<VkPhysicalDeviceFeatures2>(&cache_control_);
    vkGetPhysicalDeviceFeatures2(SharedContext()->physical_device, &features);
    OwnDeviceTest::SetUp();
  }
  // As the device offers them: Vulkan 1.3 demands all of them.
  [[nodiscard]] ContextOptions Options() const override { return {.feature_chain = &cache_control_}; }

  [[nodiscard]] VkResult Create(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                                std::vector<VkPipeline>& pipelines, VkPipelineCache cache = VK_NULL_HANDLE) {
    pipelines.assign(infos.size(), reinterpret_cast<VkPipeline>(uintptr_t{0xDEAD}));
    return context().graph.CreateExecutionGraphPipelines(context().device, cache, static_cast<uint32_t>(infos.size()),
                                                         infos.data(), nullptr, pipelines.data());
  }

  // Takes the graph of ChainModule over.
  void ExpectChain(VkPipeline graph) {
    GraphRun run(context());
    run.Pipeline(graph).Input({.node = "Source"});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult()));
  }

  const Layout& layout() {
    if (!layout_) layout_ = std::make_unique<Layout>(context(), LayoutOptions{});
    return *layout_;
  }
  void TearDown() override {
    layout_.reset();
    OwnDeviceTest::TearDown();
  }

 private:
  mutable VkPhysicalDevicePipelineCreationCacheControlFeatures cache_control_ =
      MakeStruct<VkPhysicalDevicePipelineCreationCacheControlFeatures>();
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_sizes_ =
      MakeStruct<VkPhysicalDeviceSubgroupSizeControlFeatures>();
  std::unique_ptr<Layout> layout_;
};

// VkPipelineCreateFlags2CreateInfo counts instead of `flags`, in both directions.
TEST_F(CreationOptions, FlagsByStructure) {
  const GraphStages stages(context(), ChainNodes());
  ASSERT_EQ(stages.error(), "");
  const auto none = Flags(VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT);
  auto graph = stages.CreateInfo(layout().handle());
  graph.pNext = &none;
  graph.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
  const auto is_library = Flags(VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR);
  auto library = stages.CreateInfo(layout().handle());
  library.pNext = &is_library;
  std::vector<VkPipeline> made;
  ASSERT_EQ(Create({graph, library}, made), VK_SUCCESS);
  ExpectChain(made[0]);
  VkPipeline linked = VK_NULL_HANDLE;
  EXPECT_EQ(LinkLibraries(context(), {made[1]}, GraphStages(context(), {}), layout(), VK_NULL_HANDLE, 0, linked),
            VK_SUCCESS);
  vkDestroyPipeline(context().device, made[1], nullptr);
  ExpectChain(linked);
}

TEST_F(CreationOptions, Derivatives) {
  const GraphStages stages(context(), ChainNodes());
  ASSERT_EQ(stages.error(), "");
  auto base = stages.CreateInfo(layout().handle());
  base.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  auto by_index = base;
  by_index.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  by_index.basePipelineIndex = 0;
  std::vector<VkPipeline> made, derived;
  ASSERT_EQ(Create({base, by_index}, made), VK_SUCCESS);
  const auto flags = Flags(VK_PIPELINE_CREATE_2_DERIVATIVE_BIT);
  auto by_handle = base;
  by_handle.pNext = &flags;
  by_handle.basePipelineHandle = made[0];
  by_handle.basePipelineIndex = -1;
  ASSERT_EQ(Create({by_handle}, derived), VK_SUCCESS);
  for (VkPipeline graph : {made[0], made[1], derived[0]}) ExpectChain(graph);
}

// Drivers may or may not have the nodes of a graph at hand; what they answer decides over the graph.
TEST_F(CreationOptions, NothingThatHasToBeCompiled) {
  if (context().properties.apiVersion < VK_API_VERSION_1_3) GTEST_SKIP() << "no Vulkan 1.3";
  const GraphStages stages(context(), ChainNodes());
  ASSERT_EQ(stages.error(), "");
  const auto plain = stages.CreateInfo(layout().handle());
  auto wary = plain;
  wary.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  std::vector<VkPipeline> made;
  const VkResult result = Create({wary, plain}, made);
  EXPECT_TRUE(result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED) << result;
  EXPECT_EQ(made[0] == VK_NULL_HANDLE, result == VK_PIPELINE_COMPILE_REQUIRED);
  ASSERT_NE(made[1], VkPipeline{VK_NULL_HANDLE}) << "without EARLY_RETURN the rest is made all the same";
  if (made[0] != VK_NULL_HANDLE) ExpectChain(made[0]);
  ExpectChain(made[1]);

  auto early = wary;
  early.flags |= VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  const VkResult early_result = Create({early, plain}, made);
  EXPECT_TRUE(early_result == VK_SUCCESS || early_result == VK_PIPELINE_COMPILE_REQUIRED) << early_result;
  for (VkPipeline pipeline : made) {
    EXPECT_EQ(pipeline == VK_NULL_HANDLE, early_result == VK_PIPELINE_COMPILE_REQUIRED);
    vkDestroyPipeline(context().device, pipeline, nullptr);
  }
}

// Linking compiles nothing, whatever the driver has at hand.
TEST_F(CreationOptions, LinkingNeedsNoCompilation) {
  const GraphStages stages(context(), ChainNodes());
  ASSERT_EQ(stages.error(), "");
  std::vector<VkPipeline> libraries;
  ASSERT_EQ(CreateNodeLibraries(context(), stages, layout(), VK_NULL_HANDLE, libraries), VK_SUCCESS);
  VkPipeline graph = VK_NULL_HANDLE;
  EXPECT_EQ(LinkLibraries(context(), libraries, GraphStages(context(), {}), layout(), VK_NULL_HANDLE,
                          VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, graph),
            VK_SUCCESS);
  for (VkPipeline library : libraries) vkDestroyPipeline(context().device, library, nullptr);
  ExpectChain(graph);
}

TEST_F(CreationOptions, EarlyReturnOnFailure) {
  const GraphStages good(context(), ChainNodes());
  const GraphNode twice = {.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode"};
  const GraphStages bad(context(), {twice, twice});
  ASSERT_EQ(good.error() + bad.error(), "");
  std::vector<VkExecutionGraphPipelineCreateInfoAMDX> infos;
  for (const GraphStages* stages : {&good, &bad, &good}) infos.push_back(stages->CreateInfo(layout().handle()));
  for (auto& info : infos) info.flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  context().messages.Expect("TRELLIS-graph-creation");
  std::vector<VkPipeline> made;
  EXPECT_LT(Create(infos, made), 0);
  EXPECT_EQ(made[1], VkPipeline{VK_NULL_HANDLE});
  EXPECT_EQ(made[2], VkPipeline{VK_NULL_HANDLE});
  ASSERT_NE(made[0], VkPipeline{VK_NULL_HANDLE});
  ExpectChain(made[0]);
}

constexpr uint32_t kInvocations = 128;

// "Subgroups", kInvocations of them: words[0] is the size of the last subgroup, words[1] the number of subgroups.
std::string SubgroupsModule() {
  NodeAsm m;
  m.Capability("GroupNonUniform");
  const Id words = m.StorageBuffer(0);
  const Id size = m.Global("Input", m.Uint());
  m.Decorate("OpDecorate " + size + " BuiltIn SubgroupSize");
  m.BeginNode({.name = "Subgroups",
               .launch = Launch::kStaticGrid,
               .local_size = {kInvocations, 1, 1},
               .grid = {1, 1, 1},
               .shader_index = 0});
  m.StoreWord(words, 0, m.Load(m.Uint(), size));
  constexpr uint32_t kSubgroupScope = 3;
  m.AddWord(words, 1, m.Select(m.Op("OpGroupNonUniformElect", m.Bool(), kSubgroupScope), 1, 0));
  m.EndNode();
  return m.Text();
}

// Every size that the device has, asked for by a stage of the graph and by a stage of a library, with full subgroups.
TEST_F(CreationOptions, RequiredSubgroupSizes) {
  if (context().properties.apiVersion < VK_API_VERSION_1_3) GTEST_SKIP() << "no Vulkan 1.3";
  auto limits = MakeStruct<VkPhysicalDeviceSubgroupSizeControlProperties>();
  auto properties = MakeStruct<VkPhysicalDeviceProperties2>(&limits);
  vkGetPhysicalDeviceProperties2(context().physical_device, &properties);
  if ((limits.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0)
    GTEST_SKIP() << "no required subgroup sizes of compute shaders";
  for (uint32_t size = limits.minSubgroupSize; size <= limits.maxSubgroupSize; size *= 2) {
    SCOPED_TRACE(size);
    auto required = MakeStruct<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>();
    required.requiredSubgroupSize = size;
    const GraphStages stages(context(), {{.text = SubgroupsModule(), .entry = "Subgroups", .chain = &required}});
    ASSERT_EQ(stages.error(), "");
    VkPipelineShaderStageCreateInfo stage = stages.stages()[0];
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;

    auto info = stages.CreateInfo(layout().handle());
    info.pStages = &stage;
    std::vector<VkPipeline> graphs;
    ASSERT_EQ(Create({info}, graphs), VK_SUCCESS);
    auto library_info = MakeStruct<VkComputePipelineCreateInfo>(&kNodeLibraryFlags);
    library_info.stage = stage;
    library_info.layout = layout().handle();
    VkPipeline library = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateComputePipelines(context().device, VK_NULL_HANDLE, 1, &library_info, nullptr, &library),
              VK_SUCCESS);
    graphs.push_back(VK_NULL_HANDLE);
    EXPECT_EQ(LinkLibraries(context(), {library}, GraphStages(context(), {}), layout(), VK_NULL_HANDLE, 0, graphs[1]),
              VK_SUCCESS);
    vkDestroyPipeline(context().device, library, nullptr);
    for (VkPipeline graph : graphs) {
      GraphRun run(context());
      run.Pipeline(graph).Input({.node = "Subgroups"});
      ASSERT_TRUE(run.Execute());
      EXPECT_TRUE(run.Matches({size, kInvocations / size}));
    }
  }
}

}  // namespace
}  // namespace trellis::test
