// SPDX-License-Identifier: Apache-2.0
#include "layer/device/buffer_usage.h"

#include <gtest/gtest.h>

#include "layer/dispatch/struct_chain.h"

namespace trellis::test {
namespace {

TEST(BufferUsage, scratch_bit_becomes_known_usages) {
  const VkBufferUsageFlags2 below =
      TranslateBufferUsage(VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  EXPECT_EQ(below,
            static_cast<VkBufferUsageFlags2>(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                             VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT));
  EXPECT_EQ(TranslateBufferUsage(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
}

TEST(BufferUsage, ordinary_buffers_are_not_copied) {
  VkBufferCreateInfo info = {};
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  Arena arena;
  EXPECT_EQ(EditBufferUsage(info, true, arena), &info);
}

TEST(BufferUsage, flags2_are_translated_where_the_driver_knows_them_and_flattened_where_not) {
  auto flags2 = MakeStruct<VkBufferUsageFlags2CreateInfo>();
  flags2.usage = VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
  VkBufferCreateInfo info = {};
  info.pNext = &flags2;
  info.usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;  // ignored where there are flags2
  Arena arena;

  const VkBufferCreateInfo* kept = EditBufferUsage(info, false, arena);
  const auto* kept_flags2 = FindStruct<VkBufferUsageFlags2CreateInfo>(kept->pNext);
  ASSERT_TRUE(kept_flags2);
  EXPECT_EQ(kept_flags2->usage, TranslateBufferUsage(flags2.usage));
  EXPECT_EQ(flags2.usage, VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX) << "the application's own stays";

  const VkBufferCreateInfo* flat = EditBufferUsage(info, true, arena);
  EXPECT_EQ(flat->pNext, nullptr);
  EXPECT_EQ(flat->usage, TranslateBufferUsage(flags2.usage));
}

}  // namespace
}  // namespace trellis::test
