// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/device_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/recording_device.h"

namespace trellis::test {
namespace {

TEST(DeviceBufferTest, OwnsItsObjectsAndIsAligned) {
  RecordingDevice device;
  {
    Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kHost, "a buffer");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->address() % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uint64_t>(made->data()), made->address());
    EXPECT_EQ(device.NameOf(HandleToU64(made->handle())), "a buffer");
    EXPECT_EQ(device.LiveObjects(), 2);
    DeviceBuffer moved = *std::move(made);
    DeviceBuffer again;
    again = std::move(moved);
    EXPECT_EQ(again.size(), 100u);
    EXPECT_EQ(device.LiveObjects(), 2);
  }
  EXPECT_EQ(device.LiveObjects(), 0);
}

TEST(DeviceBufferTest, FamiliesThatCanComputeShareIt) {
  RecordingDevice device;
  std::vector<VkQueueFamilyProperties>& families = device.device().queue_families;
  families.resize(3);
  families[0].queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  families[1].queueFlags = VK_QUEUE_TRANSFER_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "one family"));
  EXPECT_TRUE(device.LastSharing().empty());
  families[2].queueFlags = VK_QUEUE_COMPUTE_BIT;
  EXPECT_TRUE(DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "two families"));
  EXPECT_EQ(device.LastSharing(), (std::vector<uint32_t>{0, 2}));
}

TEST(DeviceBufferTest, FailureLeavesNothingBehind) {
  RecordingDevice device;
  device.FailAllocations(true);
  const Expected<DeviceBuffer> made = DeviceBuffer::Create(device.device(), 100, BufferMemory::kDevice, "ring");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("ring"), std::string::npos);
  EXPECT_EQ(device.LiveObjects(), 0);
}

}  // namespace
}  // namespace trellis::test
