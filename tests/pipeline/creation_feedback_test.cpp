// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/pipeline/creation_fixture.h"
#include "tests/support/basic_modules.h"

namespace trellis::test {
namespace {

constexpr VkPipelineCreationFeedbackFlags kValid = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
constexpr VkPipelineCreationFeedbackFlags kHit =
    VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;

class GraphFeedback : public GraphCreation {
 protected:
  VkResult CreateChain(uint32_t stage_feedbacks) {
    const VkShaderModule module = MakeModule(Assemble(ChainModule(Shape::kDxc)));
    const VkPipelineCreationFeedbackCreateInfo feedback = {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                           nullptr, &whole_, stage_feedbacks, parts_};
    const std::vector<VkPipelineShaderStageCreateInfo> stages = {Stage(module, "Source"), Stage(module, "Grid"),
                                                                 Stage(module, "Sum")};
    return Create({GraphInfo(stages, MakeLayout(), &feedback)});
  }

  VkPipelineCreationFeedback whole_ = {0x55, 1};
  VkPipelineCreationFeedback parts_[3] = {{0x55, 1}, {0x55, 1}, {0x55, 1}};
};

TEST_F(GraphFeedback, WholeAndPartsAreFilled) {
  ASSERT_EQ(CreateChain(3), VK_SUCCESS);
  EXPECT_EQ(whole_.flags, kValid);
  EXPECT_GT(whole_.duration, 0u);
  for (const VkPipelineCreationFeedback& part : parts_) {
    EXPECT_EQ(part.flags, kValid);
    EXPECT_GT(part.duration, 1000u) << "the driver's time and ours";
  }
}

TEST_F(GraphFeedback, TheGraphIsACacheHitIfEveryNodeAndKernelIs) {
  feedback_flags_ = kernel_feedback_flags_ = kHit;
  ASSERT_EQ(CreateChain(3), VK_SUCCESS);
  EXPECT_EQ(whole_.flags, kHit);
  EXPECT_EQ(parts_[1].flags, kHit);
}

TEST_F(GraphFeedback, KernelsThatAreCompiledMakeItAMissAndKernelsThatExistDoNot) {
  feedback_flags_ = kHit;
  ASSERT_EQ(CreateChain(3), VK_SUCCESS);
  EXPECT_EQ(whole_.flags, kValid);
  EXPECT_EQ(parts_[1].flags, kHit) << "a stage is its node";
  ASSERT_EQ(CreateChain(3), VK_SUCCESS);
  EXPECT_EQ(whole_.flags, kHit);
}

TEST_F(GraphFeedback, NobodyAsksForFeedbackOnKernelsWithoutTheStructure) {
  const VkShaderModule module = MakeModule(Assemble(ThreadModule(Shape::kDxc)));
  Make(GraphInfo({Stage(module, "ThreadNode")}, MakeLayout()));
  ASSERT_FALSE(kernel_requests_.empty());
  for (const ComputeRequest& request : kernel_requests_) EXPECT_TRUE(request.chain.empty());
}

TEST_F(GraphFeedback, FeedbackForTheStagesIsOptional) {
  ASSERT_EQ(CreateChain(0), VK_SUCCESS);
  EXPECT_EQ(whole_.flags, kValid);
  EXPECT_EQ(parts_[0].flags, 0x55u);
}

TEST_F(GraphFeedback, AFailedGraphLeavesNothingValid) {
  answers_[1] = VK_ERROR_OUT_OF_HOST_MEMORY;
  ASSERT_EQ(CreateChain(3), VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(whole_.flags, 0u);
}

}  // namespace
}  // namespace trellis::test
