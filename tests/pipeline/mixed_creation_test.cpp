// SPDX-License-Identifier: Apache-2.0
// vkCreateComputePipelines with libraries of nodes, ordinary pipelines, and what must be refused in one array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "layer/objects/registry.h"
#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"
#include "tests/support/node_asm.h"

namespace trellis::test {
namespace {

using testing::SizeIs;

class MixedCreation : public GraphCreation {
 protected:
  MixedCreation() : nodes_(MakeModule(Assemble(ChainModule(Shape::kDxc)))), layout_(MakeLayout()) {
    NodeAsm m(Shape::kDxc, false);
    m.BeginNode({.name = "main"});
    m.EndNode();
    plain_ = MakeModule(Assemble(m.Text()));
  }
  ~MixedCreation() override { TRELLIS_CALL(device_, DestroyShaderModule)(device_.handle(), plain_, nullptr); }

  VkComputePipelineCreateInfo Plain(VkPipelineCreateFlags flags = 0) const {
    return {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr, flags, Stage(plain_, "main"), layout_, {}, -1};
  }
  VkComputePipelineCreateInfo Node() const { return LibraryInfo(Stage(nodes_, "Sum"), layout_); }
  VkComputePipelineCreateInfo NodeWithoutLibrary(VkPipelineCreateFlags flags = 0) const {
    return {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, nullptr, flags, Stage(nodes_, "Sum"), layout_, {}, -1};
  }
  bool IsOwn(size_t pipeline) { return FindDevice(device_.handle())->IsOwnPipeline(pipelines_[pipeline]); }

  const VkShaderModule nodes_;
  const VkPipelineLayout layout_;
  VkShaderModule plain_ = VK_NULL_HANDLE;
};

TEST_F(MixedCreation, OrdinaryPipelinesGoDownAsTheyAre) {
  const auto robustness = MakeStruct<VkPipelineRobustnessCreateInfoEXT>();
  VkAllocationCallbacks allocator = {};
  VkComputePipelineCreateInfo derived = Plain(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
  derived.pNext = &robustness;
  derived.basePipelineIndex = 0;
  ASSERT_EQ(CreateCompute({Plain(VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT), derived}, &allocator), VK_SUCCESS);
  EXPECT_EQ(requests_[1].base_index, 0);
  EXPECT_EQ(requests_[1].layout, layout_);
  EXPECT_THAT(requests_[1].chain, SizeIs(1));
  for (VkPipeline pipeline : std::vector<VkPipeline>(pipelines_)) Destroy(pipeline, &allocator);
}

TEST_F(MixedCreation, EachElementBecomesWhatItIs) {
  ASSERT_EQ(CreateCompute({Plain(), Node(), Plain()}), VK_SUCCESS);
  EXPECT_FALSE(IsOwn(0));
  EXPECT_TRUE(IsOwn(1));
  EXPECT_FALSE(IsOwn(2));
  EXPECT_THAT(live_, SizeIs(3));
}

TEST_F(MixedCreation, PositionsOfBasePipelinesBecomeHandles) {
  VkComputePipelineCreateInfo derived = Plain(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
  derived.basePipelineIndex = 1;
  ASSERT_EQ(CreateCompute({Node(), Plain(VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT), derived}), VK_SUCCESS);
  const ComputeRequest& request = requests_.back();
  EXPECT_EQ(request.base, pipelines_[1]);
  EXPECT_EQ(request.base_index, -1);
  EXPECT_EQ(request.flags, VkPipelineCreateFlags{VK_PIPELINE_CREATE_DERIVATIVE_BIT});
}

TEST_F(MixedCreation, NothingDerivesFromALibraryInTheDriver) {
  const VkPipelineCreateFlags2CreateInfo flags2 = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
                                                   VK_PIPELINE_CREATE_2_DERIVATIVE_BIT};
  VkComputePipelineCreateInfo by_index = Plain();
  by_index.pNext = &flags2;
  by_index.basePipelineIndex = 0;
  ASSERT_EQ(CreateCompute({Node(), by_index}), VK_SUCCESS);
  VkComputePipelineCreateInfo by_handle = Plain(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
  by_handle.basePipelineHandle = pipelines_[0];
  ASSERT_EQ(CreateCompute({by_handle}), VK_SUCCESS);
  for (size_t i : {1, 2}) {
    EXPECT_EQ(requests_[i].base, VkPipeline{VK_NULL_HANDLE});
    EXPECT_EQ(requests_[i].base_index, -1);
    EXPECT_EQ(requests_[i].flags, 0u);
    EXPECT_EQ(requests_[i].flags2, 0u);
  }
  EXPECT_EQ(flags2.flags, VK_PIPELINE_CREATE_2_DERIVATIVE_BIT) << "the application's";
}

// Not valid: the derivative, too, is made, and nothing outside the arrays is read.
TEST_F(MixedCreation, BasePipelinesThatAreNotThereYetAreNone) {
  for (const int32_t base : {1, 2, 3, std::numeric_limits<int32_t>::max()}) {
    requests_.clear();
    VkComputePipelineCreateInfo derived = Plain(VK_PIPELINE_CREATE_DERIVATIVE_BIT);
    derived.basePipelineIndex = base;
    ASSERT_EQ(CreateCompute({Node(), derived, Plain(VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT)}), VK_SUCCESS);
    const ComputeRequest& request = requests_[requests_.size() - 2];
    EXPECT_EQ(request.base, VkPipeline{VK_NULL_HANDLE}) << base;
    EXPECT_EQ(request.base_index, -1) << base;
    EXPECT_EQ(request.flags, 0u) << base;
  }
}

TEST_F(MixedCreation, AFailedElementDoesNotSpoilTheOthers) {
  VkComputePipelineCreateInfo no_layout = Node();
  no_layout.layout = VK_NULL_HANDLE;
  auto graph_only = library_flags_;
  graph_only.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
  VkComputePipelineCreateInfo no_library = Plain();
  no_library.pNext = &graph_only;
  EXPECT_EQ(CreateCompute({no_layout, Plain(), NodeWithoutLibrary(), Node(), no_library}),
            VK_ERROR_VALIDATION_FAILED_EXT);
  for (size_t i : {0, 2, 4}) EXPECT_EQ(pipelines_[i], VkPipeline{VK_NULL_HANDLE}) << i;
  for (size_t i : {1, 3}) EXPECT_NE(pipelines_[i], VkPipeline{VK_NULL_HANDLE}) << i;
  EXPECT_THAT(requests_, SizeIs(2));
}

TEST_F(MixedCreation, EarlyReturnLeavesTheRestOut) {
  EXPECT_EQ(
      CreateCompute({Plain(), NodeWithoutLibrary(VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT), Node(), Plain()}),
      VK_ERROR_VALIDATION_FAILED_EXT);
  EXPECT_NE(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  for (size_t i : {1, 2, 3}) EXPECT_EQ(pipelines_[i], VkPipeline{VK_NULL_HANDLE}) << i;
  EXPECT_THAT(live_, SizeIs(1)) << "what was compiled for nothing is gone";
}

TEST_F(MixedCreation, CompileRequiredIsPassedOnAndIsWeakerThanAnError) {
  answers_[0] = VK_PIPELINE_COMPILE_REQUIRED;
  EXPECT_EQ(CreateCompute({Node(), Plain()}), VK_PIPELINE_COMPILE_REQUIRED);
  EXPECT_EQ(pipelines_[0], VkPipeline{VK_NULL_HANDLE});
  EXPECT_NE(pipelines_[1], VkPipeline{VK_NULL_HANDLE});
  answers_[2] = VK_PIPELINE_COMPILE_REQUIRED;
  answers_[3] = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_EQ(CreateCompute({Node(), Plain()}), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

// One module, twelve libraries of it that differ in their index only: one shader for the driver.
TEST_F(MixedCreation, LibrariesThatNeedTheSameShareIt) {
  std::vector<VkPipelineShaderStageNodeCreateInfoAMDX> names;
  for (uint32_t i = 0; i < 12; ++i)
    names.push_back({VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, "Sum", i});
  std::vector<VkComputePipelineCreateInfo> infos;
  for (const auto& name : names) infos.push_back(LibraryInfo(Stage(nodes_, "Sum", &name), layout_));
  ASSERT_EQ(CreateCompute(infos), VK_SUCCESS);
  EXPECT_THAT(requests_, SizeIs(1));
  EXPECT_EQ(std::set<VkPipeline>(pipelines_.begin(), pipelines_.end()).size(), 12u);
  while (pipelines_.size() > 1) Destroy(pipelines_.front());
  EXPECT_THAT(live_, SizeIs(1));
}

}  // namespace
}  // namespace trellis::test
