// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pipeline_layout.h"

#include <gtest/gtest.h>

namespace trellis::test {
namespace {

constexpr VkShaderStageFlags kComputeStage = VK_SHADER_STAGE_COMPUTE_BIT;

TEST(NodePushConstants, launch_address_comes_above_the_compute_ranges) {
  const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_VERTEX_BIT, 64, 32}, {kComputeStage, 0, 20}};
  const NodePushConstants plan = PlanNodePushConstants(2, ranges, VK_SHADER_STAGE_COMPUTE_BIT, 128);
  EXPECT_EQ(plan.push_constant_end, 20u);
  EXPECT_EQ(plan.launch_offset, 24u);
  EXPECT_EQ(plan.node_push_constant_size, 32u);
  EXPECT_EQ(plan.application_size, 24u);
  EXPECT_FALSE(plan.copy_offset);
}

TEST(NodePushConstants, no_ranges) {
  const NodePushConstants plan = PlanNodePushConstants(0, nullptr, VK_SHADER_STAGE_COMPUTE_BIT, 128);
  EXPECT_EQ(plan.launch_offset, 0u);
  EXPECT_EQ(plan.node_push_constant_size, 8u);
}

TEST(NodePushConstants, exactly_full_fits_and_one_more_is_copied) {
  const VkPushConstantRange fits = {kComputeStage, 0, 120};
  EXPECT_FALSE(PlanNodePushConstants(1, &fits, VK_SHADER_STAGE_COMPUTE_BIT, 128).copy_offset);
  const VkPushConstantRange full = {kComputeStage, 0, 124};
  const NodePushConstants plan = PlanNodePushConstants(1, &full, VK_SHADER_STAGE_COMPUTE_BIT, 128);
  EXPECT_EQ(plan.push_constant_end, 124u);
  EXPECT_EQ(plan.application_size, 128u);
  EXPECT_EQ(plan.launch_offset, 0u);
  EXPECT_EQ(plan.copy_offset, 8u);
  EXPECT_EQ(plan.node_push_constant_size, 16u);
}

TEST(NodePushConstants, kilobytes_fit_where_the_device_has_them) {
  const VkPushConstantRange range = {kComputeStage, 0, 4000};
  EXPECT_EQ(PlanNodePushConstants(1, &range, VK_SHADER_STAGE_COMPUTE_BIT, 4096).launch_offset, 4000u);
}

}  // namespace
}  // namespace trellis::test
