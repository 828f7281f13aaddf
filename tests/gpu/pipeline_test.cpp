// SPDX-License-Identifier: Apache-2.0
// vkCreateExecutionGraphPipelinesAMDX and the queries on pipelines.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "tests/gpu/chain_nodes.h"
#include "tests/platform/platform.h"
#include "tests/support/accepted_words.h"
#include "tests/support/basic_modules.h"
#include "tests/support/gpu_test.h"
#include "tests/support/pipelines.h"
#include "tests/support/run.h"

namespace trellis::test {
namespace {

using Pipelines = GpuTest;

TEST_F(Pipelines, ScratchSizes) {
  const Graph graph(context(), ChainNodes());
  ASSERT_EQ(graph.result(), VK_SUCCESS);
  const VkExecutionGraphPipelineScratchSizeAMDX size = graph.ScratchSize();
  EXPECT_GT(size.minSize, 0u);
  EXPECT_GE(size.maxSize, size.minSize);
  EXPECT_GT(size.sizeGranularity, 0u);
  // An ordinary amount of memory: payloads do not live in scratch.
  EXPECT_LE(size.minSize, 16u << 20);
}

class Cache {
 public:
  explicit Cache(const Context& context) : context_(context) {
    auto info = MakeStruct<VkPipelineCacheCreateInfo>();
    EXPECT_EQ(vkCreatePipelineCache(context_.device, &info, nullptr, &handle_), VK_SUCCESS);
    empty_ = Bytes();
  }
  ~Cache() { vkDestroyPipelineCache(context_.device, handle_, nullptr); }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  [[nodiscard]] VkPipelineCache handle() const { return handle_; }
  // The driver has put something into it.
  [[nodiscard]] bool HasGrown() const { return Bytes() > empty_; }

 private:
  [[nodiscard]] size_t Bytes() const {
    size_t bytes = 0;
    EXPECT_EQ(vkGetPipelineCacheData(context_.device, handle_, &bytes, nullptr), VK_SUCCESS);
    return bytes;
  }

  const Context& context_;
  VkPipelineCache handle_ = VK_NULL_HANDLE;
  size_t empty_ = 0;
};

constexpr const char* kEmptyShader = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%begin = OpLabel
OpReturn
OpFunctionEnd
)";

// Graphs made of one cache compute the same, and a driver that keeps ordinary pipelines in caches keeps nodes, too.
// That drivers which keep nothing are given the cache all the same is tested by GraphCreation, without a driver.
TEST_F(Pipelines, Cache) {
  const Cache cache(context());
  const Layout layout(context(), {});
  for (int i = 0; i < 2; ++i) {
    const GraphStages stages(context(), ChainNodes());
    ASSERT_TRUE(stages.error().empty()) << stages.error();
    const auto info = stages.CreateInfo(layout.handle());
    VkPipeline pipeline = VK_NULL_HANDLE;
    ASSERT_EQ(
        context().graph.CreateExecutionGraphPipelines(context().device, cache.handle(), 1, &info, nullptr, &pipeline),
        VK_SUCCESS);
    GraphRun run(context());
    run.Pipeline(pipeline).Input({.node = "Source", .count = 1});
    ASSERT_TRUE(run.Execute());
    EXPECT_TRUE(run.Matches(ChainResult(1)));
  }
  const Cache ordinary(context());
  Pipeline compute(context());
  compute.MakeCompute(kEmptyShader, layout.handle(), ordinary.handle());
  EXPECT_EQ(cache.HasGrown(), ordinary.HasGrown());
}

TEST_F(Pipelines, CreationFeedback) {
  const Layout layout(context(), {});
  const GraphStages stages(context(), ChainNodes());
  ASSERT_TRUE(stages.error().empty()) << stages.error();
  VkPipelineCreationFeedback whole = {};
  std::vector<VkPipelineCreationFeedback> parts(3);
  auto feedback = MakeStruct<VkPipelineCreationFeedbackCreateInfo>();
  feedback.pPipelineCreationFeedback = &whole;
  feedback.pipelineStageCreationFeedbackCount = 3;
  feedback.pPipelineStageCreationFeedbacks = parts.data();
  auto info = stages.CreateInfo(layout.handle());
  info.pNext = &feedback;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(
      context().graph.CreateExecutionGraphPipelines(context().device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
      VK_SUCCESS);
  EXPECT_NE(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0u);
  EXPECT_GT(whole.duration, 0u);
  for (const VkPipelineCreationFeedback& part : parts) {
    EXPECT_NE(part.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0u);
    EXPECT_GT(part.duration, 0u);
  }
  vkDestroyPipeline(context().device, pipeline, nullptr);
}

// Counts what the layer and the driver ask for on the application's behalf.
struct CountingAllocator {
  std::atomic<int> live{0};
  std::atomic<int> total{0};

  static void* Allocate(void* user, size_t size, size_t alignment, VkSystemAllocationScope) {
    auto* self = static_cast<CountingAllocator*>(user);
    ++self->live;
    ++self->total;
    return AllocateAligned(size, alignment);
  }
  static void* Reallocate(void*, void* old, size_t size, size_t alignment, VkSystemAllocationScope) {
    return ReallocateAligned(old, size, alignment);
  }
  static void Free(void* user, void* memory) {
    if (memory == nullptr) return;
    --static_cast<CountingAllocator*>(user)->live;
    FreeAligned(memory);
  }
  VkAllocationCallbacks Callbacks() { return {this, Allocate, Reallocate, Free, nullptr, nullptr}; }
};

TEST_F(Pipelines, AllocationCallbacks) {
  CountingAllocator allocator;
  const VkAllocationCallbacks callbacks = allocator.Callbacks();
  {
    const Layout layout(context(), {});
    const GraphStages stages(context(), ChainNodes());
    ASSERT_TRUE(stages.error().empty()) << stages.error();
    const auto info = stages.CreateInfo(layout.handle());
    VkPipeline pipeline = VK_NULL_HANDLE;
    ASSERT_EQ(context().graph.CreateExecutionGraphPipelines(context().device, VK_NULL_HANDLE, 1, &info, &callbacks,
                                                            &pipeline),
              VK_SUCCESS);
    vkDestroyPipeline(context().device, pipeline, &callbacks);
  }
  EXPECT_EQ(allocator.live, 0);
  EXPECT_GT(allocator.total, 0) << "nothing was allocated through the callbacks";
}

// Several pipelines in one call; the one that fails is VK_NULL_HANDLE, the others are not.
TEST_F(Pipelines, FailedElementIsNull) {
  const Layout layout(context(), {});
  const GraphStages good(context(), ChainNodes());
  // Two nodes of one name and index.
  const GraphStages bad(context(), {{.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode"},
                                    {.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode"}});
  ASSERT_TRUE(good.error().empty() && bad.error().empty());
  const std::vector<VkExecutionGraphPipelineCreateInfoAMDX> infos = {
      good.CreateInfo(layout.handle()), bad.CreateInfo(layout.handle()), good.CreateInfo(layout.handle())};
  context().messages.Expect("TRELLIS-");
  std::vector<VkPipeline> pipelines(3, reinterpret_cast<VkPipeline>(uintptr_t{0xDEAD}));
  EXPECT_LT(context().graph.CreateExecutionGraphPipelines(context().device, VK_NULL_HANDLE, 3, infos.data(), nullptr,
                                                          pipelines.data()),
            0);
  EXPECT_NE(pipelines[0], VK_NULL_HANDLE);
  EXPECT_EQ(pipelines[1], VK_NULL_HANDLE);
  EXPECT_NE(pipelines[2], VK_NULL_HANDLE);
  for (VkPipeline pipeline : pipelines) vkDestroyPipeline(context().device, pipeline, nullptr);
  EXPECT_FALSE(context().messages.Find("TRELLIS-").empty());
}

// Modules handed over inline (VkShaderModuleCreateInfo in the stage's chain), which VK_KHR_maintenance5 allows.
TEST_F(Pipelines, InlineModules) {
  std::string error;
  const std::vector<uint32_t> words = AcceptedWords(context(), AssembleModule(ThreadModule(Shape::kDxc), error));
  ASSERT_TRUE(error.empty()) << error;
  const Layout layout(context(), {});
  auto module_info = MakeStruct<VkShaderModuleCreateInfo>();
  module_info.codeSize = words.size() * 4;
  module_info.pCode = words.data();
  auto node = MakeStruct<VkPipelineShaderStageNodeCreateInfoAMDX>(&module_info);
  node.pName = "Inline";
  node.index = 4;
  auto stage = MakeStruct<VkPipelineShaderStageCreateInfo>(&node);
  stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  stage.pName = "ThreadNode";
  auto info = MakeStruct<VkExecutionGraphPipelineCreateInfoAMDX>();
  info.stageCount = 1;
  info.pStages = &stage;
  info.layout = layout.handle();
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(
      context().graph.CreateExecutionGraphPipelines(context().device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
      VK_SUCCESS);
  GraphRun run(context());
  run.Pipeline(pipeline).Input(
      {.node = "Inline", .index = 4, .count = 2, .payloads = Bytes({1, 7, 3, 9}), .stride = 8});
  ASSERT_TRUE(run.Execute());
  EXPECT_TRUE(run.Matches({0, 7, 0, 9}));
}

// Many pipelines live and die; handles are not mixed up.
TEST_F(Pipelines, ManyLives) {
  for (int i = 0; i < 10; ++i) {
    GraphRun run(context());
    run.Node({.text = ThreadModule(Shape::kDxc), .entry = "ThreadNode", .name = "n" + std::to_string(i)});
    run.Input(
        {.node = "n" + std::to_string(i), .count = 1, .payloads = Bytes({static_cast<uint32_t>(i), 1}), .stride = 8});
    ASSERT_TRUE(run.Execute());
    EXPECT_EQ(run.Words()[i], 1u);
  }
}

}  // namespace
}  // namespace trellis::test
