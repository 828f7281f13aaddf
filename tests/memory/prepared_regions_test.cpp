// SPDX-License-Identifier: Apache-2.0
// Memory that executions prepare regions in: how it is made, kept and written.
#include "layer/memory/prepared_regions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "meta_shaders/shared/graph_data.h"
#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

class PreparedRegionsTest : public ::testing::Test {
 protected:
  RecordingDevice device_;
  std::shared_ptr<PreparedRegionPool> pool_ = PreparedRegionPool::Of(device_.device());
};

TEST_F(PreparedRegionsTest, SetsLieBehindTheHeader) {
  Expected<DeviceBuffer> buffer = pool_->Take(sizeof(shared::AlternatingRegions) + 2 * 1024);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->data(), nullptr) << "mapped while it is written only";
  const VkDeviceAddress address = buffer->address();
  const VkDeviceSize offset = buffer->offset();
  const PreparedRegions regions(pool_, *std::move(buffer), 1024);
  EXPECT_EQ(regions.alternating(), address + 1);
  for (uint32_t set = 0; set < 2; ++set) {
    EXPECT_EQ(regions.set_address(set), address + 128 + set * 1024);
    EXPECT_EQ(regions.set_offset(set), offset + 128 + set * 1024);
  }
  std::vector<std::byte> contents(300, std::byte{7});
  ASSERT_TRUE(regions.Write(contents));
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(address), contents.data(), contents.size()), 0);
}

TEST_F(PreparedRegionsTest, TheNextPlanGetsWhatTheLastOneHad) {
  VkDeviceAddress first = 0;
  {
    Expected<DeviceBuffer> buffer = pool_->Take(5000);
    ASSERT_TRUE(buffer);
    first = buffer->address();
    const PreparedRegions regions(pool_, *std::move(buffer), 2048);
  }
  EXPECT_NE(pool_->Take(9000)->address(), first) << "another size";
  EXPECT_EQ(pool_->Take(8192)->address(), first);
}

// A plan whose size nobody asks for any more does not stay for good.
TEST_F(PreparedRegionsTest, TheOldestGoesFirst) {
  std::vector<DeviceBuffer> buffers;
  for (size_t i = 0; i < PreparedRegionPool::kMaxKept; ++i) buffers.push_back(*pool_->Take(10000));
  const int before = device_.LiveObjects();
  DeviceBuffer other = *pool_->Take(5000);
  const VkDeviceAddress address = other.address();
  for (DeviceBuffer& buffer : buffers) pool_->Give(std::move(buffer));
  pool_->Give(std::move(other));
  EXPECT_EQ(device_.LiveObjects(), before) << "one of them for the other one";
  EXPECT_EQ(pool_->Take(5000)->address(), address);
}

TEST_F(PreparedRegionsTest, NoMoreThanOthersCanSpare) {
  std::vector<DeviceBuffer> buffers;
  for (size_t i = 0; i < PreparedRegionPool::kMaxBuffers; ++i) {
    Expected<DeviceBuffer> buffer = pool_->Take(1);
    ASSERT_TRUE(buffer);
    buffers.push_back(*std::move(buffer));
  }
  EXPECT_FALSE(pool_->Take(1));
  for (DeviceBuffer& buffer : buffers) pool_->Give(std::move(buffer));
  EXPECT_TRUE(pool_->Take(1));
  EXPECT_TRUE(pool_->Take(100000)) << "of those that were not kept";
}

TEST_F(PreparedRegionsTest, WithoutMemoryThereAreNone) {
  device_.FailAllocations(true);
  EXPECT_FALSE(pool_->Take(1));
  device_.FailAllocations(false);
  EXPECT_TRUE(pool_->Take(1));
  device_.device().memory_properties.memoryTypes[0].propertyFlags &= ~VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  EXPECT_FALSE(DeviceBuffer::MayBeWrittenOnce(device_.device()));
  EXPECT_FALSE(pool_->Take(9000));
}

}  // namespace
}  // namespace trellis::test
